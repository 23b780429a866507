// Outboxes on a real store, without HTTP around them: for what needs two of them, or one that stops in the middle.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { test } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { compileMails, type Compose } from "../../../server/src/mail/compose.ts";
import type { Mailer, MailOutcome, OutgoingMail } from "../../../server/src/mail/mailer.ts";
import { openOutbox } from "../../../server/src/mail/outbox.ts";
import { openPostmarkMailer } from "../../../server/src/mail/providers/postmark.ts";
import { openStore, type StoreLocation } from "../../../server/src/storage/open-store.ts";
import type { LeasedMail, MailSettlement } from "../../../server/src/storage/records.ts";
import type { Lease, Store } from "../../../server/src/storage/store.ts";
import { accept, giveBack, subscription } from "../../contract/records.ts";
import { settings, messageKey } from "../mail/examples.ts";
import { openFolder } from "../folder.ts";
import { MovableClock } from "../movable-clock.ts";
import { PostmarkStandIn } from "../postmark-stand-in.ts";
import { openServiceDatabase } from "../service-database.ts";
import { count } from "./mail-service.ts";

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export interface SenderOptions {
  readonly mailer?: Mailer;
  readonly store?: Pick<Store, "clock" | "mails">;
  readonly stopMs?: number;
  readonly renewMs?: number;
  readonly compose?: Compose;
}

export type OutboxUnderTest = Awaited<ReturnType<typeof openOutboxUnderTest>>;

async function openOutboxUnderTest() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder());
  const database = opened.use(await openServiceDatabase());
  const url = database.env["DATABASE_URL"];
  const location: StoreLocation =
    url === undefined
      ? { kind: "sqlite", file: join(folder.path, "submissions.db") }
      : { kind: "postgres", url, poolMax: 2 };
  const clock = new MovableClock();
  const stores = opened.use(new AsyncDisposableStack());
  const open = async () => stores.use(await openStore(location, { clock }));
  const store = await open();
  const postmark = opened.use(await PostmarkStandIn.open());
  const senders = opened.use(new AsyncDisposableStack());
  const resources = opened.move();
  let readers = 0;
  const calls = { underWay: 0 };
  const storeMails = async (number: number, lease = abandoned(store)): Promise<LeasedMail[]> => {
    const now = store.clock.now();
    const stored = await Promise.all(
      count(number).map((n) => {
        const email = `reader${readers + n}@example.org`;
        return accept(store, subscription({ email, optIn: "single", receivedAt: now - number + n }), { lease });
      }),
    );
    readers += number;
    return stored.flatMap(({ mails }) => mails);
  };
  return {
    location,
    store,
    postmark,
    clock,
    /** Puts the clock forward unless a sender is in the middle of something, whose leases would end. For polls. */
    letPass(ms: number): void {
      if (calls.underWay === 0) clock.advance(ms);
    },
    /** Opens the same store as another process does. */
    openAgain: open,
    /** Opens an outbox, by default to the stand-in of Postmark. It looks for due mails once it is started. */
    openSender({
      mailer = openPostmarkMailer({ token: postmark.token, apiUrl: postmark.url }, from, messageKey),
      store: given = store,
      stopMs = 5_000,
      compose = compileMails(settings),
      ...more
    }: SenderOptions = {}) {
      const settled: { readonly id: string; readonly result: MailSettlement["result"] }[] = [];
      const [failed, pauses]: [unknown[], string[]] = [[], []];
      const events = {
        settled: (_kind: unknown, result: MailSettlement["result"], { id }: { id: string }) =>
          void settled.push({ id, result }),
        missed: () => {},
        paused: (reason: string) => void pauses.push(reason),
        resumed: () => void pauses.push("resumed"),
        failed: (error: unknown) => void failed.push(error),
      };
      const times = { deadlineMs: 60_000, pollMs: 5, ...more };
      const outbox = openOutbox({
        store: { ...given, mails: counting(calls, given.mails, ["claim"]) },
        mailer: counting(calls, mailer, ["find", "send"]),
        compose,
        events,
        ...times,
      });
      senders.defer(() => outbox.stop(stopMs));
      /** What it told of itself, pauses with their reason. */
      return { outbox, settled, failed, pauses };
    },
    /** Stores mails, one to each of `reader0`, `reader1` and so on, a millisecond apart in age. */
    storeMails,
    /** The same, of a process that has stopped in good order: due now, and certainly not sent. */
    async storeDueMails(number: number) {
      const lease = { owner: "stopped", until: store.clock.now() + minute };
      const mails = await storeMails(number, lease);
      await giveBack(store, mails, lease, store.clock.now());
      return mails;
    },
    newest: async () => (await listMails(store.desk, { limit: 1 }))[0]!,
    /** The ids of the mails that Postmark took, in order. */
    taken: () => postmark.taken.map(({ Metadata }) => Metadata?.["mailId"] ?? ""),
    /** How often Postmark was asked for mails, and how often it was handed some. */
    searches: () => postmark.requests.filter(({ method }) => method === "GET").length,
    sends: () => postmark.requests.filter(({ method }) => method === "POST").length,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export const outboxTest = test.extend("tested", async ({ onTestFinished }) => {
  const tested = await openOutboxUnderTest();
  onTestFinished(() => tested[Symbol.asyncDispose]());
  return tested;
});

/** The same object; calls of these methods are counted while they are under way. */
const counting = <T extends object>(calls: { underWay: number }, target: T, methods: readonly string[]): T =>
  new Proxy(target, {
    get(_target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (!methods.includes(String(name))) return value.bind(target);
      return async (...words: unknown[]) => {
        calls.underWay += 1;
        try {
          return (await value.apply(target, words)) as unknown;
        } finally {
          calls.underWay -= 1;
        }
      };
    },
  });

/** The lease of a process that died, which ends with the minute. */
const abandoned = ({ clock }: Store): Lease => ({ owner: `dead-${randomUUID()}`, until: clock.now() + minute });

const from = { name: null, address: "hello@datasets.example" };

/** A mailer that a test answers for, and that cannot be asked. */
export function mailerOf(send: Mailer["send"], more: Partial<Mailer> = {}): Mailer {
  return {
    batchMax: 10,
    calls: { fresh: 4, due: 1 },
    gatherMs: 0,
    doubt: "replace",
    send,
    [Symbol.asyncDispose]: async () => {},
    ...more,
  };
}

export const taken = (mails: readonly OutgoingMail[]): MailOutcome[] =>
  mails.map(({ id }) => ({ result: "taken", providerId: `taken-${id}` }));
