// Compares what people read with what the code does: settings, scripts, links, paths. It checks names, not sentences.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sections, settings, type Setting } from "../../../server/src/config/settings.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root }).toSorted();

// After the table in the code has changed, `npx vitest run --project unit -u readme` writes the rows anew.
describe("the settings", () => {
  const cellsOf = ([name, setting]: [string, Setting]) => ({
    name: `\`${name}\``,
    default: setting.default === null || setting.default === "" ? setting.unset : `\`${setting.default}\``,
    means: setting.secret === true ? `secret; ${setting.means}` : setting.means,
    values: setting.example === undefined ? setting.values : `${setting.values} Example: \`${setting.example}\`.`,
  });
  const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const short = (shown: string) => [
    row("Variable", "Default", "What"),
    "|---|---|---|",
    ...Object.entries<Setting>(settings)
      .map(cellsOf)
      .filter(({ name }) => shown.includes(`\n| ${name} |`))
      .map((cells) => row(cells.name, cells.default, cells.means)),
  ];
  const long = Object.entries<Readonly<Record<string, Setting>>>(sections).flatMap(([heading, section]) => [
    `## ${heading}`,
    "",
    ...Object.entries(section)
      .map(cellsOf)
      .map((cells) => `- **${cells.name}** (${cells.default}): ${cells.means}. ${cells.values}`),
    "",
  ]);

  const documented: readonly (readonly [path: string, lines: (shown: string) => string[]])[] = [
    ["README.md", short],
    ["docs/config.md", () => long],
  ];

  test.each(documented)("in %s are those of the code", async (path, lines) => {
    const [before, shown = "", after, ...more] = read(path).split(/<!-- (?:\/)?settings -->/);
    expect([after, ...more]).toHaveLength(1);
    const text = lines(shown).join("\n").trimEnd();
    const expected = `${before}<!-- settings -->\n\n${text}\n\n<!-- /settings -->${after}`;
    await expect(expected).toMatchFileSnapshot(join(root, path));
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

const tracked = globSync(["*", ".ci/*", "{shared,server,client,test,docs,deploy}/**/*"], {
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

// ADR 23. A list of projects or folders would leave out what is added later.
test("the long runs try every case of every project", () => {
  expect(read("test/nightly/run.sh").split("\n")).toContain("run env NIGHTLY=1 npx vitest run");
});
