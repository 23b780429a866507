// Fetches answers from a mailbox over IMAP. It is opened for reading only: no mail is marked as seen, moved or deleted. One
// process reads, from the position that the store keeps. A mail counts as read once it was taken, so that one that a crash
// interrupts is fetched again; taking it twice makes one answer.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ImapFlow } from "imapflow";
import { dayMs } from "../clock.ts";
import type { AccessTokens } from "../oauth-tokens.ts";
import type { Log } from "../observe/log.ts";
import { repeatedly } from "../repeatedly.ts";
import type { MailboxPosition } from "../storage/inbound-store.ts";
import type { Store } from "../storage/store.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import type { InboundMail } from "./inbound-mail.ts";
import { readMail } from "./read-mail.ts";
import { setAside } from "./receive.ts";

export interface ImapSettings {
  readonly host: string;
  readonly port: number;
  /** Whether TLS comes first. Otherwise STARTTLS does, but for servers on this machine, which may do without. */
  readonly secure: boolean;
  readonly user: string;
  readonly password: string;
  readonly mailbox: string;
  readonly rejectUnauthorized: boolean;
}

/** `taken`: a mail. `set-aside`: one that could not be fetched or stored. `refused`: the server does not let us in. `broken`: the connection, or the store. */
export type ImapEvent = "taken" | "set-aside" | "refused" | "broken";

export interface ImapOptions {
  readonly settings: ImapSettings;
  readonly store: Pick<Store, "mailboxes" | "inbound" | "clock">;
  /** Resolves once the mail is stored. */
  readonly take: (mail: InboundMail) => Promise<unknown>;
  readonly log: Log;
  readonly happened: (event: ImapEvent) => void;
  /** Asked for at each connection; null: the password is enough. */
  readonly accessToken?: AccessTokens | null;
  readonly waits?: Partial<typeof usualWaits>;
}

const usualWaits = {
  /** How often it is asked for new mails, beside what the server tells on its own (IDLE). */
  pollMs: 60_000,
  leaseMs: 3 * 60_000,
  retryMs: 1_000,
  retryMsMax: 5 * 60_000,
  /** A mail that cannot be fetched is tried for so long, unless the next one can be: the server may hand out none at all. */
  unfetchedMs: 60 * 60_000,
};
/** Of larger ones the beginning is read, which has their headers. */
const mailBytesMax = 50 * 1024 * 1024;
const beginningBytes = 64 * 1024;
/** So often a mail is tried that cannot be fetched, or not stored although the store works: the last time its beginning. */
const triesMax = 8;
const silenceMs = 2 * 60_000;
/** A stop settles the mails that were handed over only after this. A mail that is not taken by then is fetched again. */
const closeMsMax = 2_000;

/** Begins to fetch. Disposing waits a moment for the mail that is being taken, and gives the mailbox back. */
export function startImap(options: ImapOptions): AsyncDisposable {
  const { log, happened } = options;
  const reading = readingOf(options);
  const { waits } = reading;
  let retryMs = waits.retryMs;
  // A token may be revoked before its end.
  let renew = false;
  const fetching = repeatedly(async (signal) => {
    try {
      const wasOurs = await readMailbox({ ...reading, signal, renew }, () => (retryMs = waits.retryMs));
      return wasOurs ? 0 : waits.pollMs;
    } catch (error) {
      if (signal.aborted) return 0;
      const refused = isRefusal(error);
      renew = refused;
      happened(refused ? "refused" : "broken");
      if (refused) log.error({ err: error }, "the mailbox of answers lets nothing in: look at IMAP_URL");
      else log.warn({ err: error }, "answers cannot be fetched now");
      const restMs = retryMs * (0.5 + Math.random() / 2);
      retryMs = Math.min(2 * retryMs, waits.retryMsMax);
      return restMs;
    }
  });
  return {
    [Symbol.asyncDispose]: () =>
      Promise.race([fetching[Symbol.asyncDispose](), sleep(closeMsMax, undefined, { ref: false })]),
  };
}

