// The examples of the client: in its documents and in the comments of its sources.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packed.ts";

export interface Example {
  /** File and line. */
  readonly place: string;
  readonly code: string;
}

const blocks = (file: string, text: string): Example[] =>
  [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm)].map(({ index, 1: code = "" }) => ({
    place: `${file}:${text.slice(0, index).split("\n").length}`,
    code,
  }));

/** A source with everything but its TSDoc blanked, and that without its stars. */
const comments = (source: string): string => {
  let inside = false;
  const lines = source.split("\n").map((line) => {
    if (line.trim().startsWith("/**")) inside = true;
    const text = inside ? line.replace(/^\s*\* ?/, "") : "";
    if (line.includes("*/")) inside = false;
    return text;
  });
  return lines.join("\n");
};

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Sources of the client, tests left out. */
const sources = globSync("client/src/sdk/*.ts", { cwd: root })
  .filter((file) => !file.endsWith(".test.ts"))
  .toSorted();

export function examples(): Example[] {
  const documents = ["docs/client.md", "docs/types.md", "client/README.md", "README.md"].flatMap((file) =>
    blocks(file, read(file)),
  );
  return [...documents, ...sources.flatMap((file) => blocks(file, comments(read(file))))];
}

const shared = globSync("shared/src/*.ts", { cwd: root });

/** What each export of the package says about itself: its declaration with the comment before it. */
export function documentedExports(): { readonly name: string; readonly file: string; readonly text: string }[] {
  const entry = read("client/src/sdk/create-submissions-client.ts");
  const listed = [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const whole = [...entry.matchAll(/^export type \* from "\.\/([^"]+)"/gm)].flatMap(([, file = ""]) =>
    Array.from(read(`client/src/sdk/${file}`).matchAll(/^export type (\w+)/gm), ([, name = ""]) => name),
  );
  const own = [...entry.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name = ""]) => name);
  return [...listed, ...whole, ...own]
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => {
      const declaration = new RegExp(`^export (?:interface|class|function|type|const) ${name}\\b`, "m");
      const file = [...sources, ...shared].find((path) => declaration.test(read(path)));
      if (file === undefined) throw new Error(`${name} is exported and declared nowhere.`);
      const text = read(file);
      const start = text.search(declaration);
      const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n$/.exec(text.slice(0, start))?.[0] ?? "";
      return { name, file, text: comment };
    });
}
