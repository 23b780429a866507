// What becomes of submissions, without a database: what entries of one batch see of each other, and what the port does not
// show. The other rules are in `test/contract/guarantees/`.
import { emailKey } from "@submissions/shared/fields";
import { expect, test } from "vitest";
import { application, day, entry, inquiry, minute, noon, subscription } from "../../../../test/contract/records.ts";
import { capMs } from "../limits.ts";
import type { ChallengeRecord, EarlierSubmission, IdempotencyRecord } from "../records.ts";
import type { Entry } from "../store.ts";
import { decide, decideLeaving } from "./decide.ts";
import {
  addressed,
  type Addressee,
  keyName,
  type LookUp,
  lookUpOf,
  type lookUps,
  type Numbers,
  wantedBy,
} from "./facts.ts";
import { dayNumber, References } from "./references.ts";
import { hashedKey } from "./suppression.ts";

const references = new References("0".repeat(64));
type Found = { readonly [Name in LookUp]?: readonly Parameters<(typeof lookUps)[Name]["note"]>[1][] };
const key: IdempotencyRecord = { procedure: "p", keyHash: "k", fingerprint: "f", createdAt: noon };
const challenge: ChallengeRecord = { hash: "c", expiresAt: noon + minute };

function decided(submitted: readonly Entry[], found: Found = {}) {
  const entries = submitted.map(addressed);
  const { facts, numbers: count } = wantedBy(entries);
  const drawn = (first: number, many: number) => Array.from({ length: many }, (_, n) => first + n);
  const numbers: Numbers = { arrivals: drawn(101, count.arrivals), mails: drawn(201, count.mails) };
  for (const [name, rows] of Object.entries(found)) {
    for (const row of rows) lookUpOf(name as LookUp).note(facts, row);
  }
  return decide(entries, facts, numbers, references);
}

const earlierRow = (createdAt: number, more: Partial<NonNullable<Found["earlier"]>[number]> = {}) => ({
  procedure: "p",
  keyHash: "k",
  fingerprint: "f",
  reference: "INQ-1",
  createdAt,
  status: "new" as const,
  receiptSent: 1,
  ...more,
});
const answers = (entries: readonly Entry[], found?: Found) => decided(entries, found).answers;
const isEmpty = (rows: object) => Object.values(rows).every((of: unknown[]) => of.length === 0);

test("a repeated key is answered with what it stands for, before its spent challenge is looked at", () => {
  const {
    answers: [answer],
    rows,
  } = decided([entry(inquiry(1), { key, challenge })], {
    earlier: [earlierRow(noon - 1)],
    spent: [{ hash: "c" }],
  });
  const earlier: EarlierSubmission = { fingerprint: "f", reference: "INQ-1", receiptSent: true, spam: false };
  expect(answer).toEqual({ result: "repeated", earlier });
  expect(isEmpty(rows)).toBe(true);
  const unspent = decided([entry(inquiry(1), { key, challenge })], { earlier: [earlierRow(noon - 1)] });
  expect(isEmpty(unspent.rows)).toBe(true);
});

test.for([
  ["spam", { status: "spam", receiptSent: 0 }, { reference: "INQ-1", receiptSent: false, spam: true }],
  [
    "a subscription",
    { status: null, reference: null, receiptSent: 0 },
    { reference: null, receiptSent: false, spam: false },
  ],
] as const)("a repetition tells that the earlier one was %s", ([_what, row, earlier]) => {
  expect(answers([entry(inquiry(1), { key })], { earlier: [earlierRow(noon, row)] })).toEqual([
    { result: "repeated", earlier: { fingerprint: "f", ...earlier } },
  ]);
});

test("of a subscription that is spam only key and challenge are noted, the key with the address", () => {
  const { answers: accepted, rows } = decided([entry(subscription(), { spam: true, key, challenge })]);
  expect(accepted).toEqual([{ result: "accepted", reference: null, mails: [], capped: [] }]);
  const { idempotency, spent_challenge: spent, ...others } = rows;
  expect(idempotency).toMatchObject([{ submission: null, subscriber: "reader@example.org" }]);
  expect(spent).toHaveLength(1);
  expect(isEmpty(others)).toBe(true);
});

