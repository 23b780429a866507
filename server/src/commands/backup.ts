// `backup` and `restore`: everything that the service holds, as one folder, from and to either engine and either vault.
import { randomUUID } from "node:crypto";
import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import about from "../../package.json" with { type: "json" };
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import {
  backupTime,
  type CopiedResume,
  copyResumes,
  databaseIn,
  findBackup,
  forgetBackups,
  resumesIn,
  writeBackup,
} from "../desk/backups.ts";
import { ageOf, counted } from "../field-values.ts";
import { jsonIn } from "../read-unknown.ts";
import { readFrom } from "../resumes/disk.ts";
import { openShelf, openVault } from "../resumes/open-vault.ts";
import type { Vault } from "../resumes/vault.ts";
import { type MovableStore, moveRows } from "../storage/move.ts";
import { findDamage, migrate, openEmpty, openMovable, openStore, type StoreLocation } from "../storage/open-store.ts";
import { holding } from "../storage/sql/held.ts";
import {
  type CommandDeps,
  CommandFailed,
  configOf,
  damagedAdvice,
  fileOf,
  parseNumber,
  parsePath,
  record,
  tell,
} from "./command.ts";
import { Progress, writeAll } from "./terminal.ts";

const backupExamples = `
The service goes on meanwhile: the backup is the state of one moment. It is a folder with the database as one SQLite file,
whatever the service uses, and all resumes. Rows are read back and compared, resumes are compared with the checksum of
their upload. A backup that fails or is killed leaves nothing that restore takes.

Backups are ordered by the times in their names. --keep never removes the one just made, nor those of a time that has not
come: remove these yourself, once the clock is right. One whose backup.json cannot be read counts as one that lacks something.

Examples:
  npm run submissions -- backup /backups
  npm run submissions -- backup /backups --keep 14       and forget all but the newest 14 that are whole
`;

const restoreExamples = `
The folder is one backup, or the newest in it is taken. When the newest is of a time that has not come, a clock was wrong:
name the one to restore. Stop the service first. The database must be empty; resumes that are there already are left alone.
Nothing that was queued is sent until: mail release.

Persons who were erased after the backup are in it again. With --audit, and the audit log as NDJSON of the store that was
used last, their addresses are written to standard output.

Examples:
  npm run submissions -- restore /backups
  npm run submissions -- restore /backups/2026-11-21T03-00-00.000Z --audit audit.ndjson
`;

export function registerBackup(program: Command, deps: CommandDeps): void {
  program
    .command("backup")
    .description("Makes a folder in the folder with all that the service holds: the database and the resumes.")
    .argument("<folder>", "where backups are; made if need be", parsePath)
    .option("--keep <number>", "forget all but this many of the newest that are whole", parseNumber(1, 10_000))
    .addHelpText("after", backupExamples)
    .action(async (folder: string, { keep = Infinity }: { keep?: number }) => {
      const { storage, vault } = configOf(deps);
      const place = fileOf(deps, folder);
      let problems: readonly CopiedResume[] = [];
      const damage = await findDamage(storage, "integrity_check");
      for (const line of damage) tell(deps, `The database is damaged: ${line}`);
      const name = await writeBackup(place, systemClock.now(), async (path) => {
        const copy = { kind: "sqlite", file: databaseIn(path) } as const;
        await copyRows(deps, storage, copy);
        await using from = await openShelf(vault, systemClock);
        await using to = await openVault({ kind: "disk", folder: resumesIn(path) }, systemClock);
        const { resumes, failed } = await copyAll(deps, copy, from, to);
        await rm(to.stagingFolder, { recursive: true });
        problems = await stillThere(storage, failed);
        return { version: about.version, resumes, lacking: problems.length + damage.length };
      });
      const lacking = problems.length + damage.length;
      await record(deps, storage, { action: "backup", subject: name, detail: { folder: place, lacking } });
      const { future, unreadable } = await forgetBackups(place, name, keep, systemClock.now());
      for (const one of future) tell(deps, `${join(place, one)} is ${notYet}: it stays, and does not count.`);
      for (const one of unreadable)
        tell(deps, `${join(place, one)} counts as one that lacks something: ${unreadableWords}`);
      const state =
        problems.length > 0 ? "lacks resumes" : damage.length > 0 ? "has all rows that were found" : "is whole";
      tell(deps, `The backup ${join(place, name)} ${state}.`);
      report(deps, problems);
      if (damage.length > 0) throw new CommandFailed(`The database is damaged. ${damagedAdvice}`);
    });
}

