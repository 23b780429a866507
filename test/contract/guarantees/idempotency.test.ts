// What the port promises about keys and challenges: each is spent on one submission, in whatever process.
import { expect } from "vitest";
import { submissionKinds } from "../../../shared/src/kinds.ts";
import { idempotencyMs } from "../../../server/src/storage/limits.ts";
import type { ChallengeRecord, IdempotencyRecord } from "../../../server/src/storage/records.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  applications,
  inquiry,
  minute,
  noon,
  offer,
  release,
  sample,
  settle,
  submissions,
  subscribers,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const key = (more: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  procedure: "marketplace.inquiry",
  keyHash: "a".repeat(64),
  fingerprint: "b".repeat(64),
  createdAt: noon,
  ...more,
});

const challenge: ChallengeRecord = { hash: "c".repeat(64), expiresAt: noon + 10 * minute };
const spent = { result: "challenge-spent" };

eachKind("takes a key with its submission, and stores nothing for the same key again: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), { key: key() });
  const earlier = { fingerprint: key().fingerprint, reference, receiptSent: false, spam: false };
  const other = key({ fingerprint: "other content" });
  expect(await offer(store, sample(kind, 2), { key: key() })).toEqual({ result: "repeated", earlier });
  expect(await offer(store, sample(kind, 2), { key: other })).toEqual({ result: "repeated", earlier });
  expect(await submissions(store, kind)).toHaveLength(1);
  expect(await allMails(store)).toHaveLength(2);
});

eachKind(
  "takes a key and a challenge once when many come at the same time, through several processes: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const other = await tested.openAgain();
    for (const [more, refused, first] of [
      [{ key: key() }, "repeated", 0],
      [{ challenge }, "challenge-spent", 20],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => offer(n % 2 === 0 ? store : other, sample(kind, first + n), more)),
      );
      const { accepted = [], [refused]: others = [] } = Object.groupBy(answers, ({ result }) => result);
      expect([accepted.length, others.length]).toEqual([1, 19]);
      const [{ reference } = {}] = accepted as { reference?: string | null }[];
      if (refused === "repeated") for (const one of others) expect(one).toMatchObject({ earlier: { reference } });
    }
    expect(await submissions(store, kind)).toHaveLength(2);
  },
);

test("takes neither key nor challenge of a submission that was not stored, as of one with another's resume", async ({
  store,
}) => {
  const used = { key: key({ procedure: "applications.submit" }), challenge };
  await accept(store, application(1));
  const { resume } = application(1);
  await expect(offer(store, application(2, { resume }), used)).rejects.toThrow();
  expect(await store.findEarlier(used.key)).toBeNull();
  expect(await applications(store)).toHaveLength(1);
  expect(await allMails(store)).toHaveLength(2);
  await accept(store, application(2), used);
});

test("keeps keys of different procedures apart", async ({ store }) => {
  await accept(store, inquiry(1), { key: key() });
  await accept(store, application(1), { key: key({ procedure: "applications.submit" }) });
  const ofNewsletter = key({ procedure: "newsletter.subscribe" });
  await accept(store, subscription(), { key: ofNewsletter });
  const again = await offer(store, subscription(), { key: ofNewsletter });
  const earlier = { fingerprint: key().fingerprint, reference: null, receiptSent: false, spam: false };
  expect(again).toEqual({ result: "repeated", earlier });
});

eachKind("lets a key be used anew once it has run out: %s", async (kind, { store }) => {
  await accept(store, sample(kind, 1), { key: key() });
  const lastMoment = key({ createdAt: noon + idempotencyMs - 1 });
  expect(await offer(store, sample(kind, 2), { key: lastMoment })).toMatchObject({ result: "repeated" });
  const anew = key({ createdAt: noon + idempotencyMs, fingerprint: "new" });
  expect(await store.findEarlier(anew)).toBeNull();
  const reference = await acceptReference(store, sample(kind, 2), { key: anew });
  expect(await store.findEarlier(anew)).toMatchObject({ fingerprint: "new", reference });
});

eachKind("finds what a key stands for, and whether its receipt has gone out by now: %s", async (kind, { store }) => {
  const { reference, mails } = await accept(store, sample(kind, 1), { key: key() });
  const earlier = { fingerprint: key().fingerprint, reference, spam: false };
  expect(await store.findEarlier(key())).toEqual({ ...earlier, receiptSent: false });
  const [receipt, notice] = mails;
  await settle(store, { sent: [notice!] });
  expect(await store.findEarlier(key())).toEqual({ ...earlier, receiptSent: false });
  await settle(store, { sent: [receipt!] });
  expect(await store.findEarlier(key())).toEqual({ ...earlier, receiptSent: true });
  expect(await store.findEarlier(key({ keyHash: "c".repeat(64) }))).toBeNull();
});

eachKind("says of a key whether its submission was kept as spam: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), { key: key(), spam: true });
  expect(await store.findEarlier(key())).toMatchObject({ reference, spam: true, receiptSent: false });
  await release(store, reference, noon);
  expect(await store.findEarlier(key())).toMatchObject({ reference, spam: false });
});

eachKind(
  "spends a challenge with its submission, and stores nothing of any kind for it again: %s",
  async (kind, { store }) => {
    await accept(store, sample(kind, 1), { challenge });
    for (const spam of [false, true]) {
      for (const submission of [inquiry(2), application(2), subscription()]) {
        expect(await offer(store, submission, { challenge, spam, key: key() })).toEqual(spent);
      }
    }
    expect(await store.findEarlier(key())).toBeNull();
    const stored = await Promise.all(submissionKinds.map((one) => submissions(store, one)));
    expect(stored.flat()).toMatchObject([{ kind }]);
    expect(await subscribers(store)).toEqual([]);
    expect(await allMails(store)).toHaveLength(2);
  },
);
