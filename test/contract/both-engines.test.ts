// Drawn histories of batches: both engines answer alike and store the same rows. Few addresses, keys and challenges, so that
// entries meet; between the batches mails are sent, subscribers confirm and leave, addresses are suppressed. Each history has
// addresses, keys and challenges of its own.
import fc from "fast-check";
import { expect, test } from "vitest";
import { hashedKey } from "../../server/src/storage/rules/suppression.ts";
import type { Acceptance, Entry, Store } from "../../server/src/storage/store.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import { application, day, entry, inquiry, minute, noon, resume, subscription } from "./records.ts";
import { openSqliteUnderTest } from "./sqlite-under-test.ts";

const runs = 25;
const hour = 60 * minute;

const drafts = fc.record({
  kind: fc.constantFrom("inquiry", "application", "subscription"),
  email: fc.constantFrom("Ann@", "ann@", "bob@", "eve@"),
  // Mostly the next one follows soon; sometimes a day later, sometimes it was received before the one before it.
  after: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 20 * minute }) },
    fc.constantFrom(24 * hour, 24 * hour - 1, -5_000, 8 * hour, 10 * minute),
  ),
  spam: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  key: fc.option(fc.integer({ min: 0, max: 5 })),
  challenge: fc.option(fc.integer({ min: 0, max: 9 })),
  optIn: fc.constantFrom("double", "single"),
  source: fc.constantFrom("footer", "popup"),
  language: fc.constantFrom("en", "de"),
  consent: fc.option(fc.constant({ text: "2026-11", page: null, at: noon })),
});
type Draft = typeof drafts extends fc.Arbitrary<infer T> ? T : never;

const changes = fc.record({
  what: fc.constantFrom("sent", "confirm", "leave", "suppress", "suppress-hashed", "lift", "spam"),
  email: fc.constantFrom("ann@", "bob@", "eve@"),
});
type Change = typeof changes extends fc.Arbitrary<infer T> ? T : never;

const drawnHistories = fc.array(
  fc.record({ batch: fc.array(drafts, { minLength: 1, maxLength: 8 }), change: fc.option(changes) }),
  { minLength: 1, maxLength: 6 },
);

/** More inquiries of the next day than it has references left; see `setUp`. The first history, so that none is used before. */
const exhausting: typeof drawnHistories extends fc.Arbitrary<infer T> ? T : never = [0, 1].map((nth) => ({
  batch: Array.from({ length: 8 }, (_, index) => ({
    kind: "inquiry",
    email: "ann@",
    after: nth + index === 0 ? 24 * hour : 0,
    spam: false,
    key: null,
    challenge: null,
    optIn: "double",
    source: "footer",
    language: "en",
    consent: null,
  })),
  change: null,
}));

/** @param own what tells the addresses, keys and challenges of a history from those of others */
function entryOf(
  { kind, spam, key, challenge, optIn, source, language, consent, ...draft }: Draft,
  own: string,
  n: number,
  at: number,
) {
  const email = `${draft.email}${own}.example`;
  const received = { receivedAt: at, requestId: `r-${n}`, language, email, consent };
  const token = (name: string) => ({ token: `${name}-${n}`, hash: `${name}-${n}` });
  const links = { confirm: { ...token("confirm"), expiresAt: at + 2 * hour }, unsubscribe: token("unsubscribe") };
  const submission: Entry["submission"] =
    kind === "inquiry"
      ? inquiry(n, received)
      : kind === "application"
        ? application(n, { ...received, resume: n % 3 === 0 ? resume(n) : null })
        : subscription({ ...received, source, optIn, ...links });
  return entry(submission, {
    spam,
    key: key === null ? null : { procedure: kind, keyHash: `key-${key}-${own}`, fingerprint: email, createdAt: at },
    challenge: challenge === null ? null : { hash: `challenge-${challenge}-${own}`, expiresAt: at + hour },
    lease: { owner: "me", until: at + minute },
    deadline: Infinity,
  });
}

