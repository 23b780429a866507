// The composition root: the one place that knows everything. Builds the service from its configuration, in the order of
// its dependencies, and takes it down in the reverse order.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { systemClock, type Clock } from "./clock.ts";
import { publicUrl, type Config } from "./config/config.ts";
import type { Deps } from "./deps.ts";
import { Draining } from "./http/gate/draining.ts";
import { startHousekeeping } from "./housekeeping.ts";
import type { OverloadLimits } from "./http/gate/overload.ts";
import { buildHttp } from "./http/server.ts";
import { disposableHosts } from "./intake/disposable.ts";
import { KeysInFlight } from "./intake/keys-in-flight.ts";
import { ProofOfWork } from "./intake/proof-of-work.ts";
import { mailSettings } from "./mail-settings.ts";
import { openMailer } from "./mail/open-mailer.ts";
import type { OutboxEvents } from "./mail/delivery.ts";
import { Outbox } from "./mail/outbox.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { openVault } from "./resumes/open-vault.ts";
import { startScanning } from "./resumes/scanning.ts";
import { lockStore, openCallCounts, openStore } from "./storage/open-store.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

/** A running service. */
export interface App extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:3000`. */
  readonly address: string;
  /** From now on the service says that it is not ready. Whoever has not heard of it is served. */
  drain(): void;
  /** From now on it takes nothing new either; it goes on listening, so that callers are told. */
  refuse(): void;
  /** Finishes what is under way and stops; nothing acknowledged is lost. */
  close(): Promise<void>;
}

interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  readonly clock?: Clock;
  /** What the process carries at once, unless it is the usual. */
  readonly overloadLimits?: OverloadLimits | undefined;
  /** Where the forms' script was built to, unless it is the usual place. */
  readonly formsFolder?: string | undefined;
}

const builtForms = fileURLToPath(new URL("../../client/dist/forms", import.meta.url));

/** Starts the service: storage, mail, HTTP. Rejects, with everything closed again, when one of them cannot start. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, clock = systemClock, overloadLimits, formsFolder = builtForms } = options;
  await using opened = new AsyncDisposableStack();
  const metrics = createMetrics(() => clock.now());
  // Before anything of the database is so much as checked, and given back last of all.
  opened.use(await lockStore(config.storage));
  const store = opened.use(await openStore(config.storage));
  const vault = opened.use(await openVault(config.vault, clock));
  const mailer = opened.use(await openMailer(config.mail, config.addresses.from));
  const outbox = opened.use(
    new Outbox({
      store,
      mailer,
      clock,
      events: outboxEvents(log, metrics),
      deadlineMs: config.mailDeadlineMs,
    }),
  );
  metrics.attach({ mailBacklog: () => store.mailBacklog(), storeTotals: () => store.commitCounts });

  let port = config.listen.port;
  const deps: Deps = {
    clock,
    store,
    vault,
    outbox,
    keysInFlight: new KeysInFlight(),
    proofOfWork: config.proofOfWork === null ? null : new ProofOfWork(config.proofOfWork),
    isDisposable: disposableHosts(config.disposableDomains),
    mailCapped: (kind) => metrics.mails.inc({ kind, result: "capped" }),
    newsletterOptIn: config.newsletterOptIn,
    mail: mailSettings(config, () => port),
  };
  const draining = new Draining();
  const { corsOrigins, postmarkWebhook: webhook } = config;
  const { rateLimit, trustedProxy } = config;
  const callCounts = openCallCounts(config.storage, {
    alone: (error) => log.warn({ err: error }, "callers are counted by this process alone"),
    together: () => log.info("callers are counted together again"),
  });
  if (callCounts !== null) opened.use(callCounts);
  const gate = { rateLimit, callCounts, trustedProxy, overloadLimits, doors: config.mode !== "worker" };
  const http = await buildHttp({ deps, log, metrics, draining, corsOrigins, webhook, version, formsFolder, ...gate });
  opened.defer(() => http.close());
  // A process for the web sends what it has just stored, as long as somebody waits for it; all that is due is others'.
  outbox.start({ claiming: config.mode !== "web" });
  if (config.scanner !== null && config.mode !== "web")
    opened.use(startScanning({ clamd: config.scanner, store, vault, log }));
  opened.use(startHousekeeping({ vault, store, callCounts, clock, log }));
  await http.listen({ host: config.listen.host, port });
  port = portOf(http);

  const resources = opened.move();
  let closing: Promise<void> | undefined;
  const drain = () => {
    draining.start();
    outbox.stopClaiming();
  };
  const refuse = () => {
    drain();
    draining.refuse();
  };
  const close = () => {
    refuse();
    return (closing ??= resources.disposeAsync());
  };
  return {
    address: publicUrl({ ...config, publicUrl: null }, port),
    drain,
    refuse,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function portOf(http: FastifyInstance): number {
  const address = http.server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  return address.port;
}

function outboxEvents(log: Log, metrics: Metrics): OutboxEvents {
  const results = { sent: "taken", failed: "refused", later: "later" } as const;
  return {
    settled(kind, result, { id, error }) {
      metrics.mails.inc({ kind, result: results[result] });
      if (result === "sent") log.debug({ mailId: id, mailKind: kind, result }, "mail sent");
      else log.warn({ mailId: id, mailKind: kind, result, ...(error ? { code: error } : {}) }, "mail not sent");
    },
    paused(reason) {
      metrics.mailSenderPaused.set(1);
      log.error({ code: reason }, "mail is kept back until the provider takes a probe");
    },
    resumed() {
      metrics.mailSenderPaused.set(0);
      log.info("mail is sent again");
    },
    stumbled: (error) => log.error({ err: error }, "the outbox stumbled and will try again"),
  };
}
