import { tmpdir } from "node:os";
import { defineConfig } from "vitest/config";
import { inMemory } from "./test/support/memory-folder.ts";

// Workspace packages are read from their sources, as the server itself does. Tests' processes get these conditions as
// Node's own, so that anything more would have other packages give `require` what is meant for `import`.
const conditions = ["@submissions/source", "node"];

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

/** Never waits: one worker for each of two cores. In all projects files share a worker and leave nothing behind. */
const pure = { isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } };
/** Often waits for processes, browsers and databases: a third worker uses that time. */
const running = { isolate: false, maxWorkers: 3, sequence: { groupOrder: 1 } };
const postgres = { ...running, globalSetup: "test/support/postgres-global.ts" };
/** Temporary files stay on the disk: programs are run from them, which `/dev/shm` may forbid. */
const onDisk = { ...running, env: { TMPDIR: tmpdir() } };
/** Memory and time are measured while nothing else runs. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 2 } };

const measuring = ["test/work/**/*.test.ts", "test/abuse/linear-work.test.ts"];
/** Counts how often blocks of code run, the same on any machine. It needs a worker that has not run them before. */
const counting = ["test/resumes/work.test.ts"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    env: inMemory,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll that takes longer fails its test. The default, one second, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      project("unit", ["{shared,server,client}/src/**/*.test.ts"], pure),
      project("architecture", ["test/architecture/**/*.test.ts"], pure),
      ...[
        "abuse",
        "api",
        "client",
        "config",
        "console",
        "deploy",
        "fuzz",
        "mail",
        "newsletter",
        "observe",
        "outbox",
        "process",
        "resumes",
        "rpc",
        "scale",
        "webhooks",
      ].map((folder) =>
        project(folder, [`test/${folder}/**/*.test.ts`], { ...running, exclude: [...measuring, ...counting] }),
      ),
      ...["contract", "crash", "desk", "processes"].map((folder) =>
        project(folder, [`test/${folder}/**/*.test.ts`], postgres),
      ),
      // The service as a whole on PostgreSQL: the suites where the engine could make a difference to callers and mails. What
      // the contract of the store covers as well runs at night.
      project(
        "postgres",
        [
          "test/api/idempotency.test.ts",
          "test/newsletter/life.test.ts",
          "test/outbox/leases.test.ts",
          "test/console/downloads.test.ts",
          ...(process.env["NIGHTLY"] === "1"
            ? [
                "test/api/parity.test.ts",
                "test/newsletter/links.test.ts",
                "test/outbox/never-twice.test.ts",
                "test/console/{changes,sign-in,tokens,webhooks}.test.ts",
                "test/webhooks/delivery.test.ts",
              ]
            : []),
        ],
        { ...postgres, env: { TEST_DATABASE: "postgres" } },
      ),
      project("browser", ["test/browser/**/*.test.ts"], {
        ...onDisk,
        globalSetup: "test/browser/build-forms.ts",
      }),
      project("package", ["test/package/**/*.test.ts"], onDisk),
      project("counting", counting, running),
      project("measuring", measuring, alone),
    ],
  },
});
