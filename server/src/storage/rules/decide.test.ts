// What a batch is decided from and to, without a database, where test/contract/guarantees does not show it.
import { expect, test } from "vitest";
import { day, entry, inquiry, minute, noon, subscription } from "../../../../test/contract/records.ts";
import type { ChallengeRecord, IdempotencyRecord } from "../records.ts";
import type { Entry } from "../store.ts";
import { decide, decideLeaving } from "./decide.ts";
import { type Addressee, factsOf, type FoundRow, keyName, type Numbers, wantedBy } from "./facts.ts";
import { capMs } from "./mails.ts";
import { References } from "./references.ts";

const references = new References("0".repeat(64));
type Found = { readonly [Name in FoundRow["name"]]?: readonly Extract<FoundRow, { name: Name }>["row"][] };
const key: IdempotencyRecord = { procedure: "p", keyHash: "k", fingerprint: "f", createdAt: noon };
const challenge: ChallengeRecord = { hash: "c", expiresAt: noon + minute };

/** Decides about a batch of which this is known. */
function decided(entries: readonly Entry[], found: Found = {}) {
  const { wanted, numbers: count } = wantedBy(entries);
  const drawn = (first: number, many: number) => Array.from({ length: many }, (_, n) => first + n);
  const numbers: Numbers = { arrivals: drawn(101, count.arrivals), mails: drawn(201, count.mails) };
  const rows = Object.entries(found).flatMap(([name, of]) => of.map((row) => ({ name, row }) as FoundRow));
  return decide(entries, factsOf(wanted, rows), numbers, references);
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

test("where no reference is left, key and challenge come first, and a refused entry uses none", () => {
  const counters = [{ kind: "inquiry", day, taken: 999_999 }] as const;
  const found = { earlier: [earlierRow(noon)], spent: [{ hash: "c" }], counters };
  const batch = [
    entry(inquiry(1), { key }),
    entry(inquiry(2), { challenge }),
    entry(inquiry(3)),
    entry(inquiry(4), { key: { ...key, keyHash: "other" } }),
  ];
  const { answers: all, rows } = decided(batch, found);
  expect(all.map(({ result }) => result)).toEqual(["repeated", "challenge-spent", "accepted", "references-exhausted"]);
  expect(rows.submission).toHaveLength(1);
  expect(rows.idempotency).toEqual([]);
  expect(rows.day_counter).toEqual([{ kind: "inquiry", day, taken: 1_000_000 }]);
  expect(decided([batch[0] as Entry], found).rows.day_counter).toEqual([]);
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

test("a subscriber keeps what was told first, and the source of the latest request", () => {
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

test("links come with the welcome mail; then those of the address that have expired go", () => {
  const double = decided([entry(subscription())], known({}));
  expect(double.rows.newsletter_token.map((row) => row.purpose)).toEqual(["confirm", "unsubscribe"]);
  expect([...double.expired]).toEqual([["reader@example.org", noon]]);
  const single = decided([entry(subscription({ optIn: "single" }))]);
  expect(single.rows.newsletter_token.map((row) => row.purpose)).toEqual(["unsubscribe"]);
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
  const { answers: all, rows } = decided(batch, { hearers: [{ event: "subscriber.confirmed", id: 1 }] });
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
  const { wanted, numbers } = wantedBy(batch);
  expect(wanted).toMatchObject({
    earlier: [{ procedure: "p", key_hash: "k" }],
    spent: [{ hash: "c" }],
    receipts: [{ key: "ann-1@example.org", since: noon - 5 - capMs }],
  });
  expect(numbers).toMatchObject({ arrivals: 2, mails: 4 });
  expect(keyName(key)).toBe("p k");
});

test.for([
  [1, ["inquiry-receipt"]],
  [0, []],
] as const)("a receipt that is a day old but %d ms counts accordingly", ([after, capped]) => {
  const receipts = [after, 1, 1].map((ms) => ({ key: "ann-1@example.org", at: noon - capMs + ms }));
  expect(answers([entry(inquiry(1))], { receipts })).toMatchObject([{ capped }]);
});

test("what leaves spam gets no mail that is stored of it", () => {
  const former = { kind: "inquiry", arrival: 7, wasChanged: false, stored: ["inquiry-receipt"], told: [] } as const;
  const { mails } = decideLeaving(former, { suppressed: false, receipts: [] }, [], noon);
  expect(mails).toEqual(["inquiry-notice"]);
});
