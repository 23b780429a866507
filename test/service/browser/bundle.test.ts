// What pages load of the forms and of the console: its size, and that it needs nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../../client/dist/forms");
const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
const contentOf = (name: string) => readFileSync(join(folder, name), "utf8");
const sizeOf = (name: string) => gzipSync(contentOf(name), { level: 9 }).length;
const named = (part: string) => files.find((name) => name.includes(part)) ?? `nothing named ${part}`;

/** In bytes, compressed. */
const budgets = {
  /** All three forms in English, with all that they load. */
  forms: 21 * 1024,
  /** Another language, for pages in it. */
  language: 3.5 * 1024,
  /** For services that ask for proofs of work. */
  solver: 1024,
};

test("all three forms are at most 21 KB; another language and the solver of challenges are loaded apart", () => {
  expect(files).toHaveLength(3);
  expect(sizeOf("forms.js")).toBeLessThanOrEqual(budgets.forms);
  expect(sizeOf(named("forms-de"))).toBeLessThanOrEqual(budgets.language);
  expect(sizeOf(named("solve-challenge"))).toBeLessThanOrEqual(budgets.solver);
});

test("a file that is loaded later imports nothing: the entry would run a second time under another address", () => {
  for (const name of files.filter((file) => file !== "forms.js"))
    expect(contentOf(name)).not.toMatch(/\bimport\b|\bfrom\s*["'`]/);
});

test("neither zod nor tRPC is in it, and no address of ours", () => {
  const all = files.map(contentOf).join("\n");
  expect(all).not.toMatch(/ZodError|_zod\b|TRPCClientError|localhost/);
  const hosts = [...all.matchAll(/https?:\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi)].map(([, host]) => host);
  // The examples in the texts.
  expect(new Set(hosts)).toEqual(new Set(["example.org"]));
});

test("the first view of the console is 109 KB as it is sent, and the page names every file of it", () => {
  const built = join(import.meta.dirname, "../../../client/dist/console");
  const shell = readFileSync(join(built, "index.html"), "utf8");
  const addresses = [...shell.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  const assets = [...new Set(addresses)];
  const sent = (file: string) => {
    const content = readFileSync(join(built, file));
    // A smaller file is sent as it is.
    if (content.length < 500) return content.length;
    const compressed = readFileSync(join(built, `${file}.br`));
    expect(brotliDecompressSync(compressed)).toEqual(content);
    return compressed.length;
  };
  expect(assets.length).toBeGreaterThan(2);
  expect(assets.map(sent).reduce((sum, one) => sum + one, shell.length)).toBeLessThan(109_000);
  expect(shell).not.toMatch(/<style|<script(?![^>]*src=)| style=| on\w+=/);
  // One of which the page did not tell would take another round trip.
  const imports = assets.flatMap((file) =>
    file.endsWith(".js")
      ? [...readFileSync(join(built, file), "utf8").matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+)["'`]/g)]
      : [],
  );
  expect(imports.length).toBeGreaterThan(0);
  for (const [, file] of imports) expect(assets).toContain(`assets/${file}`);
});
