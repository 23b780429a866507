// The composition root: the one place that knows everything. Builds the service from its configuration, in the order of
// its dependencies, and takes it down in the reverse order.
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { emailKey } from "@submissions/shared/addresses";
import about from "../package.json" with { type: "json" };
import { type Clock, type Stopwatch, systemClock } from "./clock.ts";
import { type Config, publicUrl } from "./config/config.ts";
import { titlesOf } from "./config/catalogue.ts";
import { openConsole, troublesOf } from "./console/console.ts";
import { consoleRoutes } from "./console/routes.ts";
import { startIndexing } from "./desk/indexing.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { Draining } from "./http/gate/draining.ts";
import type { HttpLimits } from "./http/limits.ts";
import { buildHttp } from "./http/server.ts";
import type { Intake } from "./intake/submit.ts";
import { newLinks } from "./intake/subscription.ts";
import { ProofOfWork } from "./intake/proof-of-work.ts";
import type { Receiving } from "./inbound/receive.ts";
import { mailSettingsOf } from "./mail-settings.ts";
import { attachFrom } from "./mail/providers/attach.ts";
import { compileMails } from "./mail/compose.ts";
import { type InboundAddresses, inboundAddresses } from "./mail/inbound-address.ts";
import { namedMail } from "./mail/sealed-number.ts";
import { mailEraser, openMailer, transports } from "./mail/transports.ts";
import { openOutbox } from "./mail/outbox.ts";
import type { OutboxEvents } from "./mail/outcome-writer.ts";
import { messageId } from "./mail/message-id.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import type { Traces } from "./observe/traces.ts";
import { accessTokens } from "./oauth-tokens.ts";
import { loadOptional, SettingUnusable } from "./optional-packages.ts";
import { openVault } from "./resumes/open-vault.ts";
import { freeBytesOf } from "./resumes/staging.ts";
import type { Vault } from "./resumes/vault.ts";
import type { Procedure } from "./rpc/procedure.ts";
import { procedures as usualProcedures } from "./rpc/procedures.ts";
import type { MailKind } from "./storage/records.ts";
import { teamMails } from "./storage/rules/mails.ts";
import { lockStore, openRateLimitStore, openStore } from "./storage/open-store.ts";
import type { Store } from "./storage/store.ts";
import { shareAnswer } from "./share-answer.ts";
import { keepAddress } from "./own-address.ts";
import { startSender } from "./webhooks/sender.ts";

export type App = Awaited<ReturnType<typeof startApp>>;

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock & Stopwatch;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** What both doors offer, unless it is the usual list. */
  readonly procedures?: readonly Procedure[] | undefined;
  /** Where the forms' script and the console were built to, unless it is the usual place. */
  readonly formsFolder?: string | undefined;
  readonly consoleFolder?: string | undefined;
}

// How long callers wait for their mails once closing has begun. Open connections are cut half a second later
// (http/gate/draining.ts).
const callersMsMax = 4_000;
/** The part of the closing time that is kept for the store, and for the last spans where there are traces. */
const storeMs = 500;
const tracesMs = 1_000;
/** How old the troubles may be that open consoles are shown. */
const troublesMs = 10_000;

const builtForms = fileURLToPath(new URL("../../client/dist/forms", import.meta.url));
const builtConsole = fileURLToPath(new URL("../../client/dist/console", import.meta.url));

