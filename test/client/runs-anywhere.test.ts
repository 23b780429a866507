// The typed client runs in browsers, workers and Node: at run time it is made of its own files and tRPC's client.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../client/src/sdk");
const names = (await readdir(folder)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
const sources = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));

/** Modules that are still there when the types are gone. `import { type A }` is one: it leaves an `import {}` behind. */
const runtimeImports = (source: string): string[] =>
  [...source.matchAll(/^(?:import|export)(?! type\b)(?:[^;"]*?\bfrom)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm)].map(
    ([, fixed, dynamic]) => fixed ?? dynamic ?? "",
  );

test("the scan sees imports", () => {
  const source = [
    'import { a } from "a";\nimport {\n  b,\n} from "b";',
    'import "c";\nexport { d } from "d";\nawait import("e");',
    'import type { X } from "x";\nexport type { Y } from "y";\nexport const z = "z";',
  ];
  expect(runtimeImports(source.join("\n"))).toEqual(["a", "b", "c", "d", "e"]);
});

test("no package but tRPC's client: no code of the server, no zod and nothing of Node", () => {
  const imported = new Set(sources.flatMap(runtimeImports).filter((specifier) => !specifier.startsWith("./")));
  expect([...imported].toSorted()).toEqual(["@trpc/client", "@trpc/server/observable"]);
});

test("no globals that only Node has", () => {
  for (const source of sources) expect(source).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate)\b[.(]/);
});
