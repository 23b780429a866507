// `export`: all records of a kind, streamed to standard output.
import { Argument, Option, type Command } from "commander";
import { exportFormats, exportLines, exportSubjects, type ExportFormat, type ExportSubject } from "../desk/export.ts";
import { parseNumber, parseSince } from "./arguments.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { inPieces, Progress, writeAll } from "./terminal.ts";

const examples = `
Every row has an ascending number, arrival. A reader that passes the last number it has seen as --after misses no row,
also not one that was received before --since and stored late.

Examples:
  npm run --silent submissions -- export inquiries > inquiries.csv
  npm run --silent submissions -- export applications --format ndjson --since 2026-11-01 | jq .email
  npm run --silent submissions -- export inquiries --format ndjson --after 1042
`;

interface Options {
  readonly format: ExportFormat;
  readonly since?: number;
  readonly after?: number;
}

export function registerExport(program: Command, deps: CommandDeps): void {
  program
    .command("export")
    .summary("write inquiries, subscribers or applications to standard output")
    .description("Writes all inquiries, subscribers or applications to standard output, in the order of their arrival.")
    .addArgument(new Argument("<what>").choices(exportSubjects))
    .addOption(new Option("--format <format>", "of the output").choices(exportFormats).default("csv"))
    .option("--since <date>", "only from this day (UTC) or instant on", parseSince)
    .option("--after <number>", "only those behind this number of arrival", parseNumber(0, Number.MAX_SAFE_INTEGER))
    .addHelpText("after", examples)
    .action(async (subject: ExportSubject, { format, ...from }: Options) => {
      const config = configOf(deps);
      // Loaded late: its list of hosts is long.
      const { disposableHosts } = await import("../mail/disposable.ts");
      await using store = await deps.openStore(config, "read-only");
      const isDisposable = disposableHosts(config.disposableDomains);
      const lines = exportLines(store, { subject, format, from, isDisposable });
      using progress = new Progress(deps.messages);
      await writeAll(inPieces(progress.count(lines, subject)), deps.output);
    });
}
