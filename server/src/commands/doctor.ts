// `doctor`: tries what an installation needs, one line each. It changes nothing and sends no mail.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { Command } from "commander";
import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { ageOf } from "../field-values.ts";
import { isSystemError } from "../file-errors.ts";
import { type Arrived, doctorPath, doctorToken } from "../http/health.ts";
import { openMailer, transports } from "../mail/transports.ts";
import { describeError, messageForOperator } from "../observe/describe-error.ts";
import { accessTokens } from "../oauth-tokens.ts";
import { linkAddress } from "../own-address.ts";
import { keepFile } from "../resumes/keep-file.ts";
import { openVault } from "../resumes/open-vault.ts";
import { type ClamdAddress, NoAnswer, NoVerdict, scanFile } from "../resumes/scanning.ts";
import { freeBytesOf } from "../resumes/staging.ts";
import { backupMsMax } from "../storage/desk-store.ts";
import { findDamage, openStore, pendingMigrations } from "../storage/open-store.ts";
import type { Store } from "../storage/store.ts";
import { CommandFailed, configOf, damagedAdvice, type CommandDeps } from "./command.ts";
import { RecordReader } from "./sender-records.ts";
import { writeAll } from "./terminal.ts";

const examples = `
Run it with the settings of the service, while that runs. Lines begin with ok, attention or failed. It ends with 1 when
something failed.

Example:
  npm run --silent submissions -- doctor
`;

type Finding = readonly ["ok" | "attention" | "failed", string];

const gib = 1024 ** 3;
const askMs = 10_000;
/** Of no machine (RFC 5737). Proxies must not let a client claim it. */
const claimed = "203.0.113.99";

export function registerDoctor(program: Command, deps: CommandDeps): void {
  program
    .command("doctor")
    .description("Tries what the service needs: database, resumes, mail, proxy, disk, backups.")
    .addHelpText("after", examples)
    .action(async () => {
      let failed = 0;
      async function* lines(config: Config): AsyncGenerator<string> {
        for await (const [name, find] of examine(config)) {
          const [state, text] = await find().catch((error: unknown): Finding => ["failed", reasonOf(error)]);
          if (state === "failed") failed += 1;
          yield `${state.padEnd(9)}  ${name}: ${text}\n`;
        }
      }
      await writeAll(lines(configOf(deps)), deps.output);
      if (failed > 0) throw new CommandFailed(`Failed: ${failed}.`);
    });
}

/** Each is made when the one before it has ended. */
async function* examine(config: Config): AsyncGenerator<readonly [name: string, find: () => Promise<Finding>]> {
  await using opened = new AsyncDisposableStack();
  let store: Store | null = null;
  yield [
    "database",
    async () => {
      const pending = await pendingMigrations(config.storage);
      if (pending.length > 0)
        return ["failed", `lacks migrations: ${pending.map(({ name }) => name).join(", ")}. Run: migrate`];
      store = opened.use(await openStore(config.storage, { access: "read-only" }));
      const [damage, ...more] = await findDamage(config.storage, "quick_check");
      if (damage !== undefined) return ["failed", `damaged: ${damage} (${more.length} more). ${damagedAdvice}`];
      // Committed, as the readiness probe does: only that meets a full disk.
      await using writing = await openStore(config.storage);
      const { ready, reason } = await writing.checkReadiness();
      if (!ready) return ["failed", `takes no writes: ${reason}`];
      return ["ok", `${config.storage.kind}, with the schema of this version, and takes writes`];
    },
  ];
  const read = async (find: (store: Store) => Promise<Finding>) => {
    if (store === null) throw new CommandFailed("not tried, because the database cannot be read");
    return find(store);
  };
  yield ["resumes", () => checkVault(config)];
  const { scanner } = config;
  if (scanner !== null) yield ["scanner", () => checkScanner(scanner)];
  yield ["mail", () => read(({ messageKey }) => checkMail(config, messageKey))];
  yield ["sender", () => checkSender(config)];
  yield ["bounces", () => checkBounces(config)];
  const { inbound } = config;
  if (inbound !== null) yield ["answers", () => checkAnswers(config, inbound.address)];
  const imap = inbound?.imap;
  if (imap) yield ["imap", () => checkImap(imap)];
  yield ["proxy", () => read(({ identity }) => checkProxy(config, identity))];
  yield ["disk", () => checkDisk(config)];
  yield ["backup", () => read(checkBackup)];
}

