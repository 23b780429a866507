// `copy`: moves everything that the configured store holds into an empty one, and the resumes too if asked for. The old
// store and the old resumes are left as they are.
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { path, postgresUrl, s3Address, type Kind } from "../config/kinds.ts";
import { copyResumes, type CopiedResume } from "../desk/copy-resumes.ts";
import { moveStore, type MovedRows } from "../storage/move.ts";
import { lockStore, openStore } from "../storage/open-store.ts";
import { openVault } from "../resumes/open-vault.ts";
import { systemClock } from "../clock.ts";
import { CommandFailed, configOf, fileOf, tell, type CommandDeps } from "./command.ts";
import { formatTable, Progress, writeAll } from "./terminal.ts";

const examples = `
Stop the service first. It must not run while its store is moved, and the old store must not be served again afterwards.
The new store must be empty. All rows are moved in one transaction, and compared with the old ones before it is committed;
when the command is interrupted, the new store is still empty. Resumes are copied one by one; those that are there already
are left alone. The output is, for every table, the number of its rows and their digest, which both stores share.

Leave the password out of --to and put it into PGPASSWORD, so that neither npm nor the list of processes shows it. A
bucket is reached by S3_ENDPOINT and S3_REGION, as the service would; a folder is to become DATA_DIR/resumes.

Examples:
  npm run submissions -- copy --to postgres://submissions@db.example.org/submissions
  npm run submissions -- copy --to postgres://submissions@db.example.org/submissions --resumes-to s3://bucket/prefix
  npm run submissions -- copy --to sqlite:/srv/submissions/submissions.sqlite --resumes-to /srv/submissions/resumes
`;

export function registerCopy(program: Command, deps: CommandDeps): void {
  program
    .command("copy")
    .description("Copies everything that the configured store holds into an empty one, and compares the two.")
    // Read by the action: a value that commander refuses is quoted, with its password.
    .option("--to <store>", "postgres://… or sqlite:FILE")
    .option("--resumes-to <place>", "also copy the resumes: s3://bucket/prefix or a folder")
    .addHelpText("after", examples)
    .action(async ({ to, resumesTo }: { to?: string; resumesTo?: string }, command: Command) => {
      const refuse = (reason: string) => command.error(`error: ${reason}`);
      if (to === undefined && resumesTo === undefined) refuse("give --to, --resumes-to, or both");
      const storage = to === undefined ? null : readStore(deps, to, refuse);
      const config = configOf(deps);
      const vault = resumesTo === undefined ? null : readPlace(deps, resumesTo, refuse);
      if (storage !== null && placeOfStore(storage) === placeOfStore(config.storage)) {
        refuse("--to is the store that is to be copied");
      }

      if (storage !== null) await copyRows(deps, config, { ...config, storage });
      if (vault !== null) await copyVault(deps, config, { ...config, vault });
      tell(deps, nextSteps(config, storage, vault));
    });
}

type Refuse = (reason: string) => never;

function readStore(deps: CommandDeps, text: string, refuse: Refuse): Config["storage"] {
  const name = /^sqlite:(?<file>.+)$/.exec(text)?.groups?.["file"];
  if (name !== undefined) return { kind: "sqlite", file: read(path, fileOf(deps, name), "--to", refuse) };
  if (!/^postgres(?:ql)?:/.test(text)) refuse("--to must be postgres://user@host:port/database or sqlite:FILE.");
  return { kind: "postgres", url: read(postgresUrl, text, "--to", refuse), replicaUrl: null, poolMax: 1 };
}

function readPlace(deps: CommandDeps, text: string, refuse: Refuse): Config["vault"] {
  if (!text.startsWith("s3:")) return { kind: "disk", folder: read(path, fileOf(deps, text), "--resumes-to", refuse) };
  read(s3Address, text, "--resumes-to", refuse);
  return configOf({ environment: { ...deps.environment, RESUME_STORE: text } }).vault;
}

