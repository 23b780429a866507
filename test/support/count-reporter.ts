// Ends a run with one plain line, for those who count tests without reading the rest.
import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) count[test.result().state] += 1;
      // A file that cannot be loaded has no tests to fail, and must not pass for an empty success.
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed")) count.failed += 1;
    }
    const skipped = count.skipped + count.pending;
    if (skipped > 0) process.stdout.write(`\n${skipped} skipped`);
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed\n`);
  }
}