test("a reference is made of the day's next counter of the kind", () => {
  const { answers: both, rows } = decided([entry(inquiry(1)), entry(application(1))], {
    counters: [
      { kind: "inquiry", day, taken: 7 },
      { kind: "application", day, taken: 8 },
    ],
  });
  expect(both).toMatchObject([
    { reference: references.format("inquiry", day, 7) },
    { reference: references.format("application", day, 8) },
  ]);
  expect(rows.submission.map((row) => row.day_number)).toEqual([dayNumber(day, 7), dayNumber(day, 8)]);
  expect(rows.day_counter.map(({ taken }) => taken)).toEqual([8, 9]);
});

test.for([
  [1, ["inquiry-receipt"]],
  [0, []],
] as const)("a receipt that is a day old but %d ms counts accordingly", ([after, capped]) => {
  const receipts = [after, 1, 1].map((ms) => ({ key: "ann-1@example.org", at: noon - capMs + ms }));
  expect(answers([entry(inquiry(1))], { receipts })).toMatchObject([{ capped }]);
});

test.for(["by its key", "by the hash of an erased one"] as const)("a suppressed address gets no receipt: %s", (how) => {
  const address = emailKey(application(1).email);
  const suppressed = [{ key: how === "by its key" ? address : hashedKey(address) }];
  const { answers: all, rows } = decided([entry(application(1))], { suppressed });
  expect(all).toMatchObject([{ mails: [{ kind: "application-notice" }], capped: ["application-receipt"] }]);
  expect(rows.submission).toMatchObject([{ receipt_at: null }]);
});

const known = (more: Partial<NonNullable<Addressee["subscriber"]>>) => ({
  subscriber: [
    {
      email_key: "reader@example.org",
      email: "READER@example.org",
      status: "pending",
      source: "first",
      last_source: "first",
      subscribed_at: noon - 100 * minute,
      welcomed_at: noon - 100 * minute,
      confirmed_at: null,
      unsubscribed_at: null,
      door: "rpc",
      request_id: "first",
      language: "en",
      consent: '"then"',
      ...more,
    },
  ],
});

test("a subscriber keeps what was stored first, and the source of the latest request", () => {
  expect(decided([entry(subscription())], known({})).rows.subscriber).toEqual([
    {
      email_key: "reader@example.org",
      email: "READER@example.org",
      status: "pending",
      source: "first",
      last_source: "footer",
      subscribed_at: noon - 100 * minute,
      welcomed_at: noon,
      confirmed_at: null,
      unsubscribed_at: null,
      door: "rpc",
      request_id: "first",
      language: "de",
      consent: JSON.stringify(subscription().consent),
    },
  ]);
});

test("becoming active ends having left, and webhooks are notified; of anything else they are not", () => {
  const left = known({ status: "unsubscribed", unsubscribed_at: noon - minute });
  const webhooks = [{ event: "subscriber.confirmed", id: 5 }] as const;
  const single = decided([entry(subscription({ optIn: "single" }))], { ...left, webhooks }).rows;
  expect(single.subscriber).toMatchObject([{ status: "active", unsubscribed_at: null }]);
  expect(single.mail).toMatchObject([{ kind: "newsletter-welcome" }]);
  expect(single.webhook_delivery).toMatchObject([{ webhook: 5, event: "subscriber.confirmed", submission: null }]);
  const double = decided([entry(subscription())], { ...left, webhooks }).rows;
  expect(double.subscriber).toMatchObject([{ status: "unsubscribed", unsubscribed_at: noon - minute }]);
  expect(double.webhook_delivery).toEqual([]);
});