function read<T>(kind: Kind<T>, text: string, option: string, refuse: Refuse): T {
  const { success, data, error } = kind.safeParse(text);
  return success ? data : refuse(`${option} ${error.issues[0]?.message}`);
}

/** Where a store is, whatever credentials it is reached with. */
function placeOfStore(storage: Config["storage"]): string {
  if (storage.kind === "sqlite") return storage.file;
  const { host, pathname, searchParams } = new URL(storage.url);
  return `${searchParams.get("host") ?? host}${pathname}`;
}

async function copyRows(deps: CommandDeps, from: Config, to: Config): Promise<void> {
  const tables = await moveRows(deps, from, to);
  const rows = tables.map(({ name, rows: count, sha256 }) => [name, String(count), sha256]);
  await writeAll([formatTable([["TABLE", "ROWS", "SHA-256"], ...rows], deps.output)], deps.output);
}

async function moveRows(deps: CommandDeps, from: Config, to: Config): Promise<readonly MovedRows[]> {
  using progress = new Progress(deps.messages);
  return await moveStore(from.storage, to.storage, (table, rows) => progress.show(rows, `rows of ${table}`));
}

async function copyVault(deps: CommandDeps, from: Config, to: Config): Promise<void> {
  const { storage } = from;
  // A replica may lack the latest applications.
  const primary = storage.kind === "postgres" ? { ...storage, replicaUrl: null } : storage;
  await using store = await openStore(primary, { access: "read-only" });
  // No resume may come in meanwhile.
  using _lock = await lockStore(storage);
  await using oldVault = await openVault(from.vault, systemClock);
  await using newVault = await openVault(to.vault, systemClock);
  using progress = new Progress(deps.messages);
  const counts = { copied: 0, there: 0, missing: 0, damaged: 0, "in-the-way": 0 };
  for await (const { reference, result } of progress.count(copyResumes(store, oldVault, newVault), "resumes")) {
    counts[result] += 1;
    const problem = problems[result];
    if (problem !== undefined) tell(deps, `${reference}: ${problem}`);
  }
  const before = counts.there === 0 ? "" : `, ${counts.there} were there already`;
  tell(deps, `resumes: ${counts.copied} copied${before}`);
  const failed = counts.missing + counts.damaged + counts["in-the-way"];
  if (failed === 0) return;
  throw new CommandFailed(`${failed === 1 ? "1 resume was" : `${failed} resumes were`} not copied; the others were.`);
}

const problems: Readonly<Partial<Record<CopiedResume["result"], string>>> = {
  missing: "its resume is not where resumes are kept",
  damaged: "its resume is not the one that was uploaded: its checksum is wrong",
  "in-the-way": "another file has the name of its resume there, and was left alone",
};

/** What remains to be done by hand. Does not repeat the address of a database: it may hold a password. */
function nextSteps(config: Config, storage: Config["storage"] | null, vault: Config["vault"] | null): string {
  const steps: string[] = [];
  if (storage?.kind === "postgres") steps.push("Set DATABASE_URL to the address given as --to.");
  if (storage?.kind === "sqlite") {
    steps.push(`Put ${storage.file} into DATA_DIR as submissions.sqlite, and unset DATABASE_URL.`);
  }
  if (vault?.kind === "s3") steps.push(`Set RESUME_STORE to ${placeOf(vault)}.`);
  if (vault?.kind === "disk") steps.push(`Put ${vault.folder} into DATA_DIR as resumes, and unset RESUME_STORE.`);
  if (vault === null) steps.push(`Resumes stay in ${placeOf(config.vault)}: the service must find them there.`);
  const again = storage === null ? "." : ", and never again on the old store: it would send its waiting mails again.";
  steps.push(`Start the service${again}`);
  return ["Everything is copied, and the same on both sides. Next:", ...steps.map((step) => `- ${step}`)].join("\n");
}

const placeOf = (vault: Config["vault"]): string =>
  vault.kind === "s3" ? `s3://${vault.bucket}/${vault.prefix}`.replace(/\/$/, "") : vault.folder;