/** Starts the service: storage, mail, HTTP. Rejects, with everything closed again, when one of them cannot start. */
export async function startApp(options: AppOptions) {
  const { config, log, clock = systemClock, limits, procedures = usualProcedures } = options;
  const { formsFolder = builtForms, consoleFolder = builtConsole } = options;
  let port = config.listen.port;
  await using opened = new AsyncDisposableStack();
  // Taken before the database is opened, and given back last of all.
  opened.use(await lockStore(config.storage));
  let scannerReady: boolean | null = null;
  // What it reads at a scrape is opened below.
  const metrics = createMetrics(
    {
      mailBacklog: () => store.mailBacklog(clock.now()),
      backupAt: async () => (await store.desk.latestBackup(store.clock.now()))?.at ?? null,
      storeTotals: () => store.commitCounts,
      freeBytes: () => freeBytesByPlace(config, vault),
      scannerReady: () => scannerReady,
    },
    () => clock.now(),
  );
  const store = opened.use(
    await openStore(config.storage, { clock, onCommit: metrics.committed, waiting: (message) => log.warn(message) }),
  );
  const vault = opened.use(await openVault(config.vault, clock));
  const inbound = config.inbound && inboundAddresses(config.inbound.address, store.access.cookieKey);
  if (inbound !== null) await refuseOperatorsBelow(inbound, store);
  const teamKeys = Object.values(config.addresses.teams).flat().map(emailKey);
  const returnPath = inbound && ((mailId: string) => inbound.of(namedMail(mailId)));
  const mailer = opened.use(await openMailer(config.mail, config.addresses.from, store.messageKey, returnPath));
  const mailSettings = mailSettingsOf(config);
  const { isDisposable, packageTitles } = mailSettings;
  // Asked for at each mail: with port 0 it is known only once the server listens.
  const baseUrl = () => publicUrl(config, port);
  const traces = config.tracing === null ? null : opened.use(await openTraces(config.tracing, log));
  const compose = compileMails({
    ...mailSettings,
    publicUrl: baseUrl,
    answerTo: inbound && (({ arrival, receivedAt }) => inbound.of({ of: "submission", row: arrival, at: receivedAt })),
    receiptId: (receiptOf) => messageId({ id: "", receiptOf }, config.addresses.from, store.messageKey),
  });
  const outbox = openOutbox({
    store,
    mailer,
    compose,
    attach: attachFrom(vault),
    ...(inbound !== null && { isInbound: inbound.includes }),
    events: outboxEvents(log, metrics, traces),
    deadlineMs: config.mailDeadlineMs,
  });
  // The outbox gets the time that the HTTP side leaves: it waits for mails that were handed over.
  const { closeMsMax: closeMs } = transports[config.mail.kind];
  let closedBy = Number.POSITIVE_INFINITY;
  const afterOutboxMs = storeMs + (traces === null ? 0 : tracesMs);
  opened.defer(() => outbox.stop(Math.min(Math.max(closedBy - performance.now() - afterOutboxMs, storeMs), closeMs)));

  const intake: Intake = {
    clock: store.clock,
    store,
    vault,
    outbox,
    keysInFlight: new Set(),
    keysConfirmed: new Set(),
    proofOfWork: config.proofOfWork === null ? null : new ProofOfWork(config.proofOfWork),
    packageTitles: config.packages && titlesOf(config.packages),
    languages: config.languages,
    openings: config.openings,
    newsletterOptIn: config.newsletterOptIn,
    mailCapped(kind, requestId) {
      metrics.mails.inc({ kind, result: "capped" });
      log.info({ requestId, mailKind: kind, result: "capped" }, "mail not sent");
    },
    failedAfterCommit: (error) => log.error({ err: error }, "failed after the commit; the submission is stored"),
  };
  const rateLimitStore = await openRateLimitStore(config.storage, {
    alone: (error) => log.warn({ err: error }, "shared rate limits unavailable; using local counters"),
    together: () => log.info("shared rate limits available again"),
  });
  if (rateLimitStore !== null) opened.use(rateLimitStore);
  const operators = openConsole({
    ...config,
    store,
    vault,
    eraseMails: mailEraser(config.mail),
    log,
    isDisposable,
    troubles: shareAnswer(async () => {
      const { firstDueAt } = await store.mailBacklog();
      const freeBytes = await Promise.all(Object.values(freeBytesByPlace(config, vault)));
      return troublesOf({ mailPaused: outbox.isPaused, firstDueAt, freeBytes, now: clock.now() });
    }, troublesMs),
    isInbound: inbound === null ? () => false : inbound.includes,
    teamKeys,
    publicUrl: baseUrl,
    packageTitles,
    composeReply: (submission, text, author, quoted) => {
      const reply = { text, author, quoted, followsReceipt: false, followsAnswer: null, files: [] };
      return compose({ kind: `${submission.kind}-reply`, about: { submission, reply } });
    },
    newLinks,
    acted: (action) => metrics.operatorActions.inc({ action }),
  });
  const draining = new Draining();
  const http = await buildHttp({
    ...config,
    procedures,
    intake,
    store,
    vault,
    log,
    metrics,
    traces,
    draining,
    packages: config.knownPackages,
    publicUrl: baseUrl,
    rateLimitStore,
    version: about.version,
    formsFolder,
    limits,
  });
  const { server } = http;
  opened.defer(() => server.close());
  if (config.mode !== "worker") {
    // Each process counts the calls of the console alone: a shared count would cost each call a query.
    const guards = { guard: http.guardOf("console", null), operatorGuard: http.guardOf("operators", null) };
    const routes = { ...http, ...guards, console: operators, folder: consoleFolder, version: about.version };
    await server.register((scope) => consoleRoutes(scope, routes));
  }
  const receiving: Receiving | null = inbound && {
    addresses: inbound,
    authservId: config.inbound?.authservId ?? null,
    teamKeys,
    store,
    vault,
    counted: (result) => metrics.mailsReceived.inc({ result }),
  };
  if (receiving !== null) {
    const { receivedResults } = await import("./inbound/receive.ts");
    for (const result of receivedResults) metrics.mailsReceived.inc({ result }, 0);
  }
  const credentials = config.inbound?.webhook;
  if (credentials && receiving !== null && config.mode !== "worker") {
    const { inboundWebhook } = await import("./inbound/webhook.ts");
    const webhook = { credentials, judgePassword: http.passwords(), receiving };
    await server.register((scope) => inboundWebhook(scope, webhook));
  }
  const hasOperators = config.mode !== "worker" && (await store.access.listOperators()).length > 0;
  // Its first call would keep the event loop for 0.1 s. A service whose console is not used does without the memory.
  if (hasOperators) await import("./console/router.ts");
  // A process for the web sends what it has just stored. Mails that are due belong to the workers.
  outbox.start({ claiming: config.mode !== "web" });
  await server.listen({ host: config.listen.host, port });
  port = (server.server.address() as AddressInfo).port;
  if (config.mode !== "worker") {
    // A full disk keeps no service from starting.
    const unknown = (error: unknown) => log.warn({ err: error }, "commands do not know the address of this service");
    const kept = await keepAddress(config.dataFolder, baseUrl()).catch(unknown);
    if (kept) opened.use(kept);
    if (!hasOperators) {
      log.info("the console has no operator yet: npm run submissions -- operators add YOU@example.org --role admin");
    }
  } else if (config.publicUrl === null) {
    log.warn("links in mails lead to this worker, which serves no page: set PUBLIC_URL");
  }
  if (config.scanner !== null && config.mode !== "web") {
    const { startScanning } = await import("./resumes/scanning.ts");
    const answered = (ready: boolean) => void (scannerReady = ready);
    opened.use(startScanning({ clamd: config.scanner, store, vault, log, answered }));
  }
  if (config.mode !== "web") {
    opened.use(startIndexing({ desk: store.desk, isDisposable, log }));
    if (config.digest !== null) {
      const { startDigests } = await import("./desk/digest.ts");
      opened.use(startDigests({ store, atMinute: config.digest.atMinute, log }));
    }
    if (config.inbound?.imap && receiving !== null) {
      const { startImap } = await import("./inbound/imap.ts");
      const { receiveMail } = await import("./inbound/receive.ts");
      const { oauth, ...settings } = config.inbound.imap;
      for (const result of ["taken", "set-aside", "refused", "broken"]) metrics.imapEvents.inc({ result }, 0);
      const happened = (result: string) => metrics.imapEvents.inc({ result });
      const take = (mail: Parameters<typeof receiveMail>[0]) => receiveMail(mail, receiving);
      const accessToken = oauth && accessTokens(oauth);
      opened.use(startImap({ settings, store, take, log, happened, accessToken }));
    }
    // Prometheus sees no increase in a series that begins with its first event.
    for (const result of ["delivered", "later", "failed"]) metrics.webhookTries.inc({ result }, 0);
    const tried = (result: string) => metrics.webhookTries.inc({ result });
    opened.use(startSender({ store, targets: config.webhookTargets, publicUrl: baseUrl, log, tried }));
  }
  const { retentionWaits } = metrics;
  opened.use(startHousekeeping({ ...config, vault, store, rateLimitStore, log, retentionWaits }));

  const resources = opened.move();
  let closing: Promise<void> | undefined;
  /** From now on the service says that it is not ready. Callers that have not heard of it are served. */
  const drain = () => {
    draining.started = true;
    outbox.stopClaiming();
  };
  /** From now on it takes nothing new either. It goes on listening, so that callers get an answer. */
  const refuseNew = () => {
    drain();
    draining.refusing = true;
  };
  /** Finishes what is under way and stops, within `closeMs`; nothing acknowledged is lost. */
  const close = (): Promise<void> => {
    refuseNew();
    setTimeout(() => outbox.callers.end(), callersMsMax).unref();
    closedBy = Math.min(closedBy, performance.now() + closeMs);
    return (closing ??= resources.disposeAsync());
  };
  /** Where it listens: `http://127.0.0.1:3000`. */
  const address = publicUrl({ ...config, publicUrl: null }, port);
  return { address, drain, refuseNew, close, closeMs, [Symbol.asyncDispose]: close };
}

