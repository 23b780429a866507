import { defineConfig } from "vitest/config";

// Workspace packages are read from their sources, as the server itself does. Tests' processes get these conditions as
// Node's own, so that anything more would have other packages give `require` what is meant for `import`.
const conditions = ["@submissions/source", "node"];

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

/** Files of these folders share their worker: they leave nothing behind in a module or on the machine. */
const sharing = { isolate: false, sequence: { groupOrder: 1 } };
const postgres = { globalSetup: "test/support/postgres-global.ts", sequence: { groupOrder: 2 } };
/** What starts processes and browsers mostly waits for them. */
const waiting = { sequence: { groupOrder: 2 } };
/** Memory and work are measured while nothing else runs. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 3 } };

const measuring = ["test/work/**/*.test.ts", "test/fuzz/both-doors.test.ts", "test/resumes/work.test.ts"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    // The same on every machine.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      project("unit", ["{shared,server,client}/src/**/*.test.ts"], { isolate: false, sequence: { groupOrder: 0 } }),
      project("architecture", ["test/architecture/**/*.test.ts"], { isolate: false, sequence: { groupOrder: 0 } }),
      project("types", [], {
        typecheck: {
          enabled: true,
          only: true,
          include: ["test/types/**/*.test-d.ts"],
          tsconfig: "test/tsconfig.json",
        },
        sequence: { groupOrder: 0 },
      }),
      ...[
        "abuse",
        "api",
        "client",
        "config",
        "console",
        "deploy",
        "desk",
        "fuzz",
        "mail",
        "newsletter",
        "observe",
        "outbox",
        "resumes",
        "rpc",
        "scale",
        "webhooks",
      ].map((folder) => project(folder, [`test/${folder}/**/*.test.ts`], { ...sharing, exclude: measuring })),
      project("contract", ["test/contract/**/*.test.ts"], postgres),
      // The service as a whole on PostgreSQL: the suites where the engine could make a difference to callers and mails.
      project(
        "postgres",
        [
          "test/api/{parity,idempotency}.test.ts",
          "test/newsletter/{life,links}.test.ts",
          "test/outbox/{leases,never-twice}.test.ts",
          "test/console/{sign-in,changes,tokens,downloads,webhooks}.test.ts",
          "test/webhooks/delivery.test.ts",
        ],
        { ...postgres, env: { TEST_DATABASE: "postgres" } },
      ),
      // Several processes of the service on one database.
      project("processes", ["test/processes/**/*.test.ts"], postgres),
      project("browser", ["test/browser/**/*.test.ts"], { ...waiting, globalSetup: "test/browser/build-forms.ts" }),
      ...["bench", "crash", "package", "process"].map((folder) =>
        project(folder, [`test/${folder}/**/*.test.ts`], { ...waiting, exclude: measuring }),
      ),
      project("measuring", measuring, alone),
    ],
  },
});
