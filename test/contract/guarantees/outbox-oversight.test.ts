// What the port promises operators about mails: to see them, to wake them, and never to send one twice.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import type { LeasedMail } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  allMails,
  idsOf,
  inTurn,
  lease,
  minute,
  noon,
  otherLease as other,
  sample,
  settle,
  subscription,
  tryAgain,
  wake,
  wakeAll,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

async function storeMixed(store: Store) {
  const mails: LeasedMail[] = [];
  for (const number of [0, 1, 2]) {
    mails.push(...(await acceptMails(store, inTurn(number, { receivedAt: noon + number * minute }))));
  }
  const six = (at: number) => mails[at]!;
  const [sent, failed, failedLater, doubtful] = [six(0), six(1), six(2), six(3)];
  await settle(store, { sent: [sent], failed: [failed, failedLater], "in-doubt": [doubtful] });
  return { mails, sent, failed, failedLater, doubtful, queued: six(4), queuedLater: six(5) };
}

test("lists mails newest first, of one status or all, at most as many as asked for", async ({ store }) => {
  const { mails, sent, failed, failedLater, doubtful, queued, queuedLater } = await storeMixed(store);
  expect(idsOf(await listMails(store.desk, { limit: 10 }))).toEqual(idsOf(mails).toReversed());
  expect(await listMails(store.desk, { limit: 2 })).toHaveLength(2);
  expect(await listMails(store.desk, { limit: 0 })).toEqual([]);
  const list = async (status: "queued" | "sent" | "failed" | "in-doubt", limit = 10) =>
    idsOf(await listMails(store.desk, { status, limit }));
  expect(await list("queued")).toEqual([queuedLater.id, queued.id]);
  expect(await list("sent")).toEqual([sent.id]);
  expect(await list("failed")).toEqual([failedLater.id, failed.id]);
  expect(await list("failed", 1)).toEqual([failedLater.id]);
  expect(await list("in-doubt")).toEqual([doubtful.id]);
});

test.nightly("lists more mails than a page holds, and wakes more than a batch holds, once each", async ({ store }) => {
  const accepted = await Promise.all(Array.from({ length: 300 }, (_, n) => acceptMails(store, inTurn(n))));
  const ids = idsOf(accepted.flat());
  expect(new Set(idsOf(await allMails(store)))).toEqual(new Set(ids));
  expect(await listMails(store.desk, { status: "queued", limit: 550 })).toHaveLength(550);
  await settle(store, { failed: accepted.flat() });
  expect(await listMails(store.desk, { status: "failed", limit: 1_000 })).toHaveLength(600);
  expect(await wakeAll(store, "failed", noon)).toBe(600);
  expect(await store.mailBacklog()).toMatchObject({ queued: 600, failed: 0 });
});

eachKind("shows of a mail what it is about and where it stands: %s", async (kind, { store }) => {
  const { reference, mails } = await accept(store, sample(kind, 1));
  await accept(store, subscription());
  const waiting = { status: "queued", attempts: 0, createdAt: noon, dueAt: noon };
  const nothing = { sentAt: null, providerId: null, lastError: null };
  const [welcome, notice] = await listMails(store.desk, { limit: 2 });
  expect(notice).toEqual({
    id: mails[1]?.id,
    kind: `${kind}-notice`,
    reply: null,
    reference,
    email: sample(kind, 1).email,
    ...waiting,
    ...nothing,
  });
  const email = subscription().email;
  expect(welcome).toMatchObject({ kind: "newsletter-welcome", reference: null, email, ...waiting, ...nothing });
});

test("tells how many mails wait, since when and until when, failed or are in doubt", async ({ store }) => {
  const none = { queued: 0, failed: 0, inDoubt: 0, oldestCreatedAt: null, firstDueAt: null };
  expect(await store.mailBacklog()).toEqual(none);
  const { queued, queuedLater } = await storeMixed(store);
  const some = { queued: 2, failed: 2, inDoubt: 1, oldestCreatedAt: noon + 2 * minute };
  expect(await store.mailBacklog()).toEqual({ ...some, firstDueAt: noon + 2 * minute });
  const later = [tryAgain(queued, noon + 9 * minute), tryAgain(queuedLater, noon + 5 * minute)];
  await store.mails.settle(later, lease.owner);
  expect(await store.mailBacklog()).toEqual({ ...some, firstDueAt: noon + 5 * minute });
});

test("wakes one stopped mail, whole, and counts its tries anew", async ({ store }) => {
  const { failed, doubtful } = await storeMixed(store);
  for (const mail of [failed, doubtful]) {
    expect(await wake(store, mail.id, noon + minute)).toBe("due");
    const claimed = await store.mails.claim(noon + minute, 10, other);
    expect(claimed).toEqual([{ ...mail, attempts: 0, leasedUntil: other.until }]);
  }
});

test("wakes a welcome mail with its links", async ({ store }) => {
  const { mails } = await accept(store, subscription());
  const [welcome] = mails;
  await settle(store, { failed: mails });
  await wakeAll(store, "failed", noon);
  expect(await store.mails.claim(noon, 10, other)).toEqual([{ ...welcome, leasedUntil: other.until }]);
});

test("wakes all mails of a status and nothing else", async ({ store }) => {
  const { failed, failedLater, doubtful } = await storeMixed(store);
  expect(await wakeAll(store, "failed", noon)).toBe(2);
  const claimed = await store.mails.claim(noon, 10, other);
  expect(new Set(idsOf(claimed))).toEqual(new Set([failed.id, failedLater.id]));
  expect(await wakeAll(store, "failed", noon)).toBe(0);
  expect(await wakeAll(store, "in-doubt", noon)).toBe(1);
  expect(idsOf(await store.mails.claim(noon, 10, other))).toEqual([doubtful.id]);
});

test("brings a queued mail forward, whose tries go on counting", async ({ store }) => {
  const { queued } = await storeMixed(store);
  await store.mails.settle([tryAgain(queued, noon + 1e9)], lease.owner);
  expect(await wake(store, queued.id, noon)).toBe("due");
  expect(await store.mails.claim(noon, 10, other)).toMatchObject([{ id: queued.id, attempts: 1 }]);
});

test("never sends a sent mail again, nor takes one from the process that has leased it", async ({ store }) => {
  const { sent, queued } = await storeMixed(store);
  expect(await wake(store, sent.id, noon)).toBe("left");
  for (const id of ["unknown", "999999-0"]) expect(await wake(store, id, noon)).toBeNull();
  expect(await wake(store, queued.id, noon)).toBe("due");
  expect(await store.mails.claim(noon, 10, other)).toEqual([]);
});
