// How Stryker runs the tests: one plain project, of which a group's `testFiles` names those that judge its mutants.
import { defineConfig } from "vitest/config";

const conditions = ["@submissions/source", "node", "import", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  // Node itself adds "import" or "require", as each file asks.
  ssr: { resolve: { conditions: ["@submissions/source", "node"] } },
  test: {
    include: ["server/src/**/*.test.ts", "test/service/{abuse,mail,resumes}/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
