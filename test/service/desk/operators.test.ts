// What the command line does for operators and for persons who ask for their data, or for its end.
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { runCommandLine } from "../../../server/src/commands/program.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, application, inquiry, subscription } from "../../contract/records.ts";
import { openFolder } from "../../support/folder.ts";
import { keptLog } from "../../support/kept-log.ts";
import { startService } from "../../support/service.ts";
import { anew } from "../../support/shared.ts";
import { Kept, runCommand } from "../../support/desk/run-command.ts";

const folder = anew(openFolder);

const run = (...words: string[]) =>
  runCommand(words, { DATA_DIR: folder().path, PUBLIC_URL: "https://submissions.example.org" });
const open = () => openStore({ kind: "sqlite", file: join(folder().path, "submissions.sqlite") });
const linesOf = (text: string) => text.trimEnd().split("\n");

test("add prints an invitation as its last line, list shows the operator, remove removes", async () => {
  const first = await run("operators", "add", "root@example.org", "--role", "admin");
  expect(first.stderr).toMatch(/^There was no database file .+submissions\.sqlite: it is made now\.\n/);
  const added = await run("operators", "add", "eva@example.org", "--role", "sales");
  expect([added.code, added.stderr]).toEqual([0, expect.not.stringContaining("is made")]);
  expect(linesOf(added.stdout).at(-1)).toMatch(/^https:\/\/submissions\.\S+\/console\/invitation#token=[\w-]{43}$/);
  expect(linesOf((await run("operators", "list")).stdout)[2]).toMatch(/^eva@example\.org +sales +invited +\d{4}-/);
  expect(await run("operators", "remove", "eva@example.org")).toMatchObject({ code: 0 });
  expect(await run("operators", "remove", "eva@example.org")).toMatchObject({ code: 1, stdout: "" });
  const demoted = await run("operators", "add", "root@example.org", "--role", "sales");
  const keeps = "The last admin keeps the role: add another one first.\n";
  expect(demoted).toMatchObject({ code: 1, stdout: "", stderr: keeps });
  const stays = "The last admin cannot be removed: add another one first.\n";
  expect(await run("operators", "remove", "root@example.org")).toMatchObject({ code: 1, stderr: stays });
});

test.each(["add", "sign-in"])("the link of %s leads to the service that runs, wherever it listens", async (command) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log });
  const hint = () => lines.filter(({ msg }) => String(msg).includes("operators add YOU@example.org --role admin"));
  expect(hint()).toEqual([expect.objectContaining({ level: "info" })]);
  const role = command === "add" ? ["--role", "admin"] : [];
  const environment = { ...service.sameData, PORT: "3000" };
  await runCommand(["operators", "add", "eva@example.org", "--role", "admin"], environment);
  const linkFor = async (more: Readonly<Record<string, string>> = {}) =>
    (await runCommand(["operators", command, "eva@example.org", ...role], { ...environment, ...more })).stdout;
  expect(await linkFor()).toMatch(new RegExp(`^${service.url}/console/`));
  expect(await linkFor({ PUBLIC_URL: "https://submissions.example.org" })).toMatch(/^https:\/\/submissions\./);
  await service.stop();
  expect(await linkFor()).toMatch(/^http:\/\/127\.0\.0\.1:3000\//);
  await using _again = await startService({ log, env: service.sameData });
  expect(hint()).toHaveLength(1);
});

test("erase needs --yes where no person can be asked, and then removes everything", async () => {
  await using store = await open();
  await accept(store, inquiry(1, { email: "Ana@example.org" }));
  await accept(store, application(2, { email: "ana@example.org", resume: null }));
  await accept(store, subscription({ email: "ana@example.org" }));
  expect(await run("erase", "ana@example.org")).toMatchObject({ code: 1 });
  const known = await run("export", "person", "ana@example.org");
  const kinds = linesOf(known.stdout).map((line) => (JSON.parse(line) as { kind: string }).kind);
  expect(kinds.toSorted()).toEqual(["application", "inquiry", "mail", "mail", "mail", "mail", "mail", "subscription"]);
  const stderr = "Erased: 2 submissions, 0 resumes, 1 subscription.\n";
  expect(await run("erase", "ANA@example.org", "--yes")).toMatchObject({ code: 0, stderr });
  expect((await run("export", "person", "ana@example.org")).stdout).toBe("");
});