/** @throws SettingUnusable when an operator has an address that mails come in by */
async function refuseOperatorsBelow(inbound: InboundAddresses, { access }: Store): Promise<void> {
  const operators = await access.listOperators();
  if (!operators.some(({ email }) => inbound.includes(email))) return;
  const message = "must not be the address of an operator (operators list).";
  throw new SettingUnusable({ name: "INBOUND_ADDRESS", message });
}

/** @throws SettingUnusable when OpenTelemetry's packages are not installed */
async function openTraces(settings: NonNullable<Config["tracing"]>, log: Log): Promise<Traces> {
  const load = () => import("./observe/traces.ts");
  const { startTraces } = await loadOptional(load, "OTEL_EXPORTER_OTLP_ENDPOINT", "@opentelemetry");
  return startTraces({ ...settings, version: about.version, flushMs: tracesMs, log });
}

/** The disks that fill up: that of uploads under way and local resumes, and that of a local database. */
const freeBytesByPlace = ({ storage }: Config, { stagingFolder }: Vault) => ({
  uploads: freeBytesOf(stagingFolder),
  ...(storage.kind === "sqlite" && { database: freeBytesOf(dirname(storage.file)) }),
});

function outboxEvents(log: Log, metrics: Metrics, traces: Traces | null): OutboxEvents {
  const results = { sent: "taken", failed: "refused", later: "later", "in-doubt": "in-doubt" } as const;
  for (const kind of teamMails) for (const result of ["refused", "missed"]) metrics.mails.inc({ kind, result }, 0);
  const levelOf = (kind: MailKind, failed: boolean) => (failed && teamMails.includes(kind) ? "error" : "warn");
  return {
    settled(kind, result, { id, requestId, error }) {
      metrics.mails.inc({ kind, result: results[result] });
      traces?.mailSettled(id, result);
      const facts = { ...(requestId !== null && { requestId }), mailId: id, mailKind: kind, result };
      if (result === "sent") log.info(facts, "mail sent");
      else log[levelOf(kind, result === "failed")]({ ...facts, ...(error ? { code: error } : {}) }, "mail not sent");
    },
    missed(kind, { id, error }) {
      metrics.mails.inc({ kind, result: "missed" });
      const facts = { mailId: id, mailKind: kind, code: error };
      log[levelOf(kind, true)](facts, "mail accepted for some recipients only");
    },
    paused(reason) {
      metrics.mailSenderPaused.set(1);
      log.error({ code: reason }, "no mail is sent until the provider takes a probe");
    },
    resumed() {
      metrics.mailSenderPaused.set(0);
      log.info("mail is sent again");
    },
    failed: (error) => log.error({ err: error }, "the outbox failed and will try again"),
  };
}