function changing({ what, ...change }: Change, own: string, at: number): string {
  const key = `${change.email}${own}.example`;
  const suppress = (of: string, reason: string) => `
    INSERT INTO suppression (email_key, reason, changed_at) VALUES ('${of}', ${reason}, ${at})
    ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at`;
  const scripts = {
    sent: `UPDATE mail SET status = 'sent', due_at = NULL, ended_at = ${at}
      WHERE kind LIKE '%receipt' AND status = 'queued'`,
    confirm: `UPDATE subscriber SET status = 'active', confirmed_at = ${at}, unsubscribed_at = NULL
      WHERE email_key = '${key}'`,
    leave: `UPDATE subscriber SET status = 'unsubscribed', unsubscribed_at = ${at} WHERE email_key = '${key}'`,
    spam: `UPDATE submission SET status = 'spam' WHERE email_key = '${key}'`,
    lift: suppress(key, "NULL"),
    suppress: suppress(key, "'bounced'"),
    "suppress-hashed": suppress(hashedKey(key), "'bounced'"),
  };
  return scripts[what];
}

const setUp = `
  INSERT INTO webhook (url, events, secret, created_at) VALUES
    ('https://a', 'inquiry.received subscriber.confirmed', 's', 1), ('https://b', 'application.received', 's', 1);
  INSERT INTO day_counter (kind, day, taken) VALUES ('inquiry', ${day + 1}, 999990);
  UPDATE store SET reference_key = '${"0".repeat(64)}'`;

const withReference = (table: string) =>
  `SELECT ${table}.*, reference FROM ${table} LEFT JOIN submission ON arrival = submission`;
const tables = {
  submission: "SELECT * FROM submission",
  mail: withReference("mail"),
  subscriber: "SELECT * FROM subscriber",
  newsletter_token: "SELECT * FROM newsletter_token",
  idempotency: withReference("idempotency"),
  spent_challenge: "SELECT * FROM spent_challenge",
  webhook_delivery: withReference("webhook_delivery"),
};
/** Numbers that the engines draw. */
const drawn = new Set(["arrival", "id", "submission"]);

const plain = (row: object): string =>
  JSON.stringify(
    Object.entries(row)
      .filter(([name]) => !drawn.has(name))
      .map(([name, value]) => [name, value === null ? null : String(value)])
      .toSorted(([one = ""], [other = ""]) => ((one ?? "") < (other ?? "") ? -1 : 1)),
  );

const withoutNumbers = (answer: Acceptance): object =>
  answer.result === "accepted"
    ? {
        ...answer,
        mails: answer.mails.map(({ about, ...mail }) => ({
          ...mail,
          id: "",
          about: "submission" in about ? { ...about.submission, arrival: 0 } : about,
        })),
      }
    : answer;

test("both engines answer alike and store the same rows", async () => {
  await using sqlite = await openSqliteUnderTest();
  await using postgres = await openPostgresUnderTest();
  const run = async (script: string) => {
    sqlite.raw((database) => database.exec(script));
    await postgres.database.query(script);
  };
  await run(setUp);
  // With the same key of references.
  const stores = [await sqlite.openAgain(), await postgres.openAgain()];
  const results = new Map<string, number>();
  let [n, histories] = [0, 0];
  await fc.assert(
    fc.asyncProperty(drawnHistories, async (steps) => {
      histories += 1;
      const own = `h${histories}`;
      let at = noon;
      for (const { batch, change } of steps) {
        const asked = batch.map((draft) => entryOf(draft, own, (n += 1), (at += draft.after)));
        const all = (store: Store) => Promise.all(asked.map((one) => store.accept(one)));
        const [expected = [], found = []] = await Promise.all(stores.map(all));
        expect(found.map(withoutNumbers)).toEqual(expected.map(withoutNumbers));
        for (const { result } of expected) results.set(result, (results.get(result) ?? 0) + 1);
        if (change !== null) await run(changing(change, own, (at += 1)));
      }
    }),
    // What is stored stays, so that a smaller history would not be the same one.
    { numRuns: runs, endOnFailure: true, examples: [[exhausting]] },
  );
  for (const [table, text] of Object.entries(tables)) {
    const expected = sqlite.raw((database) => database.prepare(text).all());
    const found = await postgres.database.query(text);
    expect(found.map(plain).toSorted(), table).toEqual(expected.map(plain).toSorted());
  }
  expect([...results.keys()].toSorted()).toEqual(["accepted", "challenge-spent", "references-exhausted", "repeated"]);
});
