// `resume`: the file that came with an application, checked against the checksum of its upload.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { writeNewFile } from "../storage/new-file.ts";
import { parseApplicationReference } from "./arguments.ts";
import { CommandFailed, configOf, tell, type CommandDeps } from "./command.ts";
import { writeAll } from "./output.ts";

const examples = `
Resumes come from strangers: open them as you would an attachment.

Examples:
  npm run submissions -- resume APP-20261121-907715 --output resume.pdf
  npm run --silent submissions -- resume APP-20261121-907715 --output - | pdftotext - -
`;

export function registerResume(program: Command, deps: CommandDeps): void {
  program
    .command("resume")
    .summary("save the resume of an application")
    .description("Saves the resume of an application. A file that exists is never overwritten.")
    .argument("<reference>", "APP-…", parseApplicationReference)
    .requiredOption("--output <file>", "where to; - is standard output")
    .addHelpText("after", examples)
    .action(async (reference: string, { output }: { output: string }) => {
      const config = configOf(deps);
      await using store = await deps.openStore(config, "read-only");
      const resume = await store.findResume(reference);
      if (resume === null) throw new CommandFailed(`There is no application ${reference} with a resume.`);
      // Without a scanner nothing is ever judged, and whoever downloads has been told so.
      if (resume.scan === "infected") throw new CommandFailed("The virus scanner found this resume infected.");
      if (config.scanner !== null && resume.scan === "unscanned") {
        throw new CommandFailed("The virus scanner has not judged this resume yet. Try again in a moment.");
      }
      await using vault = await deps.openVault(config);
      const bytes = checked(await vault.read(resume.key), resume.sha256);
      if (output === "-") return writeAll(bytes, deps.output);
      await writeNewFile(output, (temporary) => pipeline(bytes, createWriteStream(temporary)));
      tell(deps, `Saved ${resume.size.toLocaleString("en")} bytes (${resume.kind}) to ${output}.`);
    });
}

/** Passes bytes on, and fails at their end when they are not those that were uploaded. */
async function* checked(source: Readable, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== sha256) {
    throw new CommandFailed("The stored file differs from what was uploaded: its checksum is wrong.");
  }
}
