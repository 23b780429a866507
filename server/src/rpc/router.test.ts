import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// A procedure that is built elsewhere could have a middleware, which the doors would not run.
test.each(globSync("*.ts", { cwd: import.meta.dirname, exclude: ["*.test.ts"] }))(
  "%s exports nothing that procedures of tRPC are built with",
  async (file) => {
    const exported = Object.values((await import(join(import.meta.dirname, file))) as object);
    const builders = exported.filter((one) =>
      ["use", "input", "mutation", "procedure"].some((name) => name in Object(one)),
    );
    expect(builders).toEqual([]);
  },
);
