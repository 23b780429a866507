// Senders on a real store, without HTTP around them: for what needs two of them, or one that stops in the middle.
import { randomUUID } from "node:crypto";
import type { Mailer, MailOutcome, OutgoingMail } from "../../server/src/mail/mailer.ts";
import { Outbox } from "../../server/src/mail/outbox.ts";
import { openPostmarkMailer } from "../../server/src/mail/providers/postmark.ts";
import type { MailSettlement, NewMail, StoredMail } from "../../server/src/storage/records.ts";
import type { Lease, Store } from "../../server/src/storage/store.ts";
import { inquiry, mail } from "../contract/records.ts";
import { openSqliteUnderTest, type SqliteUnderTest } from "../contract/sqlite-under-test.ts";
import { MovableClock } from "../support/movable-clock.ts";
import { PostmarkStandIn } from "../support/postmark-stand-in.ts";
import { count } from "./mail-service.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

interface SenderOptions {
  readonly mailer?: Mailer;
  readonly store?: Store;
  readonly stopMs?: number;
}

/** A sender and what it told of itself. */
interface Sender {
  readonly outbox: Outbox;
  readonly settled: { readonly id: string; readonly result: MailSettlement["result"] }[];
  readonly stumbled: unknown[];
  /** Why it paused, and that it went on. */
  readonly pauses: string[];
}

export interface OutboxUnderTest extends AsyncDisposable {
  readonly sqlite: SqliteUnderTest;
  readonly store: Store;
  readonly postmark: PostmarkStandIn;
  readonly clock: MovableClock;
  /** Opens a sender, by default to the stand-in of Postmark. It looks for due mails once it is started. */
  openSender(options?: SenderOptions): Sender;
  /** Stores mails, one to each of `reader0`, `reader1` and so on, a millisecond apart in age. */
  storeMails(number: number, lease?: Lease): Promise<NewMail[]>;
  /** The same, of a process that has stopped in good order: due now, and certainly not sent. */
  storeDueMails(number: number): Promise<NewMail[]>;
  /** The only mail, or the newest. */
  newest(): Promise<StoredMail>;
  /** The ids of the mails that Postmark took, in order. */
  taken(): string[];
  /** How often Postmark was asked for mails, and how often it was handed some. */
  searches(): number;
  sends(): number;
}

export async function openOutboxUnderTest(): Promise<OutboxUnderTest> {
  await using opened = new AsyncDisposableStack();
  const sqlite = opened.use(await openSqliteUnderTest());
  const postmark = opened.use(await PostmarkStandIn.open());
  const clock = new MovableClock();
  const senders = opened.use(new AsyncDisposableStack());
  const resources = opened.move();
  return {
    sqlite,
    store: sqlite.store,
    postmark,
    clock,
    openSender({ mailer = postmarkMailer(postmark), store = sqlite.store, stopMs = 5_000 } = {}) {
      const [settled, stumbled, pauses]: [Sender["settled"], unknown[], string[]] = [[], [], []];
      const events = {
        settled: (_kind: unknown, result: MailSettlement["result"], { id }: { id: string }) =>
          void settled.push({ id, result }),
        paused: (reason: string) => void pauses.push(reason),
        resumed: () => void pauses.push("resumed"),
        stumbled: (error: unknown) => void stumbled.push(error),
      };
      const outbox = new Outbox({ store, mailer, clock, events, deadlineMs: 60_000, pollMs: 5, stopMs });
      senders.use(outbox);
      return { outbox, settled, stumbled, pauses };
    },
    storeMails: (number, lease = abandoned(clock)) => storeMails(sqlite.store, number, clock.now(), lease),
    async storeDueMails(number) {
      const lease = { owner: "stopped", until: clock.now() + minute };
      const mails = await storeMails(sqlite.store, number, clock.now(), lease);
      await sqlite.store.releaseMails(lease.owner, clock.now());
      return mails;
    },
    newest: async () => (await sqlite.store.listMails({ limit: 1 }))[0]!,
    taken: () => postmark.taken.map(({ Metadata }) => Metadata?.["mailId"] ?? ""),
    searches: () => postmark.requests.filter(({ method }) => method === "GET").length,
    sends: () => postmark.requests.filter(({ method }) => method === "POST").length,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

let nextNumber = 1;

async function storeMails(store: Store, number: number, now: number, lease: Lease): Promise<NewMail[]> {
  const mails = count(number).map((n) => newMail(`reader${n}@example.org`));
  const receivedAt = (n: number) => now - number + n;
  await Promise.all(
    mails.map((one, n) => store.acceptInquiry(inquiry(nextNumber++, { receivedAt: receivedAt(n) }), [one], lease)),
  );
  return mails;
}

const newMail = (to: string): NewMail => mail({ content: { ...mail().content, to: [to] } });

/** The lease of a process that died, which ends with the minute. */
const abandoned = (clock: MovableClock): Lease => ({
  owner: `dead-${randomUUID()}`,
  until: clock.now() + minute,
});

export const from = { name: null, address: "hello@datasets.example" };

const postmarkMailer = ({ token, url }: PostmarkStandIn): Mailer =>
  // As patient as a test is.
  openPostmarkMailer({ token, apiUrl: url, timeoutMs: 2_000 }, from);

/** A mailer that a test answers for. */
export function mailerOf(
  send: (mails: readonly OutgoingMail[]) => Promise<MailOutcome[]>,
  more: Partial<Mailer> = {},
): Mailer {
  return { batchMax: 10, send, [Symbol.asyncDispose]: async () => {}, ...more };
}

export const taken = (mails: readonly OutgoingMail[]): MailOutcome[] =>
  mails.map(({ id }) => ({ result: "taken", providerId: `taken-${id}` }));
