// What is not understood is refused before anything is opened.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { runCommandLine } from "../../server/src/commands/program.ts";
import { Kept, runCommand } from "./run-command.ts";

const dataFolder = join(tmpdir(), `opened-by-no-command-${process.pid}`);

async function runClosed(...words: string[]) {
  const { code, stdout, stderr } = await runCommand(words, { DATA_DIR: dataFolder });
  expect(existsSync(dataFolder)).toBe(false);
  return { code, stdout, stderr };
}

test.each([
  [["nope"]],
  [[]],
  [["mail"]],
  [["export"]],
  [["export", "everything"]],
  [["export", "inquiries", "more"]],
  [["export", "inquiries", "--format", "xml"]],
  [["export", "inquiries", "--since", "2026-02-30"]],
  [["export", "inquiries", "--since", "2026-11-21T10:00"]],
  [["export", "inquiries", "--since", "yesterday"]],
  [["export", "inquiries", "--after", "-1"]],
  [["export", "inquiries", "--after", "INQ-20261121-000001"]],
  [["resume", "APP-20261121-000001", "--url", "--output", "-"]],
  [["show"]],
  [["show", "INQ-1"]],
  [["completion"]],
  [["completion", "fish"]],
  [["resume", "../../etc/passwd", "--output", "-"]],
  [["mail", "list", "--limit", "0"]],
  [["mail", "list", "--status", "lost"]],
  [["mail", "retry", "--status", "sent"]],
  [["mail", "retry", "17-mhzk2a8f", "--status", "failed"]],
  [["release"]],
  [["release", "INQ-1"]],
  [["backup"]],
  [["copy"]],
  [["copy", "--to", "mysql://db.example/submissions"]],
  [["copy", "--to", "postgres://db.example/submissions?sslmode=perhaps"]],
  [["copy", "--to", "sqlite:"]],
  [["copy", "--resumes-to", "s3://x"]],
  [["check-config", "--unknown"]],
])("%j is not understood", async (words) => {
  const { code, stdout, stderr } = await runClosed(...words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toBe("");
});

test("a refused address of a store is not repeated, because it may hold a password", async () => {
  for (const to of ["postgres://u:hunter2@db.example/s?sslmode=perhaps", "mysql://u:hunter2@db.example/s"]) {
    const { code, stderr } = await runClosed("copy", "--to", to);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--to must") as string]);
    expect(stderr).not.toContain("hunter2");
  }
});

test.each(["--help", "export --help", "help resume", "mail retry --help", "mail help list"])(
  "%s is help, and no error",
  async (words) => {
    const { code, stdout, stderr } = await runClosed(...words.split(" "));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: npm run submissions -- /);
  },
);

test.each([
  "show",
  "completion",
  "export",
  "resume",
  "release",
  "mail list",
  "mail retry",
  "backup",
  "copy",
  "migrate",
  "check-config",
])("the help of %s has an example", async (command) => {
  const { stdout } = await runClosed(...command.split(" "), "--help");
  expect(stdout).toMatch(/Examples?:\n[^]*npm run (?:--silent )?submissions -- /);
});

test("--version is that of the package, and no error", async () => {
  expect(await runClosed("--version")).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});

const completions: [typed: string, expected: string[]][] = [
  ["submissions ", ["export", "mail", "show", "--version"]],
  ["submissions ma", ["mail"]],
  ["submissions mail ", ["list", "retry", "--help"]],
  ["submissions mail list --status ", ["queued", "sent", "failed", "in-doubt"]],
  ["submissions mail retry --status ", ["failed", "in-doubt"]],
  ["submissions webhooks add --event subscriber.c", ["subscriber.confirmed"]],
  ["submissions export su", ["subscribers"]],
  ["submissions operators add eva@example.org --role s", ["sales"]],
];

test.each(completions)("bash completes %j", async (typed, expected) => {
  const { stdout: script } = await runClosed("completion", "bash");
  const words = typed.split(" ");
  const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _submissions; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const offered = execFileSync("bash", ["-euc", `${script}\n${ask}`], { encoding: "utf8" })
    .trim()
    .split("\n");
  expect(offered).toEqual(expect.arrayContaining(expected));
  for (const word of offered) expect(word.startsWith(words.at(-1)!)).toBe(true);
  if (words.at(-2)?.startsWith("--")) expect(offered).toEqual(expected);
});

const noZsh = spawnSync("zsh", ["--version"]).error ? ", which is not installed here: apt-get install zsh" : "";

test.skipIf(noZsh)(`the keys typed into zsh are completed${noZsh}`, async () => {
  const { stdout: script } = await runClosed("completion", "zsh");
  const { path: home, ...folder } = await mkdtempDisposable(join(tmpdir(), "zsh-"));
  await using _folder = folder;
  await writeFile(join(home, "script.zsh"), script);
  const shown = typeIntoZsh(
    home,
    completions.map(([typed]) => typed),
  );
  for (const [index, [typed, expected]] of completions.entries()) {
    const [, line] = /<(.*)>/.exec(shown[index]!) ?? [];
    if (expected.length === 1) expect(line).toBe(`${typed.slice(0, typed.lastIndexOf(" "))} ${expected[0]} `);
    else expect([line, shown[index]!.split(/\s+/)]).toEqual([typed, expect.arrayContaining(expected)]);
  }
});

/** What a terminal shows after each text and the Tab key. The completed line follows in angle brackets. */
function typeIntoZsh(home: string, texts: readonly string[]): string[] {
  const driver = `
    zmodload zsh/zpty
    zpty terminal env HOME=$HOME TERM=dumb zsh -f -i
    zpty -w terminal 'stty cols 200; unset zle_bracketed_paste; LISTMAX=1000; source $HOME/script.zsh
      tell() { print -r -- "<$BUFFER>"; BUFFER=; }; zle -N tell; bindkey "^X" tell; print $((6 * 7)) is ready'
    zpty -r terminal shown '*42 is ready*'
    for typed; do
      zpty -w -n terminal "$typed"$'\t\x18'
      zpty -r terminal shown '*<*>*'
      print -rN -- $shown
    done`;
  const env = { ...process.env, HOME: home };
  const shown = execFileSync("zsh", ["-f", "-c", driver, "zsh", ...texts], { encoding: "utf8", env, timeout: 20_000 });
  return shown.split("\0").slice(0, -1);
}

test("an unexpected error ends with 1 and tells its type, not its message", async () => {
  const output = new Writable({ write: (_piece, _encoding, done) => done(new Error("secret words")) });
  const messages = new Kept();
  expect(await runCommandLine(["completion", "bash"], { environment: {}, output, messages })).toBe(1);
  const stderr = messages.bytes.toString();
  expect(stderr).toContain("Unexpected error");
  expect(stderr).not.toContain("secret words");
});