function reasonOf(error: unknown): string {
  const { type, code } = describeError(error);
  return messageForOperator(error) ?? (code === undefined ? type : `${type} ${code}`);
}

async function checkVault({ vault: settings }: Config): Promise<Finding> {
  await using vault = await openVault(settings, systemClock);
  const text = randomUUID();
  const { key } = (await keepFile(Readable.from([Buffer.from(text)]), vault, async () => "text"))!;
  const found = await vault.read(key).then(buffer, () => null);
  await vault.discard(key);
  if (found?.toString() !== text) return ["failed", "what was read is not what was written"];
  return ["ok", `written, read and removed (${settings.kind})`];
}

async function checkScanner(clamd: ClamdAddress): Promise<Finding> {
  try {
    await scanFile(clamd, import.meta.filename, askMs);
    return ["ok", "clamd scans"];
  } catch (error) {
    if (!(error instanceof NoAnswer || error instanceof NoVerdict)) throw error;
    return ["failed", `${error.message} Look at CLAMD_ADDRESS`];
  }
}

async function checkMail({ mail, addresses }: Config, key: Store["messageKey"]): Promise<Finding> {
  const { credentials } = transports[mail.kind];
  if (credentials === null) return ["attention", `MAIL_TRANSPORT is ${mail.kind}: mails are files, and none is sent`];
  await using mailer = await openMailer(mail, addresses.from, key);
  const problem = (await mailer.check?.()) ?? null;
  if (problem === null) return ["ok", `${mail.kind} knows us`];
  return ["failed", `${problem}: look at ${credentials}`];
}

async function checkSender(config: Config): Promise<Finding> {
  const { kind } = config.mail;
  if (transports[kind].credentials === null) return ["attention", `not looked at, because MAIL_TRANSPORT is ${kind}`];
  const host = hostOf(config.addresses.from.address);
  const selector = config.dkimSelector ?? (kind === "postmark" ? "pm" : null);
  return withRecords(config, `SPF, DKIM and DMARC of ${host}`, async (records) => {
    const { found, missing } = await records.ofSender(host, selector);
    if (missing.length === 0) return ["ok", `${host} has ${found.join(", ")}`];
    return ["attention", `${host} lacks ${missing.join(", ")}`];
  });
}

const checkAnswers = (config: Config, address: string): Promise<Finding> =>
  withRecords(config, `MX of ${hostOf(address)}`, async (records) => {
    const [server] = await records.mailServers(hostOf(address));
    if (server === undefined) return ["failed", `no server takes mail for ${hostOf(address)}: it has no MX`];
    return ["ok", `${server} takes mail for ${hostOf(address)}`];
  });

async function withRecords(
  { dnsServer }: Config,
  what: string,
  find: (records: RecordReader) => Promise<Finding>,
): Promise<Finding> {
  try {
    return await find(new RecordReader(dnsServer));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return ["attention", `look at ${what} by hand: DNS cannot be asked from here (${error.code})`];
  }
}

const hostOf = (address: string): string => address.replace(/.*@/, "");

