import { defineConfig } from "vitest/config";

// Workspace packages are read from their sources, as the server itself does. Tests' processes get these conditions as
// Node's own, so that anything more would have other packages give `require` what is meant for `import`.
const conditions = ["@submissions/source", "node"];

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    // The same on every machine. Those that mostly wait say so.
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      project("unit", ["{shared,server,client}/src/**/*.test.ts"]),
      project("architecture", ["test/architecture/**/*.test.ts"]),
      project("types", [], {
        typecheck: {
          enabled: true,
          only: true,
          include: ["test/types/**/*.test-d.ts"],
          tsconfig: "test/tsconfig.json",
        },
      }),
      project("contract", ["test/contract/**/*.test.ts"], { globalSetup: "test/support/postgres-global.ts" }),
      // The service as a whole on PostgreSQL: the suites where the engine could make a difference to callers and mails.
      project(
        "postgres",
        [
          "test/api/{parity,idempotency}.test.ts",
          "test/newsletter/{life,links}.test.ts",
          "test/outbox/{leases,never-twice}.test.ts",
          "test/console/{sign-in,changes,tokens,downloads}.test.ts",
        ],
        { globalSetup: "test/support/postgres-global.ts", env: { TEST_DATABASE: "postgres" } },
      ),
      // Several processes of the service on one database.
      project("processes", ["test/processes/**/*.test.ts"], { globalSetup: "test/support/postgres-global.ts" }),
      project("browser", ["test/browser/**/*.test.ts"], {
        globalSetup: "test/browser/build-forms.ts",
        // Most of the time they wait for their browser.
        maxWorkers: 2,
      }),
      ...[
        "abuse",
        "crash",
        "fuzz",
        "api",
        "rpc",
        "mail",
        "outbox",
        "package",
        "desk",
        "console",
        "config",
        "client",
        "process",
        "resumes",
        "newsletter",
        "deploy",
        "scale",
        "topology",
      ].map((folder) => project(folder, [`test/${folder}/**/*.test.ts`])),
    ],
  },
});
