// `copy`: moves house. Everything that the configured store holds goes to another one, and the resumes too if asked for;
// the old house is left as it is.
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { path, postgresUrl, s3Address } from "../config/variables.ts";
import { copyResumes } from "../desk/copy-resumes.ts";
import { beginCopy, resumesOf } from "../storage/copy-store.ts";
import type { RowArchive } from "../storage/row-archive.ts";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";
import { formatTable, writeAll } from "./output.ts";
import { withProgress } from "./progress.ts";

const examples = `
Stop the service first; it must not run while its store is moved, and the old store must not be served again afterwards.
The new store must be empty. When the command was interrupted, run it again: it goes on where it ended. At the end it
writes, for every table, the number of rows and a digest of them on both sides.

Of --to, leave out the password and put it into PGPASSWORD, so that neither npm nor the list of processes shows it. A
bucket is reached by S3_ENDPOINT and S3_REGION, as the service would; a folder is one to become DATA_DIR/resumes.

Examples:
  npm run submissions -- copy --to postgres://submissions@db.example.org/submissions
  npm run submissions -- copy --to postgres://submissions@db.example.org/submissions --resumes-to s3://bucket/prefix
  npm run submissions -- copy --to sqlite:/srv/submissions/submissions.sqlite --resumes-to /srv/submissions/resumes
`;

interface Options {
  readonly to?: string;
  readonly resumesTo?: string;
}

export function registerCopy(program: Command, deps: CommandDeps): void {
  program
    .command("copy")
    .summary("move everything to another store")
    .description("Copies everything that the configured store holds to another one, and compares the two.")
    // Read by the action, because a value that is refused as an option is quoted, password and all.
    .option("--to <store>", "postgres://… or sqlite:FILE")
    .option("--resumes-to <place>", "also copy the resumes: s3://bucket/prefix or a folder")
    .addHelpText("after", examples)
    .action(async ({ to, resumesTo }: Options, command: Command) => {
      const refuse = (reason: string) => command.error(`error: ${reason}`);
      if (to === undefined && resumesTo === undefined) refuse("give --to, --resumes-to, or both");
      const storage = to === undefined ? null : readStore(to, refuse);
      const config = configOf(deps);
      const vault = resumesTo === undefined ? null : readPlace(deps, resumesTo, refuse);
      if (storage !== null && sameFile(storage, config.storage)) refuse("--to is the store that is to be copied");

      await using source = await deps.openArchive(config, "source");
      if (storage !== null) await copyRows(deps, source, { ...config, storage });
      if (vault !== null) await copyVault(deps, source, config, { ...config, vault });
      tell(deps, nextSteps(config, storage, vault));
    });
}

type Refuse = (reason: string) => never;

function readStore(text: string, refuse: Refuse): Config["storage"] {
  const file = /^sqlite:(?<file>.+)$/.exec(text)?.groups?.["file"];
  if (file !== undefined) return { kind: "sqlite", file: path.parse(file) };
  if (!/^postgres(?:ql)?:/.test(text)) refuse("--to must be postgres://user@host:port/database or sqlite:FILE.");
  const url = postgresUrl.safeParse(text);
  if (!url.success) return refuse(`--to ${url.error.issues[0]?.message}`);
  return { kind: "postgres", url: url.data, replicaUrl: null, poolMax: 1 };
}

function readPlace(deps: CommandDeps, text: string, refuse: Refuse): Config["vault"] {
  if (!text.startsWith("s3:")) return { kind: "disk", folder: path.parse(text) };
  const address = s3Address.safeParse(text);
  if (!address.success) refuse(`--resumes-to ${address.error.issues[0]?.message}`);
  return configOf({ environment: { ...deps.environment, RESUME_STORE: text } }).vault;
}

const sameFile = (one: Config["storage"], other: Config["storage"]): boolean =>
  one.kind === "sqlite" && other.kind === "sqlite" && one.file === other.file;

