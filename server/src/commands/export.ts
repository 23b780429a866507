// `export`: everything of a kind, streamed to standard output.
import { Argument, Option, type Command } from "commander";
import { exportFormats, exportLines, exportSubjects, type ExportFormat, type ExportSubject } from "../desk/export.ts";
import { parseSince } from "./arguments.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { inChunks, writeAll } from "./output.ts";
import { withProgress } from "./progress.ts";

const examples = `
Examples:
  npm run --silent submissions -- export inquiries > inquiries.csv
  npm run --silent submissions -- export applications --format ndjson --since 2026-11-01 | jq .email
`;

export function registerExport(program: Command, deps: CommandDeps): void {
  program
    .command("export")
    .summary("write inquiries, subscribers or applications to standard output")
    .description("Writes all inquiries, subscribers or applications to standard output, oldest first.")
    .addArgument(new Argument("<what>").choices(exportSubjects))
    .addOption(new Option("--format <format>", "of the output").choices(exportFormats).default("csv"))
    .option("--since <date>", "only from this day (UTC) or instant on", parseSince)
    .addHelpText("after", examples)
    .action(async (subject: ExportSubject, options: { format: ExportFormat; since?: number }) => {
      await using store = await deps.openStore(configOf(deps), "read-only");
      const lines = exportLines(store, subject, options.format, options.since ?? 0);
      await writeAll(inChunks(withProgress(lines, subject, deps.messages)), deps.output);
    });
}
