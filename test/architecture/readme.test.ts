// Holds what people read to what the code does: variables and their defaults, scripts, links, paths. It checks names,
// not sentences; those need a reader.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../server/src/config/config.ts";
import { describeConfig } from "../../server/src/config/report.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root }).toSorted();

/** What stands below a heading of the second level, up to the next one. */
function section(path: string, heading: string): string {
  const [, text] = read(path).split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${path} has no section “${heading}”.`);
  return text.split(/\n## /)[0] ?? "";
}

const variablesIn = (text: string) =>
  [...new Set(text.match(/\b(?:HOST|PORT|[A-Z]{2,}(?:_[A-Z]+)+)\b/g))].toSorted((a, b) => a.localeCompare(b));

describe("the configuration in the README", () => {
  test("names every variable that the code reads, and no other", () => {
    const code = read("server/src/config/config.ts").replace(/\/\/.*$/gm, "");
    expect(variablesIn(section("README.md", "Configuration"))).toEqual(variablesIn(code));
  });

  test("gives the defaults that are in force when nothing is set", () => {
    const loaded = loadConfig({});
    if (!loaded.ok) throw new Error("The defaults have mistakes.");
    const inForce = new Map(describeConfig(loaded.config));
    const rows = section("README.md", "Configuration").matchAll(/^\| (`[A-Z].*?) \| (.*?) \|/gm);
    let compared = 0;
    for (const [, names = "", defaults = ""] of rows) {
      const values = [...defaults.matchAll(/`([^`]+)`/g)].map(([, value]) => value);
      if (values.length === 0) continue;
      const actual = variablesIn(names).map((name) => inForce.get(name));
      expect(actual, names).toEqual(values.map((value) => (value === "./data" ? resolve("data") : value)));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(5);
  });
});

test.each(documents)("%s names only npm scripts that exist", (path) => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const named = [...read(path).matchAll(/\bnpm (?:run (?:--silent )?([a-z][\w:-]*)|(start|test)\b)/g)];
  const unknown = named.map(([, run, short]) => run ?? short ?? "").filter((name) => !(name in scripts));
  expect(unknown).toEqual([]);
});

/** What GitHub makes of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

test.each(documents)("links in %s lead somewhere", (path) => {
  const prose = read(path).replace(/^```[\s\S]*?^```/gm, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const absolute = file === "" ? join(root, path) : join(root, dirname(path), file);
    if (!existsSync(absolute)) return true;
    if (anchor === undefined) return false;
    const headings = [...readFileSync(absolute, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text);
    return !headings.some((heading) => anchorOf(heading) === anchor);
  });
  expect(broken).toEqual([]);
});

const tracked = globSync(["*", ".ci/*", "{shared,server,client,test,docs}/**/*"], {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|dist|corpora)$/.test(path),
}).map((path) => relative(root, join(root, path)));

// Paths from the root, and files by the end of their path: `rest.ts`, `http/rest.ts`.
test.each(documents)("files and folders that %s names exist", (path) => {
  const prose = read(path).replace(/^```[\s\S]*?^```/gm, "");
  const named = [...prose.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g)].map(([, text = ""]) => text);
  const missing = named.filter((name) => {
    if (/^(?:shared|server|client|test|docs|\.ci)\//.test(name)) return !existsSync(join(root, name));
    if (!/\w\.(?:ts|sql|css|js)$/.test(name)) return false;
    return !tracked.some((file) => file === name || file.endsWith(`/${name}`));
  });
  expect(missing).toEqual([]);
});
