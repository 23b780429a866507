import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { inMemory } from "./test/support/memory-folder.ts";

const atNight = process.env["NIGHTLY"] === "1";

// Workspace packages are read from their sources, as the server itself does. Tests' processes get these conditions as
// Node's own, so that anything more would have other packages give `require` what is meant for `import`.
const conditions = ["@submissions/source", "node"];

const project = (name: string, include: string[], more: object = {}) => ({
  extends: true as const,
  test: { name, include, ...more },
});

/** Never waits: one worker for each of two cores. In all projects files share a worker and leave nothing behind. */
const pure = { isolate: false, maxWorkers: 2, sequence: { groupOrder: 0 } };
/** Often waits for processes, browsers and databases: three workers more use that time. With six a run takes longer. */
const running = { isolate: false, maxWorkers: 5, sequence: { groupOrder: 1 } };
const service = {
  ...running,
  globalSetup: ["test/support/postgres-global.ts", "test/support/browser/build-dist.ts"],
};
/** Memory and time are measured while nothing else runs. */
const alone = { isolate: false, maxWorkers: 1, sequence: { groupOrder: 2 } };

const measuring = ["test/service/abuse/{linear-work,text-work,upload-memory}.test.ts"];
/** Counts how often blocks of code run, the same on any machine. It needs a worker that has not run them before. */
const counting = ["test/service/resumes/work.test.ts"];
/** About the files of the repository: nothing is started. */
const ofTheRepository = ["test/service/repository/**/*.test.ts"];
/** Run HAProxy, nginx and Caddy with the files of deploy/: at night, where these are installed for certain. */
const proxies = atNight ? [] : ["test/service/deploy/{balancers,refusals,slow-lines}.test.ts"];

/** Take long although they are short, which the usual order of a clean checkout, by size, does not know. */
const long =
  /\/(contract\/(move|postgres-faults)|processes\/\w+|desk\/(backup|commands)|mail\/at-once|abuse\/fuzz-both-doors)\./;

/** Has the longest files of each project begin first: at its end no worker waits long for another. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of vitest
    const usual = await super.sort(files);
    const byProject = Map.groupBy(usual, (file) => file.project);
    const rank = ({ moduleId }: TestSpecification) => (long.test(moduleId) ? 0 : 1);
    return [...byProject.values()].flatMap((own) => own.toSorted((a, b) => rank(a) - rank(b)));
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/support/count-reporter.ts"],
    env: inMemory,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A poll that takes longer fails its test. The default, one second, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Few: a worker loads the service once for all files of its project.
    projects: [
      project("unit", ["{shared,server,client}/src/**/*.test.ts", ...ofTheRepository], pure),
      // All in one: a worker of another project loads the service again.
      project("service", ["test/{contract,service}/**/*.test.ts"], {
        ...service,
        exclude: [...measuring, ...counting, ...ofTheRepository, ...proxies],
      }),
      // The service as a whole on PostgreSQL, where the engine could make a difference to callers and mails. By day the
      // contract of the store, which runs on both engines, covers it.
      ...(atNight
        ? [
            project(
              "postgres",
              [
                "test/service/answers/{door,killed,limits}.test.ts",
                "test/service/api/{idempotency,parity}.test.ts",
                "test/service/console/{changes,control-characters,downloads,sign-in,tokens,webhooks}.test.ts",
                "test/service/mail/{leases,never-twice,newsletter-life,newsletter-links}.test.ts",
                "test/service/webhooks/delivery.test.ts",
              ],
              { ...service, env: { TEST_DATABASE: "postgres" } },
            ),
          ]
        : []),
      project("counting", counting, running),
      project("measuring", measuring, alone),
    ],
  },
});
