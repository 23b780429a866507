// What the port promises operators about mails: to see them, to wake them, and never to send one twice.
import { expect, test } from "vitest";
import type { LeasedMail, MailSettlement } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  allMails,
  idsOf,
  inquiry,
  lease,
  minute,
  noon,
  otherLease as other,
  subscription,
} from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const stopped = (id: string, result: "failed" | "in-doubt"): MailSettlement => ({
  id,
  result,
  at: noon,
  error: "no",
  denials: null,
});

/** Stores six mails, two a minute. */
async function storeMixed(store: Store) {
  const mails: LeasedMail[] = [];
  for (const number of [0, 1, 2]) {
    mails.push(...(await acceptMails(store, inquiry(number, { receivedAt: noon + number * minute }))));
  }
  const [sent, failed, failedLater, doubtful, queued, queuedLater] = mails as [
    LeasedMail,
    LeasedMail,
    LeasedMail,
    LeasedMail,
    LeasedMail,
    LeasedMail,
  ];
  await store.settleMails(
    [
      { id: sent.id, result: "sent", at: noon, providerId: "pm-1" },
      stopped(failed.id, "failed"),
      stopped(failedLater.id, "failed"),
      stopped(doubtful.id, "in-doubt"),
    ],
    lease.owner,
  );
  return { mails, sent, failed, failedLater, doubtful, queued, queuedLater };
}

export function oversightGuarantees(open: OpenStoreUnderTest): void {
  seeing(open);
  waking(open);
}

function seeing(open: OpenStoreUnderTest): void {
  test("lists mails newest first, at most as many as asked for", async () => {
    await using tested = await open();
    const { mails } = await storeMixed(tested.store);
    expect(idsOf(await tested.store.listMails({ limit: 10 }))).toEqual(idsOf(mails).toReversed());
    expect(await tested.store.listMails({ limit: 2 })).toHaveLength(2);
    expect(await tested.store.listMails({ limit: 0 })).toEqual([]);
  });

  test("lists mails of one status", async () => {
    await using tested = await open();
    const { sent, failed, failedLater, doubtful, queued, queuedLater } = await storeMixed(tested.store);
    const list = async (status: "queued" | "sent" | "failed" | "in-doubt", limit = 10) =>
      idsOf(await tested.store.listMails({ status, limit }));
    expect(await list("queued")).toEqual([queuedLater.id, queued.id]);
    expect(await list("sent")).toEqual([sent.id]);
    expect(await list("failed")).toEqual([failedLater.id, failed.id]);
    expect(await list("failed", 1)).toEqual([failedLater.id]);
    expect(await list("in-doubt")).toEqual([doubtful.id]);
  });

  test("lists more mails than a page holds", async () => {
    await using tested = await open();
    const { store } = tested;
    const accepted = await Promise.all(Array.from({ length: 600 }, (_, n) => acceptMails(store, inquiry(n))));
    expect(new Set(idsOf(await allMails(store)))).toEqual(new Set(idsOf(accepted.flat())));
    const failed = accepted.map(([, notice]) => stopped(notice.id, "failed"));
    await store.settleMails(failed, lease.owner);
    expect(await store.listMails({ status: "failed", limit: 1_000 })).toHaveLength(600);
    expect(await store.listMails({ status: "queued", limit: 550 })).toHaveLength(550);
  });

  test("shows of a mail what it is about and where it stands", async () => {
    await using tested = await open();
    const { reference, mails } = await accept(tested.store, inquiry(1));
    await accept(tested.store, subscription());
    const waiting = { status: "queued", attempts: 0, createdAt: noon, dueAt: noon };
    const nothing = { sentAt: null, providerId: null, lastError: null };
    const [welcome, notice] = await tested.store.listMails({ limit: 2 });
    expect(notice).toEqual({
      id: mails[1]?.id,
      kind: "inquiry-notice",
      reference,
      email: inquiry(1).email,
      ...waiting,
      ...nothing,
    });
    const email = subscription().email;
    expect(welcome).toMatchObject({ kind: "newsletter-welcome", reference: null, email, ...waiting, ...nothing });
  });

  test("tells how many mails wait, since when, when the first is due, and how many failed or are in doubt", async () => {
    await using tested = await open();
    const none = { queued: 0, failed: 0, inDoubt: 0, oldestCreatedAt: null, firstDueAt: null };
    expect(await tested.store.mailBacklog()).toEqual(none);
    const { queued, queuedLater } = await storeMixed(tested.store);
    const some = { queued: 2, failed: 2, inDoubt: 1, oldestCreatedAt: noon + 2 * minute };
    expect(await tested.store.mailBacklog()).toEqual({ ...some, firstDueAt: noon + 2 * minute });
    const later = (id: string, dueAt: number) =>
      ({ id, at: noon, result: "later", dueAt, error: "e", denials: null, tried: true }) as const;
    await tested.store.settleMails(
      [later(queued.id, noon + 9 * minute), later(queuedLater.id, noon + 5 * minute)],
      lease.owner,
    );
    expect(await tested.store.mailBacklog()).toEqual({ ...some, firstDueAt: noon + 5 * minute });
  });
}