/** Whether a server, or who gives its tokens, refuses our credentials or does not know the mailbox. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ["authenticationFailed", "mailboxMissing", "isConfiguration"].some((mark) => Reflect.get(error, mark) === true);

/** A connection that is not open yet. */
export function imapClient({ host, port, secure, user, password, rejectUnauthorized }: ImapSettings, token?: string) {
  const isHere = /^(?:localhost|127\.[\d.]+|::1|\[::1\])$/.test(host);
  return new ImapFlow({
    host,
    port,
    secure,
    ...(!secure && !isHere && { doSTARTTLS: true }),
    auth: token === undefined ? { user, pass: password } : { user, accessToken: token },
    tls: { rejectUnauthorized },
    // Its lines quote addresses.
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: 20_000,
    greetingTimeout: 20_000,
    socketTimeout: silenceMs,
    maxLiteralSize: mailBytesMax + beginningBytes,
    maxResponseSize: 2 * mailBytesMax,
  });
}

type Reading = ReturnType<typeof readingOf> & { readonly signal: AbortSignal; readonly renew: boolean };

function readingOf(options: ImapOptions) {
  const { store, settings } = options;
  const waits = { ...usualWaits, ...options.waits };
  const mailbox = `${settings.user}@${settings.host}/${settings.mailbox}`;
  const owner = randomUUID();
  /** Null: another process has the mailbox. */
  const lease = () => {
    const now = store.clock.now();
    return store.mailboxes.lease(mailbox, owner, now, now + waits.leaseMs);
  };
  /** The mail that could not be taken last, how often, since when, and whether it could be fetched. */
  const failing = { uid: 0, tries: 0, since: 0, isFetched: false };
  return { ...options, waits, mailbox, owner, lease, failing };
}

/** Reads until it is stopped. Answers false at once when another process has the mailbox. */
async function readMailbox(reading: Reading, worked: () => void): Promise<boolean> {
  const { store, mailbox, owner, lease, waits, settings, signal, accessToken } = reading;
  if ((await lease()) === null) return false;
  const client = imapClient(settings, await accessToken?.(reading.renew));
  // Each call that waits rejects as well.
  client.on("error", () => {});
  // A server that is silent for minutes must not keep the service from stopping.
  const leave = () => client.close();
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    await client.mailboxOpen(settings.mailbox, { readOnly: true });
    while (!signal.aborted) {
      const leased = await lease();
      if (leased === null) return false;
      const news = newsOf(client, waits.pollMs, signal);
      await takeNew(reading, client, leased.position);
      worked();
      await news();
    }
    return true;
  } finally {
    signal.removeEventListener("abort", leave);
    client.close();
    // A store that cannot be reached lets the lease end by itself.
    await store.mailboxes.release(mailbox, owner).catch(() => {});
  }
}

/** Notices new mails from now on. Calling it waits for one, for the next poll or for the end. */
function newsOf(client: ImapFlow, pollMs: number, stopping: AbortSignal): () => Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stopping]);
  const told = Promise.race([once(client, "exists", { signal }), once(client, "close", { signal })]).catch(() => {});
  return async () => {
    // Ends at the next command, or with the connection.
    void client.idle().catch(() => {});
    await Promise.race([told, sleep(pollMs, undefined, { signal }).catch(() => {})]);
    over.abort();
  };
}

async function takeNew(reading: Reading, client: ImapFlow, position: MailboxPosition | null): Promise<void> {
  const { store, mailbox, owner, signal } = reading;
  const opened = client.mailbox;
  if (opened === false) throw new Error("The mailbox is not open.");
  const uidValidity = Number(opened.uidValidity);
  if (!uidValidity || (position === null && !opened.uidNext)) {
    throw new Error("The server told no UIDVALIDITY or no UIDNEXT.");
  }
  const advance = (uid: number, takenAt: number) =>
    store.mailboxes.advance(mailbox, owner, { uidValidity, uid, takenAt });
  // What is there before the first start are no answers to us.
  if (position === null) return void (await advance(opened.uidNext - 1, store.clock.now()));
  const uids = await newUids(client, position, uidValidity, store.clock.now());
  for (const [at, uid] of uids.entries()) {
    if (signal.aborted) return;
    if ((await reading.lease()) === null) return;
    const isLast = await isLastTry(reading, client, uid, uids[at + 1]);
    const arrivedAt = await takeMail(reading, client, { uid, uidValidity, isLast });
    if (!(await advance(uid, arrivedAt ?? store.clock.now()))) return;
  }
}

