// `resume`: the file that came with an application, checked against the checksum of its upload, or a link to it.
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { Config } from "../config/config.ts";
import { findDownload, readDownload, type Download, type NoDownload } from "../desk/resume.ts";
import { kindAndSize } from "../field-values.ts";
import { ifMissing } from "../file-errors.ts";
import { openStore } from "../storage/open-store.ts";
import { openVault } from "../resumes/open-vault.ts";
import { systemClock } from "../clock.ts";
import {
  CommandFailed,
  configOf,
  fileOf,
  record,
  tell,
  type CommandDeps,
  parseApplicationReference,
} from "./command.ts";
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
    .description("Saves the resume of an application. A file that exists is never overwritten.")
    .argument("<reference>", "APP-…", parseApplicationReference)
    .option("--output <file>", "where to, instead of the reference with .pdf, .doc or .docx; - is standard output")
    .option("--url", "print a link to it instead, which anyone can follow for five minutes")
    .addHelpText("after", examples)
    .action(async (reference: string, { output, url }: { output?: string; url?: boolean }, command: Command) => {
      if (output !== undefined && url !== undefined) command.error("error: give either --output or --url");
      const config = configOf(deps);
      const download = await find(config, reference);
      await record(config, { action: "resume.download", subject: reference });
      await using vault = await openVault(config.vault, systemClock);
      if (url === true) {
        const link = await vault.link(download.key, download.filename);
        if (link === null) throw new CommandFailed("There are no links: see RESUME_DOWNLOAD in the configuration.");
        return writeAll([`${link}\n`], deps.output);
      }
      const bytes = readDownload(vault, download);
      if (output === "-") return writeAll(bytes, deps.output);
      const name = output ?? `${reference}.${download.kind}`;
      await writeNewFile(fileOf(deps, name), (temporary) => pipeline(bytes, createWriteStream(temporary)));
      tell(deps, `Saved ${name} (${kindAndSize(download)}).`);
    });
}

async function find(config: Config, reference: string): Promise<Download> {
  await using store = await openStore(config.storage, { access: "read-only" });
  const found = await findDownload(store.desk, reference, config.scanner !== null);
  if (found.result !== "allowed") throw new CommandFailed(whyNot(found.result, reference));
  return found;
}

function whyNot(result: NoDownload["result"], reference: string): string {
  if (result === "absent") return `There is no application ${reference} with a resume.`;
  if (result === "infected") return "The virus scanner found this resume infected.";
  return "The virus scanner has not judged this resume yet. Try again in a moment.";
}

/**
 * Has `write` fill a temporary file next to `file`, readable by its owner only, then syncs it and gives it its name. On
 * failure nothing is left.
 *
 * @throws CommandFailed when `file` exists and was not touched, or when its folder does not exist or may not be written to
 */
async function writeNewFile(file: string, write: (temporary: string) => Promise<void>): Promise<void> {
  await refuseExisting(file);
  const temporary = `${file}.${randomUUID()}.partial`;
  // Made before the writer opens it, so that others can never read its bytes.
  await (await makeIn(dirname(file), temporary)).close();
  try {
    await write(temporary);
    await sync(temporary);
    await refuseExisting(file);
    await rename(temporary, file);
    await sync(dirname(file));
  } finally {
    await rm(temporary, { force: true });
  }
}

const makeIn = (folder: string, temporary: string): Promise<FileHandle> =>
  open(temporary, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new CommandFailed(`There is no folder ${folder}.`);
    if (error.code !== "EACCES" && error.code !== "EROFS") throw error;
    throw new CommandFailed(`Nothing may be written to the folder ${folder}. Name another one. (${error.code})`);
  });

async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch(ifMissing(null));
  if (found !== null) throw new CommandFailed(`${file} already exists.`);
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