function waking(open: OpenStoreUnderTest): void {
  test("wakes one stopped mail, whole, and counts its tries anew", async () => {
    await using tested = await open();
    const { failed, doubtful } = await storeMixed(tested.store);
    for (const mail of [failed, doubtful]) {
      expect(await tested.store.retryMails({ id: mail.id }, noon + minute)).toBe(1);
      const claimed = await tested.store.claimDueMails(noon + minute, 10, other);
      expect(claimed).toEqual([{ ...mail, attempts: 0, leasedUntil: other.until }]);
    }
  });

  test("wakes a welcome mail with its links", async () => {
    await using tested = await open();
    const { mails } = await accept(tested.store, subscription());
    const [welcome] = mails;
    await tested.store.settleMails([stopped(welcome!.id, "failed")], lease.owner);
    await tested.store.retryMails({ status: "failed" }, noon);
    expect(await tested.store.claimDueMails(noon, 10, other)).toEqual([{ ...welcome, leasedUntil: other.until }]);
  });

  test("wakes all mails of a status and nothing else", async () => {
    await using tested = await open();
    const { failed, failedLater, doubtful } = await storeMixed(tested.store);
    expect(await tested.store.retryMails({ status: "failed" }, noon)).toBe(2);
    const claimed = await tested.store.claimDueMails(noon, 10, other);
    expect(new Set(idsOf(claimed))).toEqual(new Set([failed.id, failedLater.id]));
    expect(await tested.store.retryMails({ status: "failed" }, noon)).toBe(0);
    expect(await tested.store.retryMails({ status: "in-doubt" }, noon)).toBe(1);
    expect(idsOf(await tested.store.claimDueMails(noon, 10, other))).toEqual([doubtful.id]);
  });

  test("wakes all of more mails than a batch holds, once each", async () => {
    await using tested = await open();
    const { store } = tested;
    const accepted = await Promise.all(Array.from({ length: 300 }, (_, n) => acceptMails(store, inquiry(n))));
    const ids = idsOf(accepted.flat());
    await store.settleMails(
      ids.map((id) => stopped(id, "failed")),
      lease.owner,
    );
    expect(await store.retryMails({ status: "failed" }, noon)).toBe(600);
    expect(await store.mailBacklog()).toMatchObject({ queued: 600, failed: 0 });
  });

  test("brings a queued mail forward, whose tries go on counting", async () => {
    await using tested = await open();
    const { queued } = await storeMixed(tested.store);
    const later = { id: queued.id, result: "later", at: noon, dueAt: noon + 1e9, error: "x" } as const;
    await tested.store.settleMails([{ ...later, denials: null, tried: true }], lease.owner);
    expect(await tested.store.retryMails({ id: queued.id }, noon)).toBe(1);
    expect(await tested.store.claimDueMails(noon, 10, other)).toMatchObject([{ id: queued.id, attempts: 1 }]);
  });

  test("never sends a sent mail again", async () => {
    await using tested = await open();
    const { sent } = await storeMixed(tested.store);
    for (const id of [sent.id, "unknown", "999999-0"]) expect(await tested.store.retryMails({ id }, noon)).toBe(0);
    expect(await tested.store.claimDueMails(noon, 10, other)).toEqual([]);
  });

  test("does not take a mail from the process that has leased it", async () => {
    await using tested = await open();
    const { queued } = await storeMixed(tested.store);
    expect(await tested.store.retryMails({ id: queued.id }, noon)).toBe(1);
    expect(await tested.store.claimDueMails(noon, 10, other)).toEqual([]);
  });
}