test("three newsletter mails go to an address in a day, counted apart from receipts", () => {
  const email = "Reader@example.org";
  const since = (count: number) => Array.from({ length: count }, () => ({ key: emailKey(email), at: noon - minute }));
  const batch = [entry(subscription()), entry(inquiry(1, { email }))];
  expect(answers(batch, { newsletters: since(2), receipts: since(2) })).toMatchObject([{ capped: [] }, { capped: [] }]);
  expect(answers(batch, { newsletters: since(3) })).toMatchObject([{ capped: ["newsletter-welcome"] }, { capped: [] }]);
  expect(answers(batch, { receipts: since(3) })).toMatchObject([{ capped: [] }, { capped: ["inquiry-receipt"] }]);
});

test("links come with the welcome mail; then those of the address that have expired go", () => {
  const double = decided([entry(subscription())], known({}));
  expect(double.rows.newsletter_token.map((row) => row.purpose)).toEqual(["confirm", "unsubscribe"]);
  expect([...double.expired]).toEqual([["reader@example.org", noon]]);
  const single = decided([entry(subscription({ optIn: "single" }))]);
  expect(single.rows.newsletter_token.map((row) => row.purpose)).toEqual(["unsubscribe"]);
  expect(single.answers).toMatchObject([{ mails: [{ about: { welcome: { confirmToken: null } } }] }]);
  // The address is new.
  expect([...single.expired]).toEqual([]);
});

test("entries of one batch see each other, in their order", () => {
  const [first, second] = [entry(subscription({ optIn: "single" })), entry(subscription({ source: "popup" }))];
  const batch = [
    entry(inquiry(1), { key, challenge }),
    entry(inquiry(2), { key }),
    entry(inquiry(3), { challenge }),
    first,
    second,
  ];
  const { answers: all, rows } = decided(batch, { webhooks: [{ event: "subscriber.confirmed", id: 1 }] });
  expect(all).toMatchObject([
    { result: "accepted" },
    { result: "repeated", earlier: { fingerprint: "f", receiptSent: false, spam: false } },
    { result: "challenge-spent" },
    { mails: [{ kind: "newsletter-welcome" }] },
    { mails: [], capped: [] },
  ]);
  expect(rows.subscriber).toMatchObject([{ status: "active", source: "footer", last_source: "popup" }]);
  expect(rows.webhook_delivery).toHaveLength(1);
});

test("an address, a key and a challenge are looked up once for a batch, from the earliest day on", () => {
  const batch = [
    entry(inquiry(1), { key, challenge }),
    entry(inquiry(1, { receivedAt: noon - 5 }), { key, challenge }),
  ];
  const { wanted, numbers } = wantedBy(batch.map(addressed));
  expect(wanted).toMatchObject({
    earlier: [{ procedure: "p", key_hash: "k" }],
    spent: [{ hash: "c" }],
    receipts: [{ key: "ann-1@example.org", since: noon - 5 - capMs }],
  });
  expect(numbers).toMatchObject({ arrivals: 2, mails: 4 });
  expect(keyName(key)).toBe("p k");
});

const former = { kind: "inquiry", arrival: 7, wasChanged: false, stored: [], notified: [] } as const;
const free = () => ({ suppressed: false, receipts: [] as number[] });

test("what leaves spam gets the mails and deliveries that it did not get, once", () => {
  const delivery = {
    webhook: 2,
    event: "inquiry.received",
    submission: 7,
    subscriber: null,
    detail: null,
    created_at: noon,
    due_at: noon,
  };
  expect(decideLeaving({ ...former, notified: [1] }, free(), [1, 2], noon)).toEqual({
    mails: ["inquiry-receipt", "inquiry-notice"],
    deliveries: [delivery],
  });
  expect(decideLeaving({ ...former, stored: ["inquiry-receipt"] }, free(), [], noon).mails).toEqual(["inquiry-notice"]);
  expect(decideLeaving({ ...former, wasChanged: true }, free(), [], noon).mails).toEqual([]);
});
