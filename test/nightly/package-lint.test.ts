// What tools of others say of the packed packages.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packAndInstall, run } from "../support/package/packed.ts";
import { shared } from "../support/shared.ts";

const tool = (name: string) => join(import.meta.dirname, "node_modules/.bin", name);

const packed = shared(packAndInstall);

describe.each(["shared", "client"] as const)("the tarball of %s", (name) => {
  test("is what publint takes for well made", async () => {
    const report = await run(tool("publint"), ["run", packed().tarballs[name], "--strict"], import.meta.dirname);
    expect(report).toContain("All good!");
  });

  test("has types wherever it has code", async () => {
    const dist = join(packed().project, "node_modules/@submissions", name, "dist");
    const modules = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".js"));
    const entries = name === "client" ? [] : ["--entrypoints", ...modules.map((file) => file.replace(".js", ""))];
    // It ends with 1 when there is a problem.
    const args = [packed().tarballs[name], "--profile", "esm-only", ...entries];
    expect(await run(tool("attw"), args, import.meta.dirname)).toContain(`@submissions/${name} v`);
  });
});
