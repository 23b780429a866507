import { defineConfig } from "vitest/config";

// Workspace packages are read from their sources, as the server itself does.
const conditions = ["@submissions/source", "node", "import", "default"];

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
      ...[
        "abuse",
        "contract",
        "crash",
        "fuzz",
        "api",
        "rpc",
        "mail",
        "outbox",
        "package",
        "desk",
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
