// What the port promises about challenges: each is spent on one submission, of whatever kind, in whatever process.
import { expect } from "vitest";
import type { ChallengeRecord, IdempotencyRecord } from "../../../server/src/storage/records.ts";
import {
  accept,
  allMails,
  application,
  applications,
  inquiries,
  inquiry,
  minute,
  noon,
  offer,
  subscribers,
  subscription,
} from "../records.ts";
import type { StoreTest } from "../store-under-test.ts";

const challenge: ChallengeRecord = { hash: "c".repeat(64), expiresAt: noon + 10 * minute };

const key: IdempotencyRecord = {
  procedure: "marketplace.inquiry",
  keyHash: "a".repeat(64),
  fingerprint: "b".repeat(64),
  createdAt: noon,
};

const spent = { result: "challenge-spent" };

export function challengeGuarantees(test: StoreTest): void {
  test("spends a challenge with its submission, and stores nothing of any kind for it again", async ({ store }) => {
    await accept(store, inquiry(1), { challenge });
    for (const spam of [false, true]) {
      for (const submission of [inquiry(2), application(2), subscription()]) {
        expect(await offer(store, submission, { challenge, spam })).toEqual(spent);
      }
    }
    expect(await inquiries(store)).toHaveLength(1);
    expect(await applications(store)).toEqual([]);
    expect(await subscribers(store)).toEqual([]);
    expect(await allMails(store)).toHaveLength(2);
  });

  test("spends a challenge once when many come at the same time, through several processes", async ({ tested }) => {
    const { store } = tested;
    const other = await tested.openAgain();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => offer(n % 2 === 0 ? store : other, inquiry(n), { challenge })),
    );
    expect(answers.filter(({ result }) => result === "accepted")).toHaveLength(1);
    expect(answers.filter(({ result }) => result === "challenge-spent")).toHaveLength(19);
    expect(await inquiries(store)).toHaveLength(1);
  });

  test("does not spend a challenge whose submission was not stored", async ({ store }) => {
    await accept(store, application(1), { key });
    const { resume } = application(1);
    await expect(offer(store, application(2, { resume }), { challenge })).rejects.toThrow();
    expect(await offer(store, inquiry(2), { key, challenge })).toMatchObject({ result: "repeated" });
    await accept(store, inquiry(2), { challenge });
  });

  test("takes no key whose challenge is spent, and finds a repetition before its challenge", async ({ store }) => {
    await accept(store, application(1), { challenge });
    expect(await offer(store, inquiry(1), { key, challenge })).toEqual(spent);
    const fresh = { ...challenge, hash: "d".repeat(64) };
    await accept(store, inquiry(1), { key, challenge: fresh });
    expect(await offer(store, inquiry(2), { key, challenge: fresh })).toMatchObject({ result: "repeated" });
  });

  test("takes key and challenge of a subscription that is spam, and keeps nothing else of it", async ({ store }) => {
    const kept = { result: "accepted", reference: null, mails: [], capped: [] };
    expect(await offer(store, subscription(), { spam: true })).toEqual(kept);
    expect(await offer(store, subscription(), { spam: true, key, challenge })).toEqual(kept);
    expect(await offer(store, subscription(), { spam: true, key, challenge })).toMatchObject({ result: "repeated" });
    expect(await offer(store, inquiry(1), { challenge })).toEqual(spent);
    expect(await store.findEarlier(key)).toMatchObject({ fingerprint: key.fingerprint, reference: null });
    expect(await subscribers(store)).toEqual([]);
    expect(await allMails(store)).toEqual([]);
  });
}