test.each([
  ["no", "no\r"],
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("erase asks on a terminal and erases nothing after %s", async (_name, typed) => {
  await using store = await open();
  await accept(store, inquiry(1, { email: "ana@example.org" }));
  const terminal = () => Object.assign(new Kept(), { isTTY: true });
  const [output, messages, input] = [terminal(), terminal(), Object.assign(new PassThrough(), { isTTY: true })];
  input.write(typed);
  const environment = { DATA_DIR: folder().path };
  expect(await runCommandLine(["erase", "ana@example.org"], { environment, input, output, messages })).toBe(1);
  expect(messages.bytes.toString()).toMatch(/Type yes: [^{]*\nNothing was erased\.\n$/);
  expect((await run("export", "person", "ana@example.org")).stdout).not.toBe("");
});

test("erase removes the person's mails from the local mailbox, and no others", async () => {
  await using _store = await open();
  const mailbox = join(folder().path, "mailbox");
  await mkdir(mailbox);
  const kept: Record<string, string> = {
    "1.eml": "From: a@example.org\r\nTo: ben@example.org\r\n\r\nTo: ana@example.org\r\n",
    "2.eml": "To: anna@example.org\r\nReply-To: ben@example.org\r\n\r\n",
    "2.txt": "To: ana@example.org\r\n\r\n",
  };
  const erased: Record<string, string> = {
    "3.eml": "Subject: x\r\nTo: Ana@Example.org\r\n\r\nx",
    "4.eml": "To: sales@example.org,\r\n sam@example.org\r\nReply-To:\r\n ana@example.org\r\n\r\nx",
  };
  for (const [name, text] of Object.entries({ ...kept, ...erased })) await writeFile(join(mailbox, name), text);
  // Is in the list of names, but can no longer be read: it went meanwhile.
  await symlink("gone", join(mailbox, "0.eml"));
  expect(await run("erase", "ana@example.org", "--yes")).toMatchObject({ code: 0 });
  expect((await readdir(mailbox)).toSorted()).toEqual(["0.eml", ...Object.keys(kept)]);
});

test("a file is looked for where npm was called, not in the project's folder", async () => {
  await run("migrate");
  const environment = { DATA_DIR: folder().path, npm_lifecycle_event: "submissions", INIT_CWD: folder().path };
  expect(await runCommand(["backup", "backups"], environment)).toMatchObject({ code: 0 });
  expect(await readdir(folder().path)).toContain("backups");
});

test("what commands do is in the audit log, which is exported as CSV and NDJSON, from a number on", async () => {
  await run("operators", "add", "eva@example.org", "--role", "sales");
  await run("export", "person", "ana@example.org");
  await run("export", "inquiries", "--after", "7");
  await run("backup", join(folder().path, "backup.sqlite"));
  const all = linesOf((await run("export", "audit", "--format", "ndjson")).stdout).map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  );
  expect(all).toMatchObject([
    { operator: "command line", action: "operator.invite", subject: "eva@example.org", detail: { role: "sales" } },
    { operator: "command line", action: "export", subject: "person" },
    { operator: "command line", action: "export", subject: "inquiries", detail: { format: "csv", after: 7 } },
    { operator: "command line", action: "backup" },
    { operator: "command line", action: "export", subject: "audit", detail: { format: "ndjson" } },
  ]);
  const rest = await run("export", "audit", "--after", String(all[0]?.["id"]));
  // The header, the four behind the first, and this export itself.
  expect(linesOf(rest.stdout)).toHaveLength(6);
});
