// `mail list`: what waits in the outbox, what was sent, what failed and why.
import { Option, type Command } from "commander";
import type { MailStatus, StoredMail } from "../storage/records.ts";
import { parseCount } from "./arguments.ts";
import { configOf, type CommandDeps } from "./command.ts";
import { formatTable, forTerminal, writeAll } from "./output.ts";

/** A list for people; whoever wants more than this wants a database. */
const mailsMax = 1000;
const statuses = ["queued", "sent", "failed"] as const satisfies readonly MailStatus[];

const examples = `
Examples:
  npm run submissions -- mail list --status failed
  npm run --silent submissions -- mail list --status queued --limit 1000 | wc -l
`;

/** @param mail the `mail` command, under which this one stands */
export function registerMailList(mail: Command, deps: CommandDeps): void {
  mail
    .command("list")
    .summary("list mails, newest first")
    .description("Lists mails, newest first, with the reason of the last try that did not succeed.")
    .addOption(new Option("--status <status>", "only mails that are").choices(statuses))
    .option("--limit <number>", "at most this many", parseCount(mailsMax), 50)
    .addHelpText("after", examples)
    .action(async (options: { status?: MailStatus; limit: number }) => {
      await using store = await deps.openStore(configOf(deps), "read-only");
      const table = formatTable([header, ...(await store.listMails(options)).map(row)]);
      await writeAll([table], deps.output);
    });
}

const header = ["ID", "STATUS", "KIND", "REFERENCE", "TO", "TRIES", "CREATED", "DUE OR SENT", "LAST ERROR"];

function row(mail: StoredMail): string[] {
  return [
    mail.id,
    mail.status,
    mail.kind,
    mail.reference ?? "-",
    mail.to.join(","),
    String(mail.attempts),
    toSecond(mail.createdAt),
    toSecond(mail.sentAt ?? mail.dueAt),
    mail.lastError ?? "-",
  ].map(forTerminal);
}

const toSecond = (epochMs: number | null): string =>
  epochMs === null ? "-" : `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
