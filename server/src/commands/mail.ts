// `mail list`, `mail retry` and `mail release`: what waits in the outbox, what was sent, what failed and why; and `release`,
// which lets the mails of spam be sent. The service sends them, not these commands: one sender is enough.
import { mailStatuses } from "@submissions/shared/console";
import { Option, type Command } from "commander";
import { listMails, release, retryMails, wakeMail } from "../desk/mails.ts";
import { counted } from "../field-values.ts";
import { type Actor, type DeskStore, wholeScope } from "../storage/desk-store.ts";
import { openStore } from "../storage/open-store.ts";
import type { MailStatus, StoredMail } from "../storage/records.ts";
import { CommandFailed, commandLine, configOf, openExisting, parseNumber, parseReference, tell } from "./command.ts";
import type { CommandDeps } from "./command.ts";
import { registerMailPreview } from "./mail-preview.ts";
import { type Columns, toSecond, writeList } from "./terminal.ts";

/** A list for people. Longer ones need the database's own tools. */
const mailsMax = 1000;
const stopped = ["failed", "in-doubt"] as const satisfies readonly MailStatus[];

const listExamples = `
A mail in doubt may have been sent: its server broke off while it had the mail, more than once, and cannot be asked.

Examples:
  npm run submissions -- mail list --status failed
  npm run --silent submissions -- mail list --status queued --limit 1000 --json | jq length
`;

type RetryOptions = { readonly status?: (typeof stopped)[number]; readonly now?: boolean };

const retryExamples = `
The running service sends them within seconds; otherwise they are sent when it is started.

Examples:
  npm run submissions -- mail retry                      all failed mails
  npm run submissions -- mail retry 17-mhzk2a8f          one mail, by its id in mail list
  npm run submissions -- mail retry --status in-doubt    all mails in doubt; some may then arrive twice
`;

const heldExamples = `
What was queued in a backup may have been sent after it was made. Look at it first: mail list --status queued. What is
released goes out within seconds; with Postmark after half a minute, because it is asked twice whether it has the mail. A
decline goes out at its time.

Examples:
  npm run submissions -- mail release                    all held mails and deliveries to webhooks
  npm run submissions -- mail release 17-mhzk2a8f        one, by its id in mail list or webhooks log
`;

const releaseExamples = `
The running service sends the mails within seconds; otherwise they are sent when it is started.

Examples:
  npm run submissions -- release INQ-20261121-042137
  npm run --silent submissions -- export inquiries --format ndjson | jq -r 'select(.status == "spam").inquiryId'
`;

export function registerMail(program: Command, deps: CommandDeps): void {
  const mail = program.command("mail").description("Looks after the outbox.");
  mail
    .command("list")
    .description("Lists mails, newest first, with the reason of the last try that failed.")
    .addOption(new Option("--status <status>", "only mails that are").choices(mailStatuses))
    .option("--limit <number>", "at most this many", parseNumber(1, mailsMax), 50)
    .option("--json", "one JSON array instead of a table")
    .addHelpText("after", listExamples)
    .action(async ({ json = false, ...options }: { status?: MailStatus; limit: number; json?: boolean }) => {
      await using store = await openStore(configOf(deps).storage, { access: "read-only" });
      const items = await listMails(store.desk, options);
      const noun = options.status === undefined ? "mails" : `mails are ${options.status}`;
      await writeList(deps, { items, columns, noun }, json);
    });
  mail
    .command("retry")
    .description("Makes all failed mails due now, or one mail that was not sent. A sent mail is never sent again.")
    .argument("[id]", "of one mail, from mail list")
    .addOption(new Option("--status <status>", "all mails that are (default: failed)").choices(stopped))
    .option("--now", "with an id: even a decline that waits for its time")
    .addHelpText("after", retryExamples)
    .action(async (id: string | undefined, { status, now }: RetryOptions, command: Command) => {
      if (id !== undefined && status !== undefined) command.error("error: give either an id or --status");
      if (id === undefined && now) command.error("error: --now needs an id");
      await using store = await openExisting(configOf(deps).storage);
      const actor = commandLine(store);
      if (id !== undefined) await retryOne(store.desk, id, actor, now);
      const count = id === undefined ? await retryMails(store.desk, status ?? "failed", actor) : 1;
      tell(deps, `${counted(count, "mail is", "mails are")} due now.`);
    });
  mail
    .command("release")
    .description("Makes the mails and deliveries to webhooks due now that a restored store holds back.")
    .argument("[id]", "only this mail or delivery")
    .addHelpText("after", heldExamples)
    .action(async (id: string | undefined) => {
      await using store = await openExisting(configOf(deps).storage);
      const released = await store.releaseHeld(id ?? null, commandLine(store));
      if (id !== undefined && released === 0) throw new CommandFailed("Nothing with this id is held.");
      tell(deps, `Released: ${released}.`);
    });
  registerMailPreview(mail, deps);
}

export function registerRelease(program: Command, deps: CommandDeps): void {
  program
    .command("release")
    .description("Makes a submission that was kept as spam a new one, and has its receipt and its notice sent.")
    .argument("<reference>", "INQ-… or APP-…", parseReference)
    .addHelpText("after", releaseExamples)
    .action(async (reference: string) => {
      await using store = await openExisting(configOf(deps).storage);
      const actor = commandLine(store);
      const result = await release(store.desk, wholeScope, reference, actor);
      if (result === "unknown") throw new CommandFailed(`There is no submission ${reference}.`);
      if (result === "not-spam") throw new CommandFailed(`${reference} is not spam.`);
      const stored = (await store.desk.findDetail(wholeScope, reference))?.mails ?? [];
      const due = stored.filter((mail) => mail.createdAt === actor.at).length;
      tell(deps, `${reference} is released; ${counted(due, "mail is", "mails are")} due now.`);
    });
}

async function retryOne(desk: DeskStore, id: string, actor: Actor, early?: boolean): Promise<void> {
  const result = await wakeMail(desk, id, actor, early);
  if (result === "due") return;
  if (result === "waits") throw new CommandFailed("This mail declines, and waits for its time. To send it now: --now.");
  if (result === "suppressed") throw new CommandFailed("The address of this mail is suppressed.");
  if (result === "capped") throw new CommandFailed("The address of this mail has had 3 such mails within 24 hours.");
  throw new CommandFailed("No mail with this id waits or has failed.");
}

const columns: Columns<StoredMail> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  KIND: ({ kind }) => kind,
  REFERENCE: ({ reference }) => reference ?? "-",
  SUBMITTER: ({ email }) => email ?? "-",
  TRIES: ({ attempts }) => attempts,
  CREATED: ({ createdAt }) => toSecond(createdAt),
  "DUE OR SENT": ({ sentAt, dueAt }) => toSecond(sentAt ?? dueAt),
  "LAST ERROR": ({ lastError }) => lastError ?? "-",
};
