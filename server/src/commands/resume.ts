// `resume`: the file that came with a submission, checked against the checksum of its upload, or a link to it.
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { findDownload, type Download } from "../desk/detail.ts";
import { readChecked } from "../resumes/vault.ts";
import { kindAndSize } from "../field-values.ts";
import { ifMissing, isSystemError } from "../file-errors.ts";
import { syncFolder } from "../resumes/staging.ts";
import { wholeScope } from "../storage/desk-store.ts";
import { openStore } from "../storage/open-store.ts";
import { openShelf } from "../resumes/open-vault.ts";
import { systemClock } from "../clock.ts";
import { CommandFailed, configOf, fileOf, parsePath, parseReferenceWithFile, record, tell } from "./command.ts";
import type { CommandDeps } from "./command.ts";
import { writeAll } from "./terminal.ts";

const examples = `
Resumes come from strangers: open them as you would an attachment.

Examples:
  npm run submissions -- resume APP-20261121-907715                  as APP-20261121-907715.pdf
  npm run submissions -- resume APP-20261121-907715 --output ana.pdf
  npm run --silent submissions -- resume APP-20261121-907715 --output - | pdftotext - -
  npm run --silent submissions -- resume APP-20261121-907715 --url
`;

export function registerResume(program: Command, deps: CommandDeps): void {
  program
    .command("resume")
    .description("Saves the resume of a submission. A file that exists is never overwritten.")
    .argument("<reference>", "APP-…", parseReferenceWithFile)
    .option(
      "--output <file>",
      "where to, instead of the reference with .pdf, .doc or .docx; - is standard output",
      parsePath,
    )
    .option("--url", "print a link to it instead, which anyone can follow for five minutes")
    .addHelpText("after", examples)
    .action(async (reference: string, { output, url }: { output?: string; url?: boolean }, command: Command) => {
      if (output !== undefined && url !== undefined) command.error("error: give either --output or --url");
      const config = configOf(deps);
      const download = await find(config, reference);
      await record(deps, config.storage, { action: "resume.download", subject: reference });
      await using vault = await openShelf(config.vault, systemClock);
      if (url === true) {
        const link = await vault.link(download.key, download.filename);
        if (link === null) throw new CommandFailed("There are no links: see RESUME_DOWNLOAD in the configuration.");
        return writeAll([`${link}\n`], deps.output);
      }
      const bytes = readChecked(vault, download);
      if (output === "-") return writeAll(bytes, deps.output);
      const name = output ?? `${reference}.${download.kind}`;
      await writeNewFile(fileOf(deps, name), bytes);
      tell(deps, `Saved ${name} (${kindAndSize(download)}).`);
    });
}

async function find(config: Config, reference: string): Promise<Download> {
  await using store = await openStore(config.storage, { access: "read-only" });
  const found = await findDownload(store.desk, wholeScope, reference, config.scanner !== null);
  if (found.result === "allowed") return found;
  if (found.result === "absent") throw new CommandFailed(`There is no submission ${reference} with a resume.`);
  if (found.result === "infected") throw new CommandFailed("The virus scanner found this resume infected.");
  throw new CommandFailed("The virus scanner has not judged this resume yet. Try again in a moment.");
}

/** Writes a file that only its owner can read, and names it once it is whole. On failure nothing is left. */
async function writeNewFile(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const folder = dirname(file);
  const temporary = `${file}.${randomUUID()}.partial`;
  await refuseExisting(file);
  try {
    await pipeline(bytes, createWriteStream(temporary, { flags: "wx", mode: 0o600, flush: true }));
    await refuseExisting(file);
    await rename(temporary, file);
    await syncFolder(folder);
  } catch (error) {
    // Only errors of the file that is written are told here; those of the file that is read pass.
    if (!isSystemError(error) || error.path !== temporary) throw error;
    if (error.code === "ENOENT") throw new CommandFailed(`There is no folder ${folder}.`);
    if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
    throw new CommandFailed(`Nothing may be written to the folder ${folder}. Name another one. (${error.code})`);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing(null));
  if (found !== null) throw new CommandFailed(`${file} already exists.`);
}