async function copyRows(deps: CommandDeps, source: RowArchive, config: Config): Promise<void> {
  await using target = await deps.openArchive(config, "target");
  const copies = await beginCopy(source, target);
  for (const { table, alreadyThere, rest } of copies) {
    let copied = 0;
    for await (const _row of withProgress(rest(), `rows of ${table}`, deps.messages)) copied += 1;
    const before = alreadyThere === 0 ? "" : `, ${alreadyThere} were there already`;
    tell(deps, `${table}: ${copied} copied${before}`);
  }
  const report = [["TABLE", "SIDE", "ROWS", "SHA-256"]];
  const differing: string[] = [];
  for (const copy of copies) {
    const { source: ours, target: theirs } = await copy.compare();
    report.push([copy.table, "source", String(ours.rows), ours.sha256]);
    report.push([copy.table, "target", String(theirs.rows), theirs.sha256]);
    if (ours.rows !== theirs.rows || ours.sha256 !== theirs.sha256) differing.push(copy.table);
  }
  await writeAll([formatTable(report)], deps.output);
  if (differing.length === 0) return;
  throw new CommandFailed(
    `The copy is not what the source is, in ${differing.join(", ")}. Do not start a service on it.`,
  );
}

async function copyVault(deps: CommandDeps, source: RowArchive, from: Config, to: Config): Promise<void> {
  await using oldVault = await deps.openVault(from);
  await using newVault = await deps.openVault(to);
  const counts = { copied: 0, there: 0, missing: 0, damaged: 0, "in-the-way": 0 };
  const resumes = copyResumes(resumesOf(source), oldVault, newVault);
  for await (const { reference, result } of withProgress(resumes, "resumes", deps.messages)) {
    counts[result] += 1;
    const wrong = wrongs[result];
    if (wrong !== undefined) tell(deps, `${reference}: ${wrong}`);
  }
  const before = counts.there === 0 ? "" : `, ${counts.there} were there already`;
  tell(deps, `resumes: ${counts.copied} copied${before}`);
  const failed = counts.missing + counts.damaged + counts["in-the-way"];
  if (failed === 0) return;
  throw new CommandFailed(
    `${failed === 1 ? "1 resume was" : `${failed} resumes were`} not copied. Everything else was.`,
  );
}

const wrongs: Readonly<Record<string, string>> = {
  missing: "its resume is not where resumes are kept",
  damaged: "its resume is not the one that was uploaded: its checksum is wrong",
  "in-the-way": "another file has the name of its resume there, and was left alone",
};

/** What remains to be done by hand. The address of a database stays out of it: it may hold a password. */
function nextSteps(config: Config, storage: Config["storage"] | null, vault: Config["vault"] | null): string {
  const steps: string[] = [];
  if (storage?.kind === "postgres") steps.push("Set DATABASE_URL to the address given as --to.");
  if (storage?.kind === "sqlite") {
    steps.push(`Have ${storage.file} as submissions.sqlite in DATA_DIR, and unset DATABASE_URL.`);
  }
  if (vault?.kind === "s3") steps.push(`Set RESUME_STORE to ${placeOf(vault)}.`);
  if (vault?.kind === "disk") steps.push(`Have ${vault.folder} as resumes in DATA_DIR, and unset RESUME_STORE.`);
  if (vault === null)
    steps.push(`Resumes stay where they are, ${placeOf(config.vault)}: the service must find them there.`);
  const again =
    storage === null ? "." : ", and never again on the old store: it would send what waits there a second time.";
  steps.push(`Start the service${again}`);
  return ["Everything is copied, and the same on both sides. Next:", ...steps.map((step) => `- ${step}`)].join("\n");
}

const placeOf = (vault: Config["vault"]): string =>
  vault.kind === "s3" ? `s3://${vault.bucket}/${vault.prefix}`.replace(/\/$/, "") : vault.folder;
