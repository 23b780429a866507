// `export`: all records of a kind, or everything that is known of a person, streamed to standard output.
import { Argument, Option, type Command } from "commander";
import { allRows, exportFormats, exportRecords, exportSubjects, personLine, textsOf } from "../desk/export.ts";
import type { ExportFormat, ExportSubject } from "../desk/export.ts";
import type { Config } from "../config/config.ts";
import { counted } from "../field-values.ts";
import { wholeScope } from "../storage/desk-store.ts";
import { openStore } from "../storage/open-store.ts";
import type { ReadFrom } from "../storage/store.ts";
import { CommandFailed, configOf, damagedAdvice, record, type CommandDeps } from "./command.ts";
import { parseEmail, parseNumber, parseSince } from "./command.ts";
import { refusePassedOver } from "./passed-over.ts";
import { Progress, writeAll } from "./terminal.ts";

const examples = `
Every row has an ascending number, arrival. A reader that passes the last number it has seen as --after misses no row,
also not one that was received before --since and stored late.

Examples:
  npm run --silent submissions -- export inquiries > inquiries.csv
  npm run --silent submissions -- export applications --format ndjson --since 2026-11-01 | jq .email
  npm run --silent submissions -- export inquiries --format ndjson --after 1042
  npm run --silent submissions -- export person ana@example.org > ana.ndjson
`;

type Options = Omit<ReadFrom, "passOver"> & { readonly format: ExportFormat };

export function registerExport(program: Command, deps: CommandDeps): void {
  program
    .command("export")
    .description(
      "Writes all submissions of a kind, subscribers or entries of the audit log to standard output, in their order, or everything that is known of a person, as NDJSON.",
    )
    .addArgument(new Argument("<what>", "of what").choices([...exportSubjects, "person"]))
    .addArgument(new Argument("[email]", "of the person").argParser(parseEmail))
    .addOption(new Option("--format <format>", "of the output").choices(exportFormats).default("csv"))
    .option("--since <date>", "only from this day (UTC) or instant on", parseSince)
    .option("--after <number>", "only those behind this number of arrival", parseNumber(0, Number.MAX_SAFE_INTEGER))
    .addHelpText("after", examples)
    .action(async (what: ExportSubject | "person", email: string | undefined, options: Options, command: Command) => {
      if (what === "person") {
        if (email === undefined) return command.error("error: export person needs the address of the person");
        const isGiven = (name: keyof Options) => command.getOptionValueSource(name) === "cli";
        if (isGiven("since") || isGiven("after") || (options.format !== "ndjson" && isGiven("format"))) {
          return command.error("error: export person writes everything, as NDJSON");
        }
        return writePerson(deps, configOf(deps), email);
      }
      if (email !== undefined) return command.error(`error: export ${what} takes no address`);
      return writeRecords(deps, configOf(deps), what, options);
    });
}

async function writeRecords(deps: CommandDeps, config: Config, subject: ExportSubject, { format, ...from }: Options) {
  // Loaded late: its list of hosts is long.
  const { disposableHosts } = await import("../mail/disposable.ts");
  await using store = await openStore(config.storage, { access: "read-only" });
  await record(deps, config.storage, { action: "export", subject, detail: { format, ...from } });
  const isDisposable = disposableHosts(config.disposableDomains);
  let unread = 0;
  const rows = allRows(store, subject, { ...from, passOver: () => (unread += 1) });
  const pieces = exportRecords(rows, { subject, format, isDisposable });
  const noun = subject === "audit" ? "entries" : subject;
  using progress = new Progress(deps.messages);
  await writeAll(textsOf(progress.count(pieces, noun, ({ records }) => records)), deps.output);
  if (unread > 0) throw new CommandFailed(`Could not be read: ${counted(unread, "row")} or fewer. ${damagedAdvice}`);
}

async function writePerson(deps: CommandDeps, config: Config, email: string): Promise<void> {
  await using store = await openStore(config.storage, { access: "read-only" });
  await record(deps, config.storage, { action: "export", subject: "person" });
  using progress = new Progress(deps.messages);
  const until = store.clock.now();
  async function* lines(): AsyncGenerator<string> {
    const known = new Set<string>();
    for await (const fact of progress.count(store.desk.readPerson(wholeScope, email), "facts")) {
      if (fact.kind === "submission") known.add(fact.submission.reference);
      if (fact.kind === "subscription") known.add(fact.kind);
      yield personLine(fact);
    }
    await refusePassedOver(deps, store, { email, until, known }, "Not written");
  }
  await writeAll(lines(), deps.output);
}
