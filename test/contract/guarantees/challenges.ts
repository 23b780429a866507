// What the port promises about challenges: each is spent on one submission, whatever kind it is and whoever stores it.
import { expect, test } from "vitest";
import type { ChallengeRecord, IdempotencyRecord } from "../../../server/src/storage/records.ts";
import { application, collect, inquiry, lease, mail, minute, noon, subscription, welcome } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const challenge = (more: Partial<ChallengeRecord> = {}): ChallengeRecord => ({
  hash: "c".repeat(64),
  expiresAt: noon + 10 * minute,
  ...more,
});

const key: IdempotencyRecord = {
  procedure: "marketplace.inquiry",
  keyHash: "a".repeat(64),
  fingerprint: "b".repeat(64),
  createdAt: noon,
};

const spent = { result: "challenge-spent" };

export function challengeGuarantees(open: OpenStoreUnderTest): void {
  test("spends a challenge with its submission, and stores nothing for the same one again, of any kind", async () => {
    await using tested = await open();
    const { store } = tested;
    expect((await store.acceptInquiry(inquiry(1), [mail()], lease, null, challenge())).result).toBe("accepted");
    expect(await store.acceptInquiry(inquiry(2), [mail()], lease, null, challenge())).toEqual(spent);
    expect(await store.acceptApplication(application(1), [mail()], lease, null, challenge())).toEqual(spent);
    expect(await store.acceptSubscription(subscription(), welcome(), lease, null, challenge())).toEqual(spent);
    expect(await store.acceptNothing(null, challenge())).toEqual(spent);
    expect(await collect(store.exportInquiries(0))).toHaveLength(1);
    expect(await collect(store.exportApplications(0))).toEqual([]);
    expect(await collect(store.exportSubscribers(0))).toEqual([]);
    expect(await store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("spends a challenge once when many come at the same time, through several processes", async () => {
    await using tested = await open();
    const other = await tested.openAgain();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const store = n % 2 === 0 ? tested.store : other;
        return store.acceptInquiry(inquiry(n), [mail()], lease, null, challenge());
      }),
    );
    expect(answers.filter(({ result }) => result === "accepted")).toHaveLength(1);
    expect(answers.filter(({ result }) => result === "challenge-spent")).toHaveLength(19);
    expect(await collect(tested.store.exportInquiries(0))).toHaveLength(1);
    expect(await tested.store.listMails({ limit: 100 })).toHaveLength(1);
  });

  test("does not spend a challenge whose submission was not stored", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptInquiry(inquiry(1), [], lease, key);
    expect(await store.acceptInquiry(inquiry(1), [], lease, null, challenge())).toEqual({ result: "reference-taken" });
    expect(await store.acceptInquiry(inquiry(2), [], lease, key, challenge())).toEqual({ result: "repeated" });
    expect((await store.acceptInquiry(inquiry(2), [], lease, null, challenge())).result).toBe("accepted");
  });

  test("takes no key whose challenge is spent, and finds a repetition before the challenge it repeats", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptApplication(application(1), [], lease, null, challenge());
    expect(await store.acceptInquiry(inquiry(1), [], lease, key, challenge())).toEqual(spent);
    const fresh = challenge({ hash: "d".repeat(64) });
    expect((await store.acceptInquiry(inquiry(1), [], lease, key, fresh)).result).toBe("accepted");
    expect(await store.acceptInquiry(inquiry(2), [], lease, key, fresh)).toEqual({ result: "repeated" });
  });

  test("takes key and challenge of what is answered and not kept", async () => {
    await using tested = await open();
    const { store } = tested;
    expect(await store.acceptNothing(null, null)).toEqual({ result: "accepted", mails: [] });
    expect(await store.acceptNothing(key, challenge())).toEqual({ result: "accepted", mails: [] });
    expect(await store.acceptNothing(key, challenge())).toEqual({ result: "repeated" });
    expect(await store.acceptInquiry(inquiry(1), [], lease, null, challenge())).toEqual(spent);
    const earlier = { fingerprint: key.fingerprint, reference: null, receiptSent: false };
    expect(await store.findIdempotency(key.procedure, key.keyHash, 0)).toEqual(earlier);
  });

  test("forgets challenges that have expired when told, and no others", async () => {
    await using tested = await open();
    const { store } = tested;
    const later = challenge({ hash: "d".repeat(64), expiresAt: noon + 11 * minute });
    await store.acceptInquiry(inquiry(1), [], lease, null, challenge());
    await store.acceptInquiry(inquiry(2), [], lease, null, later);
    expect(await store.forgetChallenges(noon + 10 * minute - 1)).toBe(0);
    expect(await store.forgetChallenges(noon + 10 * minute)).toBe(1);
    expect(await store.acceptInquiry(inquiry(3), [], lease, null, later)).toEqual(spent);
  });
}
