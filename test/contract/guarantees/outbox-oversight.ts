// What the port promises operators about mails: to see them, to wake them, and never to send one twice.
import { expect, test } from "vitest";
import type { MailSettlement, NewMail } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { inquiry, lease, mail, minute, noon } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const other = { owner: "other-process", until: noon + 10 * minute };

const refused = (id: string): MailSettlement => ({ id, result: "failed", at: noon, error: "no", denials: null });

/** Stores one mail a minute: sent, failed, failed, queued, in this order. */
async function storeMixed(store: Store): Promise<[NewMail, NewMail, NewMail, NewMail]> {
  const mails = [mail(), mail(), mail(), mail()] as [NewMail, NewMail, NewMail, NewMail];
  for (const [index, one] of mails.entries()) {
    await store.acceptInquiry(inquiry(index, { receivedAt: noon + index * minute }), [one], lease);
  }
  const sent: MailSettlement = { id: mails[0].id, result: "sent", at: noon, providerId: "pm-1" };
  await store.settleMails([sent, refused(mails[1].id), refused(mails[2].id)], lease.owner);
  return mails;
}

const idsOf = (mails: readonly { readonly id: string }[]) => mails.map((one) => one.id);

export function oversightGuarantees(open: OpenStoreUnderTest): void {
  seeing(open);
  waking(open);
}

function seeing(open: OpenStoreUnderTest): void {
  test("lists mails newest first, at most as many as asked for", async () => {
    await using tested = await open();
    const mails = await storeMixed(tested.store);
    expect(idsOf(await tested.store.listMails({ limit: 10 }))).toEqual(idsOf(mails).toReversed());
    expect(await tested.store.listMails({ limit: 2 })).toHaveLength(2);
  });

  test("lists mails of one status", async () => {
    await using tested = await open();
    const [sent, failed, failedLater, queued] = await storeMixed(tested.store);
    const list = async (status: "queued" | "sent" | "failed") =>
      idsOf(await tested.store.listMails({ status, limit: 10 }));
    expect(await list("queued")).toEqual([queued.id]);
    expect(await list("sent")).toEqual([sent.id]);
    expect(await list("failed")).toEqual([failedLater.id, failed.id]);
  });

  test("shows of a mail whom it goes to and where it stands", async () => {
    await using tested = await open();
    const { content, ...given } = mail({ kind: "application-notice", reference: "APP-20261121-000001" });
    const to = ["a@example.org", "b@example.org"];
    await tested.store.acceptInquiry(inquiry(1), [{ ...given, content: { ...content, to } }], lease);
    expect(await tested.store.listMails({ limit: 1 })).toEqual([
      {
        ...given,
        to,
        subject: content.subject,
        status: "queued",
        attempts: 0,
        createdAt: noon,
        dueAt: noon,
        sentAt: null,
        providerId: null,
        lastError: null,
      },
    ]);
  });

  test("tells how many mails wait and since when", async () => {
    await using tested = await open();
    expect(await tested.store.mailBacklog()).toEqual({ queued: 0, failed: 0, oldestCreatedAt: null });
    await storeMixed(tested.store);
    expect(await tested.store.mailBacklog()).toEqual({
      queued: 1,
      failed: 2,
      oldestCreatedAt: noon + 3 * minute,
    });
  });
}

function waking(open: OpenStoreUnderTest): void {
  test("wakes one failed mail, whole, and counts its tries anew", async () => {
    await using tested = await open();
    const [, failed] = await storeMixed(tested.store);
    expect(await tested.store.retryMails({ id: failed.id }, noon + minute)).toBe(1);
    const claimed = await tested.store.claimDueMails(noon + minute, 10, other);
    expect(claimed).toEqual([{ ...failed, attempts: 0, createdAt: noon + minute, denials: null }]);
  });

  test("wakes all failed mails and nothing else", async () => {
    await using tested = await open();
    const [, failed, failedLater] = await storeMixed(tested.store);
    expect(await tested.store.retryMails("all-failed", noon)).toBe(2);
    const claimed = await tested.store.claimDueMails(noon, 10, other);
    expect(new Set(idsOf(claimed))).toEqual(new Set([failed.id, failedLater.id]));
    expect(await tested.store.retryMails("all-failed", noon)).toBe(0);
  });

  test("brings a queued mail forward", async () => {
    await using tested = await open();
    const [, , , queued] = await storeMixed(tested.store);
    const later = { id: queued.id, result: "later", at: noon, dueAt: noon + 1e9, error: "x" } as const;
    await tested.store.settleMails([{ ...later, denials: null, tried: true }], lease.owner);
    expect(await tested.store.retryMails({ id: queued.id }, noon)).toBe(1);
    expect(await tested.store.claimDueMails(noon, 10, other)).toMatchObject([{ id: queued.id, attempts: 1 }]);
  });

  test("never sends a sent mail again", async () => {
    await using tested = await open();
    const [sent] = await storeMixed(tested.store);
    expect(await tested.store.retryMails({ id: sent.id }, noon)).toBe(0);
    expect(await tested.store.retryMails({ id: "unknown" }, noon)).toBe(0);
    expect(await tested.store.claimDueMails(noon, 10, other)).toEqual([]);
  });

  test("does not take a mail from the sender that has it in its hands", async () => {
    await using tested = await open();
    const [, , , queued] = await storeMixed(tested.store);
    expect(await tested.store.retryMails({ id: queued.id }, noon)).toBe(1);
    expect(await tested.store.claimDueMails(noon, 10, other)).toEqual([]);
  });
}
