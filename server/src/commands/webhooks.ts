// `webhooks`: who is told of what comes in, and what became of it. The service sends, not these commands.
import { webhookEvents, type DeliveryRow, type WebhookEvent, type WebhookRow } from "@submissions/shared/console";
import { InvalidArgumentError, Option, type Command } from "commander";
import { counted } from "../field-values.ts";
import { addWebhook, problemOfUrl, rotateSecret } from "../webhooks/target.ts";
import { openStore } from "../storage/open-store.ts";
import { secretOverlapMs } from "../storage/webhook-store.ts";
import { CommandFailed, commandLine, configOf, openExisting, tell, tellIfMade } from "./command.ts";
import { type CommandDeps, parseNumber } from "./command.ts";
import { type Columns, toSecond, writeAll, writeList } from "./terminal.ts";

const examples = `
The last line of add and of rotate is the secret that the receiver verifies deliveries with. It is shown only then. After
rotate, deliveries are signed with both secrets for 24 hours: give the receiver the new one meanwhile.

Examples:
  npm run submissions -- webhooks add https://crm.example.org/hook --event inquiry.received --event application.received
  npm run submissions -- webhooks list
  npm run submissions -- webhooks log 1
  npm run submissions -- webhooks replay msg_17-mhzk2a8f    one delivery, by its id in webhooks log
  npm run submissions -- webhooks replay --failed 1         all failed deliveries of a webhook
`;

const parseId = parseNumber(1, Number.MAX_SAFE_INTEGER);

export function registerWebhooks(program: Command, deps: CommandDeps): void {
  const webhooks = program
    .command("webhooks")
    .description("Adds, lists and removes webhooks, and looks after their deliveries.")
    .addHelpText("after", examples);
  registerRegistry(webhooks, deps);
  registerDeliveries(webhooks, deps);
}

function registerRegistry(webhooks: Command, deps: CommandDeps): void {
  webhooks
    .command("add")
    .description("Adds a webhook and prints its secret.")
    // Read by the action: a value that commander refuses is quoted, with what is secret in it.
    .argument("<url>", "an https address")
    .addOption(
      new Option("--event <event>", "only of this one; may be repeated (default: all)")
        .choices(webhookEvents)
        .argParser(addEvent),
    )
    .action(async (url: string, { event = [] }: { event?: readonly WebhookEvent[] }, command: Command) => {
      const config = configOf(deps);
      const problem = problemOfUrl(url, config.webhookTargets);
      if (problem !== null) command.error(`error: the address ${problem}`);
      tellIfMade(deps, config.storage);
      await using store = await openStore(config.storage);
      const added = await addWebhook(store.webhooks, { url, events: event }, commandLine(store));
      if (added === "too-many") throw new CommandFailed("There are too many webhooks: remove one first.");
      tell(deps, `Webhook ${added.id} is added. Its secret is shown only now:`);
      await writeAll([`${added.secret}\n`], deps.output);
    });
  webhooks
    .command("list")
    .description("Lists webhooks and what they are told of.")
    .option("--json", "one JSON array instead of a table")
    .action(async ({ json = false }: { json?: boolean }) => {
      await using store = await openStore(configOf(deps).storage, { access: "read-only" });
      const items = await store.webhooks.list();
      await writeList(deps, { items, columns: webhookColumns, noun: "webhooks" }, json);
    });
  webhooks
    .command("remove")
    .description("Removes a webhook. Its deliveries are forgotten within the hour.")
    .argument("<webhook>", "to be removed; its number in webhooks list", parseId)
    .action(async (id: number) => {
      await using store = await openExisting(configOf(deps).storage);
      if (!(await store.webhooks.change(id, { removed: true }, commandLine(store)))) throw unknown(id);
      tell(deps, `Webhook ${id} is removed.`);
    });
  webhooks
    .command("rotate")
    .description("Draws a new secret and prints it. For 24 hours deliveries are signed with the old one, too.")
    .argument("<webhook>", "whose secret is replaced; its number in webhooks list", parseId)
    .action(async (id: number) => {
      await using store = await openExisting(configOf(deps).storage);
      const actor = commandLine(store);
      const secret = await rotateSecret(store.webhooks, id, actor);
      if (secret === null) throw unknown(id);
      tell(deps, `The old secret of webhook ${id} works until ${toSecond(actor.at + secretOverlapMs)}. The new one:`);
      await writeAll([`${secret}\n`], deps.output);
    });
}

function registerDeliveries(webhooks: Command, deps: CommandDeps): void {
  webhooks
    .command("log")
    .description("Lists deliveries, newest first, with the answer to the last try.")
    .argument("[webhook]", "only of this one", parseId)
    .option("--limit <number>", "at most this many", parseNumber(1, 100), 50)
    .option("--json", "one JSON array instead of a table")
    .action(async (id: number | undefined, { limit, json = false }: { limit: number; json?: boolean }) => {
      await using store = await openStore(configOf(deps).storage, { access: "read-only" });
      if (id !== undefined && !(await store.webhooks.list()).some((webhook) => webhook.id === id)) throw unknown(id);
      const { rows: items } = await store.webhooks.listDeliveries(id ?? null, { limit });
      await writeList(deps, { items, columns: deliveryColumns, noun: "deliveries" }, json);
    });
  webhooks
    .command("replay")
    .description("Sends a delivery again under its id, whatever became of it, or all failed ones of a webhook.")
    .argument("[delivery]", "its id in webhooks log")
    .option("--failed <webhook>", "all failed deliveries of this webhook", parseId)
    .action(async (id: string | undefined, { failed }: { failed?: number }, command: Command) => {
      if ((id === undefined) === (failed === undefined)) command.error("error: give either a delivery or --failed");
      await using store = await openExisting(configOf(deps).storage);
      const actor = commandLine(store);
      const which = failed === undefined ? { delivery: id ?? "" } : { failedOf: failed };
      const replayed = await store.webhooks.replay(which, actor);
      if (replayed === null) {
        throw failed === undefined ? new CommandFailed("There is no delivery with this id.") : unknown(failed);
      }
      tell(deps, `${counted(replayed, "delivery is", "deliveries are")} due now.`);
    });
}

function addEvent(text: string, before: readonly WebhookEvent[] = []): readonly WebhookEvent[] {
  const event = webhookEvents.find((one) => one === text);
  if (event === undefined) throw new InvalidArgumentError(`Write one of ${webhookEvents.join(", ")}.`);
  return [...before, event];
}

const unknown = (id: number) => new CommandFailed(`There is no webhook ${id}.`);

const webhookColumns: Columns<WebhookRow> = {
  WEBHOOK: ({ id }) => id,
  ADDED: ({ createdAt }) => toSecond(createdAt),
  URL: ({ url }) => url,
  EVENTS: ({ events }) => events.join(" "),
};

const deliveryColumns: Columns<DeliveryRow> = {
  ID: ({ id }) => id,
  WEBHOOK: ({ webhook }) => webhook,
  EVENT: ({ event }) => event,
  REFERENCE: ({ reference }) => reference ?? "-",
  STATUS: ({ status }) => status,
  TRIES: ({ attempts }) => attempts,
  HAPPENED: ({ createdAt }) => toSecond(createdAt),
  "DUE OR ENDED": ({ endedAt, dueAt }) => toSecond(endedAt ?? dueAt),
  "LAST ANSWER": ({ lastAnswer }) => lastAnswer ?? "-",
};
