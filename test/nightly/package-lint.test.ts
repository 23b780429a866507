// What tools of others say of the packed client.
import { join } from "node:path";
import { expect, test } from "vitest";
import { packAndInstall, run } from "../support/package/packed.ts";
import { shared } from "../support/shared.ts";

const tool = (name: string) => join(import.meta.dirname, "node_modules/.bin", name);

const packed = shared(packAndInstall);

test("the tarball is what publint takes for well made", async () => {
  const report = await run(tool("publint"), ["run", packed().tarball, "--strict"], import.meta.dirname);
  expect(report).toContain("All good!");
});

test("the tarball has types wherever it has code", async () => {
  // It ends with 1 when there is a problem.
  const report = await run(tool("attw"), [packed().tarball, "--profile", "esm-only"], import.meta.dirname);
  expect(report).toContain("@submissions/client v");
});