export function registerRestore(program: Command, deps: CommandDeps): void {
  program
    .command("restore")
    .description("Fills the configured store, which must be empty and not in use, and its resumes from a backup.")
    .argument("<folder>", "a backup, or a folder of backups", parsePath)
    .option(
      "--audit <file>",
      "the audit log of the store used last, as export audit --format ndjson writes it",
      parsePath,
    )
    .addHelpText("after", restoreExamples)
    .action(async (folder: string, { audit }: { audit?: string }) => {
      const config = configOf(deps);
      const { path, version, passedOver } = await findBackup(fileOf(deps, folder), systemClock.now());
      for (const one of passedOver) tell(deps, `${one} was passed over: ${unreadableWords}`);
      tell(deps, `Restoring from ${path}${ageWords(systemClock.now() - backupTime(path))}.`);
      const erased = audit === undefined ? [] : await readErased(fileOf(deps, audit));
      await using target = await openEmpty(config.storage);
      await using vault = await openVault(config.vault, systemClock);
      // A copy, because it may have to be migrated. The service removes what a killed command leaves there.
      const copy = { kind: "sqlite", file: join(vault.stagingFolder, randomUUID()) } as const;
      try {
        await copyFile(databaseIn(path), copy.file);
        await migrate(copy);
        const moved = await fill(deps, copy, target);
        const from = { read: (key: string) => readFrom(resumesIn(path), key) };
        const { resumes, failed } = await copyAll(deps, copy, from, vault);
        let held = 0;
        for (const text of holding) held += (await target.query(text)).length;
        await target.query("DELETE FROM session");
        const entry = { action: "restore", subject: "", detail: JSON.stringify({ backup: path }) };
        await target.insert({ name: "audit" }, [{ at: systemClock.now(), operator: "command line", ...entry }]);
        const persons = await findErased(target, erased);
        await target.commit();
        const lines = [...persons].map((email) => `${email}\n`);
        await writeAll(lines, deps.output);
        tell(deps, `Restored from ${path} (version ${version}): the database and ${counted(resumes, "resume")}.`);
        const all = moved.reduce((sum, { rows }) => sum + rows, 0);
        tell(deps, `Rows: ${all} (${moved.map(({ name, rows }) => `${name} ${rows}`).join(", ")}).`);
        tell(deps, `Held until mail release: ${held}. Erased since, as far as is known: ${persons.size}.`);
        report(deps, failed);
      } finally {
        for (const end of ["", "-wal", "-shm"]) await rm(copy.file + end, { force: true });
      }
    });
}

const notYet = "of a time that has not come";
const ageWords = (ms: number): string => {
  if (Number.isNaN(ms)) return "";
  return ms < 0 ? `, ${notYet}` : `, ${ageOf(ms)} old`;
};
const unreadableWords = "its backup.json is missing or cannot be read.";

async function copyRows(deps: CommandDeps, from: StoreLocation, to: StoreLocation): Promise<void> {
  await using target = await openEmpty(to, "backup");
  await fill(deps, from, target);
  await target.commit();
}

async function fill(deps: CommandDeps, from: StoreLocation, target: MovableStore) {
  await using source = await openMovable(from, "source");
  using progress = new Progress(deps.messages);
  return await moveRows(source, target, (table, rows) => progress.show(rows, `rows of ${table}`));
}

/** Copies the resumes that a database knows. Answers how many there are then, and those that are not there. */
async function copyAll(deps: CommandDeps, database: StoreLocation, from: Pick<Vault, "read">, to: Vault) {
  await using store = await openStore(database, { access: "read-only" });
  using progress = new Progress(deps.messages);
  const failed: CopiedResume[] = [];
  let resumes = 0;
  for await (const one of progress.count(copyResumes(store, from, to), "resumes")) {
    if (one.result === "copied" || one.result === "there") resumes += 1;
    else failed.push(one);
  }
  return { resumes, failed };
}

/** Without those of persons who were erased since the moment of the backup. */
async function stillThere(storage: Config["storage"], failed: readonly CopiedResume[]): Promise<CopiedResume[]> {
  if (failed.length === 0) return [];
  await using store = await openStore(storage, { access: "read-only" });
  const known = await store.knownResumeKeys(failed.map(({ key }) => key));
  return failed.filter(({ key }) => known.has(key));
}

function report(deps: CommandDeps, failed: readonly CopiedResume[]): void {
  for (const { reference, result } of failed) tell(deps, `${reference}: ${problems[result]}`);
  if (failed.length > 0) throw new CommandFailed(`Not copied: ${counted(failed.length, "resume")}. All else was.`);
}

const problems: Readonly<Partial<Record<CopiedResume["result"], string>>> = {
  missing: "its resume is not where resumes are kept",
  damaged: "its resume is not the one that was uploaded: its checksum is wrong",
  "in-the-way": "another file has the name of its resume there, and was left alone",
};

type ErasedPerson = { readonly references?: readonly string[]; readonly subscribers?: readonly number[] };

/** What the audit log tells of persons who were erased. */
async function readErased(file: string): Promise<ErasedPerson[]> {
  const text = await readFile(file, "utf8");
  if (!text.includes('"action":')) throw new CommandFailed(`${file} is no audit log as NDJSON.`);
  const lines = text.split("\n").filter((line) => line !== "");
  const entries = lines.map((line, at) => {
    const entry = jsonIn(line);
    if (entry === undefined) throw new CommandFailed(`Line ${at + 1} of ${file} is no JSON.`);
    return entry as { action?: string; detail?: ErasedPerson };
  });
  return entries.flatMap(({ action, detail }) => (action === "erase" && detail !== undefined ? [detail] : []));
}

/** The addresses of those of them that a store holds. */
async function findErased(store: MovableStore, erased: readonly ErasedPerson[]): Promise<Set<string>> {
  const persons = new Set<string>();
  const find = async (text: string, values: readonly (string | number)[]) => {
    for (const value of values) for (const { email } of await store.query(text, [value])) persons.add(String(email));
  };
  for (const { references = [], subscribers = [] } of erased) {
    await find("SELECT email FROM submission WHERE reference = $1", references);
    await find("SELECT email FROM subscriber WHERE arrival = $1", subscribers);
  }
  return persons;
}
