// What is not understood is refused before anything is opened.
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import about from "../../../server/package.json" with { type: "json" };
import { runCommandLine } from "../../../server/src/commands/program.ts";
import { openFolder } from "../../support/folder.ts";
import { Kept, runCommand } from "../../support/desk/run-command.ts";

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
  [["resume", "../../etc/passwd", "--output", "-"]],
  [["mail", "list", "--limit", "0"]],
  [["mail", "list", "--status", "lost"]],
  [["mail", "retry", "--status", "sent"]],
  [["mail", "retry", "17-mhzk2a8f", "--status", "failed"]],
  [["release"]],
  [["release", "INQ-1"]],
  [["backup"]],
  [["backup", "/backups", "--keep", "0"]],
  [["restore"]],
  [["backup", ""]],
  [["restore", ""]],
  [["restore", "/backups", "--audit", ""]],
  [["resume", "APP-20261121-000001", "--output", ""]],
  [["mail", "preview", "inquiry-receipt", "--language", "xx"]],
  [["check-config", "--unknown"]],
  [["operators", "add", "eva@example.org"]],
  [["operators", "add", "eva@example.org", "--role", "king"]],
  [["operators", "add", "eva", "--role", "sales"]],
  [["erase", "not an address"]],
  [["export", "person"]],
  [["export", "inquiries", "ana@example.org"]],
  [["export", "person", "ana@example.org", "--after=1"]],
  [["webhooks", "add"]],
  [["webhooks", "add", "http://crm.example.org/"]],
  [["webhooks", "add", "https://user:hunter2@crm.example.org/"]],
  [["webhooks", "add", "https://169.254.169.254/"]],
  [["webhooks", "add", "https://crm.example.org/", "--event", "inquiry.lost"]],
  [["webhooks", "remove"]],
  [["webhooks", "remove", "one"]],
  [["webhooks", "replay"]],
  [["webhooks", "replay", "msg_1-1", "--failed", "1"]],
])("%j is not understood", async (words) => {
  const { code, stdout, stderr } = await runClosed(...words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toMatch(/^$|hunter2/);
});

test.each([
  "show INQ-20261121-000001",
  "export inquiries",
  "export person ana@example.org",
  "resume APP-20261121-000001",
  "release INQ-20261121-000001",
  "mail list",
  "mail retry",
  "mail release",
  "erase ana@example.org --yes",
  "retention",
  `backup ${dataFolder}`,
  "operators list",
  "operators remove eva@example.org",
  "operators reset-factor eva@example.org",
  "operators sign-in eva@example.org",
  "webhooks list",
  "webhooks remove 1",
  "webhooks rotate 1",
  "webhooks log",
  "webhooks replay --failed 1",
])("%s fails where DATA_DIR is mistyped, and makes no store", async (command) => {
  const file = join(dataFolder, "submissions.sqlite");
  const stderr = `There is no database file ${file}. Set DATA_DIR to another folder.\n`;
  expect(await runClosed(...command.split(" "))).toEqual({ code: 1, stdout: "", stderr });
});

test("a database file that cannot be reached is not called missing", async () => {
  await using folder = await openFolder();
  await symlink("submissions.sqlite", join(folder.path, "submissions.sqlite"));
  for (const command of ["release INQ-20261121-000001", "operators add eva@example.org --role sales"]) {
    const { code, stderr } = await runCommand(command.split(" "), { DATA_DIR: folder.path });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database file .+ cannot be reached\. /)]);
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
  "export",
  "resume",
  "release",
  "mail list",
  "mail retry",
  "mail release",
  "retention",
  "backup",
  "restore",
  "migrate",
  "doctor",
  "check-config",
])("the help of %s has an example", async (command) => {
  const { stdout } = await runClosed(...command.split(" "), "--help");
  expect(stdout).toMatch(/Examples?:\n[^]*npm run (?:--silent )?submissions -- /);
});

test("--version is that of the package, and no error", async () => {
  expect(await runClosed("--version")).toEqual({ code: 0, stdout: `${about.version}\n`, stderr: "" });
});

test("an unexpected error ends with 1 and tells its type, not its message", async () => {
  const output = new Writable({ write: (_piece, _encoding, done) => done(new Error("secret words")) });
  const messages = new Kept();
  expect(await runCommandLine(["check-config"], { environment: {}, output, messages })).toBe(1);
  const stderr = messages.bytes.toString();
  expect(stderr).toContain("Unexpected error");
  expect(stderr).not.toContain("secret words");
});