/** Answers when the mail came in, by the clock of the server. */
async function takeMail(
  reading: Reading,
  client: ImapFlow,
  { uid, uidValidity, isLast }: Pick<MailboxPosition, "uid" | "uidValidity"> & { readonly isLast: boolean },
) {
  const { store, take, happened, log, signal } = reading;
  let fetched: Awaited<ReturnType<typeof fetchMail>> = null;
  try {
    fetched = await fetchMail(client, uid, isLast);
    // Another program may have deleted it by now.
    if (fetched === null) return undefined;
    await take(await readMail(fetched.raw));
    happened("taken");
  } catch (error) {
    if (signal.aborted || !(await countFailure(reading, uid, error, fetched !== null)) || !isLast) throw error;
    const headers = fetched?.raw ?? Buffer.from(`Subject: Mail ${uid} of the mailbox (UIDVALIDITY ${uidValidity})`);
    await setAside(headers, store.clock.now(), store.inbound);
    happened("set-aside");
    log.error({ err: error }, `mail ${uid} of the mailbox cannot be taken: it is set aside among the unmatched mails`);
  }
  return fetched?.arrivedAt;
}

/** Whether a mail has failed so often that those behind it wait for one more try only. */
async function isLastTry({ failing, store, waits }: Reading, client: ImapFlow, uid: number, next: number | undefined) {
  const { tries, since, isFetched } = failing;
  if (failing.uid !== uid || tries < triesMax - 1) return false;
  if (isFetched || store.clock.elapsed() - since >= waits.unfetchedMs) return true;
  // A server that hands out the next one is not at fault.
  return next !== undefined && (await fetchMail(client, next, true)) !== null;
}

/** Counts a failed try of a mail. False: it does not count, because the store or the vault failed. */
async function countFailure(reading: Reading, uid: number, error: unknown, isFetched: boolean): Promise<boolean> {
  const { lease, failing, store } = reading;
  if (error instanceof VaultUnavailable || (await lease()) === null) return false;
  if (failing.uid !== uid) Object.assign(failing, { uid, tries: 0, since: store.clock.elapsed() });
  failing.tries += 1;
  failing.isFetched = isFetched;
  return true;
}

/**
 * In their order. Where the server has numbered its mails anew, those since the day before the last one that was taken: by
 * the clock of the server, because ours may be ahead.
 */
async function newUids(
  client: ImapFlow,
  { uid, takenAt, ...of }: MailboxPosition,
  uidValidity: number,
  now: number,
): Promise<number[]> {
  const isSame = of.uidValidity === uidValidity;
  const query = isSame ? { uid: `${uid + 1}:*` } : { since: new Date(Math.min(takenAt, now) - dayMs) };
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new Error("The server refused to search.");
  // `*` is the last mail, although its number may be smaller.
  return found.filter((each) => !isSame || each > uid).toSorted((a, b) => a - b);
}

async function fetchMail(client: ImapFlow, uid: number, beginning: boolean) {
  const about = await client.fetchOne(String(uid), { size: true, internalDate: true }, { uid: true });
  if (about === false) return null;
  const source = beginning || (about.size ?? 0) > mailBytesMax ? { maxLength: beginningBytes } : true;
  const fetched = await client.fetchOne(String(uid), { source }, { uid: true });
  // One that was deleted in between is not there the next time.
  if (fetched === false || fetched.source === undefined || fetched.source.length === 0) {
    throw new Error("The server told of the mail and sent none of it.");
  }
  const arrivedAt = new Date(about.internalDate ?? NaN).getTime();
  return { raw: fetched.source, ...(!Number.isNaN(arrivedAt) && { arrivedAt }) };
}
