import { defineConfig } from "vitest/config";

const conditions = ["@submissions/source", "node"];

// The long runs among the tests, one after the other. Tests whose peers cannot be had are skipped and say so.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    reporters: ["default", "./test/support/count-reporter.ts"],
    include: ["test/nightly/**/*.test.ts"],
    globalSetup: ["test/support/postgres-global.ts", "test/support/browser/build-dist.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