async function checkImap(settings: NonNullable<NonNullable<Config["inbound"]>["imap"]>): Promise<Finding> {
  const { imapClient, isRefusal } = await import("../inbound/imap.ts");
  const { host, mailbox, oauth } = settings;
  const client = imapClient(settings, oauth === null ? undefined : await accessTokens(oauth)());
  client.on("error", () => {});
  try {
    await client.connect();
    const { exists } = await client.mailboxOpen(mailbox, { readOnly: true });
    return ["ok", `${host} knows us, and ${mailbox} holds ${exists} mails`];
  } catch (error) {
    if (isRefusal(error)) return ["failed", `${host} refuses us or knows no mailbox ${mailbox}: look at IMAP_URL`];
    throw error;
  } finally {
    client.close();
  }
}

async function checkBounces(config: Config): Promise<Finding> {
  const { mail, postmarkWebhook, inbound } = config;
  if (mail.kind === "smtp" && inbound !== null) return ["ok", `reports of undelivered mails go to ${inbound.address}`];
  if (!transports[mail.kind].reportsBounces)
    return ["attention", `${mail.kind} tells nothing of bounces and complaints`];
  if (postmarkWebhook === null) return ["attention", "POSTMARK_WEBHOOK_AUTH is not set: bounces are not heard of"];
  const { user, password } = postmarkWebhook;
  const { status, answer } = await ask(await linkAddress(config), "/webhooks/postmark", {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${user}:${password}`)}`, "content-type": "application/json" },
    body: JSON.stringify({ RecordType: "Open" }),
  });
  if (answer["result"] !== "ignored")
    return ["failed", `/webhooks/postmark answers its own credentials with ${status}`];
  return ["ok", "/webhooks/postmark takes its credentials; that Postmark has them is to be looked at by hand"];
}

async function checkProxy(config: Config, identity: string): Promise<Finding> {
  const address = await linkAddress(config);
  const headers = { authorization: `Bearer ${doctorToken(identity)}`, "x-forwarded-for": claimed };
  const { status, answer } = await ask(address, doctorPath, { headers });
  const { client, isProxied, forwardedFor } = answer as Partial<Arrived>;
  if (client === undefined) return ["failed", `${address} is not this service: it answers ${status}`];
  if (config.publicUrl === null) return ["attention", `PUBLIC_URL is not set: links lead to ${address}`];
  if (client === claimed) return ["failed", "a client can claim any address: TRUST_PROXY trusts more than the proxies"];
  if (isProxied === false && forwardedFor !== claimed) {
    return ["failed", "all clients count as one, the proxy: set TRUST_PROXY to name it"];
  }
  if (!/^https:|\/\/(?:localhost|127\.|\[::1\])/.test(address)) return ["attention", "PUBLIC_URL is not https"];
  return ["ok", `${config.publicUrl} leads here, and clients count by their own addresses`];
}

async function ask(address: string, path: string, init: RequestInit) {
  const signal = AbortSignal.timeout(askMs);
  const response = await fetch(address + path, { ...init, redirect: "manual", signal }).catch((error: Error) => {
    throw new CommandFailed(`${address} cannot be reached`, { cause: error.cause });
  });
  // What else answers there may be anything.
  const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  return { status: response.status, answer: answer ?? {} };
}

async function checkDisk({ dataFolder }: Config): Promise<Finding> {
  const free = await freeBytesOf(dataFolder);
  const text = `${(free / gib).toFixed(1)} GiB free in DATA_DIR`;
  if (free < gib) return ["failed", `${text}: resumes are refused below 1 GiB`];
  return [free < 3 * gib ? "attention" : "ok", text];
}

async function checkBackup({ desk, clock }: Store): Promise<Finding> {
  const latest = await desk.latestBackup(clock.now());
  if (latest === null) return ["attention", "no whole one was ever made"];
  const age = clock.now() - latest.at;
  const path = join(String(latest.detail["folder"]), latest.subject);
  const isThere = existsSync(path);
  const text = `the newest whole one is ${ageOf(age)} old: ${path}${isThere ? "" : ", which is not there (any more, or from here)"}`;
  return [isThere && age <= backupMsMax ? "ok" : "attention", text];
}
