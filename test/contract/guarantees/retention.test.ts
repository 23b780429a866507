// What the port promises about forgetting: what has had its time, in batches, and nothing else.
import { expect } from "vitest";
import { idempotencyMs } from "../../../server/src/storage/limits.ts";
import { challengeMs, forgottenAtOnce, mailMs } from "../../../server/src/storage/sql/housekeeping.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  allMails,
  idsOf,
  noon,
  offer,
  sample,
  settle,
  submissions,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const key = (number: number, createdAt = noon) => ({
  procedure: "marketplace.inquiry",
  keyHash: String(number).padStart(64, "0"),
  fingerprint: "b",
  createdAt,
});

const spamSubscription = subscription();

async function forgetAll(store: Store, now: number): Promise<number[]> {
  const batches: number[] = [];
  for (;;) {
    const { forgotten, more } = await store.forgetExpired(now);
    batches.push(forgotten);
    if (!more) return batches;
  }
}

eachKind("forgets keys after a day, and keeps what they stood for: %s", async (kind, { store }) => {
  await accept(store, sample(kind, 1), { key: key(1) });
  await accept(store, sample(kind, 2), { key: key(2, noon + 1) });
  expect(await forgetAll(store, noon + idempotencyMs - 1)).toEqual([0]);
  expect(await forgetAll(store, noon + idempotencyMs)).toEqual([1]);
  expect(await store.findEarlier(key(2, noon + 1))).not.toBeNull();
  expect(await submissions(store, kind)).toHaveLength(2);
});

eachKind("forgets challenges some time after they have expired: %s", async (kind, { store }) => {
  const challenge = { hash: "c".repeat(64), expiresAt: noon };
  await accept(store, sample(kind, 1), { challenge });
  expect(await forgetAll(store, noon + challengeMs - 1)).toEqual([0]);
  expect(await offer(store, sample(kind, 2), { challenge })).toEqual({ result: "challenge-spent" });
  expect(await forgetAll(store, noon + challengeMs)).toEqual([1]);
});

eachKind(
  "forgets mails that were sent, failed or are in doubt, and never one that waits: %s",
  async (kind, { store }) => {
    const [sent, failed] = await acceptMails(store, sample(kind, 1));
    const [doubtful, queued] = await acceptMails(store, sample(kind, 2));
    const young = await acceptMails(store, sample(kind, 3, { receivedAt: noon + 1 }));
    const all = [sent, failed, doubtful, ...young];
    await settle(store, { sent: [sent, ...young], failed: [failed], "in-doubt": [doubtful] });
    expect(await forgetAll(store, noon + mailMs - 1)).toEqual([0]);
    expect(await allMails(store)).toHaveLength(all.length + 1);
    expect(await forgetAll(store, noon + mailMs)).toEqual([3]);
    expect(new Set(idsOf(await allMails(store)))).toEqual(new Set(idsOf([queued, ...young])));
    expect(await submissions(store, kind)).toHaveLength(3);
  },
);

test("forgets a batch at a time, and says whether there is more", async ({ store }) => {
  const count = forgottenAtOnce + 10;
  await Promise.all(
    Array.from({ length: count }, (_, n) => accept(store, spamSubscription, { spam: true, key: key(n) })),
  );
  expect(await store.forgetExpired(noon + idempotencyMs)).toEqual({ forgotten: forgottenAtOnce, more: true });
  expect(await store.forgetExpired(noon + idempotencyMs)).toEqual({ forgotten: 10, more: false });
  expect(await store.forgetExpired(noon + idempotencyMs)).toEqual({ forgotten: 0, more: false });
});
