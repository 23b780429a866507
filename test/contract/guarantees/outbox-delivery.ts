// What the port promises about mails on their way: one lease, one sender, and nothing forgotten.
import { expect, test } from "vitest";
import type { MailSettlement, NewMail } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { inquiry, lease, mail, minute, noon } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const later = { owner: "other-process", until: noon + 10 * minute };
const afterLease = lease.until + 1;

/** Stores mails, each with an inquiry received at its own time. */
async function storeMails(store: Store, receivedAt: readonly number[]): Promise<NewMail[]> {
  const mails = receivedAt.map(() => mail());
  await Promise.all(
    mails.map((one, index) =>
      store.acceptInquiry(inquiry(index, { receivedAt: receivedAt[index] ?? noon }), [one], lease),
    ),
  );
  return mails;
}

async function storeMail(store: Store): Promise<NewMail> {
  const one = mail();
  await store.acceptInquiry(inquiry(1), [one], lease);
  return one;
}

/** A try that has to be repeated. */
const again = (id: string, dueAt: number, more: object = {}): MailSettlement => ({
  id,
  result: "later",
  at: noon,
  dueAt,
  error: "x",
  denials: null,
  tried: true,
  ...more,
});

const refused = (id: string, error: string): MailSettlement => ({
  id,
  result: "failed",
  at: noon,
  error,
  denials: null,
});

const onlyMail = async (store: Store) => (await store.listMails({ limit: 10 }))[0];

export function deliveryGuarantees(open: OpenStoreUnderTest): void {
  claiming(open);
  doubting(open);
  settling(open);
  releasing(open);
}

function claiming(open: OpenStoreUnderTest): void {
  test("keeps a new mail from every sender but the accepting process until its lease ends", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    expect(await tested.store.claimDueMails(lease.until, 10, later)).toEqual([]);
    const claimed = await tested.store.claimDueMails(afterLease, 10, later);
    expect(claimed.map((one) => one.id)).toEqual([id]);
  });

  test("hands a claimed mail over as it was stored", async () => {
    await using tested = await open();
    const given = mail({ kind: "inquiry-notice", reference: "INQ-20261121-000001" });
    await tested.store.acceptInquiry(inquiry(1), [given], lease);
    const claimed = await tested.store.claimDueMails(afterLease, 10, later);
    expect(claimed).toEqual([{ ...given, attempts: 0, createdAt: noon, denials: 0 }]);
  });

  test("claims the oldest due mails first, and at most as many as asked for", async () => {
    await using tested = await open();
    const [c, a, b] = await storeMails(tested.store, [noon + 3, noon + 1, noon + 2]);
    const first = await tested.store.claimDueMails(afterLease, 2, later);
    expect(first.map((one) => one.id)).toEqual([a?.id, b?.id]);
    const second = await tested.store.claimDueMails(afterLease, 2, later);
    expect(second.map((one) => one.id)).toEqual([c?.id]);
  });

  test("leases no mail to two claimers at once", async () => {
    await using tested = await open();
    await storeMails(
      tested.store,
      Array.from({ length: 60 }, () => noon),
    );
    const other = await tested.openAgain();
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? tested.store : other).claimDueMails(afterLease, 10, {
          owner: `sender-${index}`,
          until: later.until,
        }),
      ),
    );
    const ids = claims.flat().map((one) => one.id);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });

  test("leaves a mail alone that is not due yet", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    const dueAt = noon + 60 * minute;
    await tested.store.settleMails([again(id, dueAt)], lease.owner);
    expect(await tested.store.claimDueMails(dueAt - 1, 10, later)).toEqual([]);
    expect(await tested.store.claimDueMails(dueAt, 10, later)).toHaveLength(1);
  });
}

function doubting(open: OpenStoreUnderTest): void {
  const claimOnly = async (store: Store, now: number, by = later) => (await store.claimDueMails(now, 10, by))[0];

  test("hands over in doubt what another owner let run out: it may have been sent", async () => {
    await using tested = await open();
    await storeMail(tested.store);
    expect(await claimOnly(tested.store, afterLease)).toMatchObject({ denials: 0 });
  });

  test("hands over without doubt what its owner gave back, or lets run out itself", async () => {
    await using tested = await open();
    await storeMails(tested.store, [noon]);
    const own = { owner: lease.owner, until: afterLease + minute };
    expect(await claimOnly(tested.store, afterLease, own)).toMatchObject({ denials: null });
    await tested.store.releaseMails(lease.owner, afterLease);
    expect(await claimOnly(tested.store, afterLease)).toMatchObject({ denials: null });
  });

  test("keeps the doubt of a settlement, and forgets the denials when an owner dies over it", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([again(id, noon, { denials: 1 })], lease.owner);
    const first = await claimOnly(tested.store, noon, { owner: "first", until: noon + 1 });
    expect(first).toMatchObject({ denials: 1 });
    expect(await claimOnly(tested.store, noon + 2)).toMatchObject({ denials: 0 });
    await tested.store.settleMails([again(id, noon + 2)], later.owner);
    expect(await claimOnly(tested.store, noon + 2)).toMatchObject({ denials: null });
  });

  test("keeps the doubt of a mail that was given up until an operator wakes it", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([{ ...refused(id, "given up"), denials: 1 } as MailSettlement], lease.owner);
    await tested.store.retryMails({ id }, noon);
    expect(await claimOnly(tested.store, noon)).toMatchObject({ denials: 1 });
  });

  test("counts no try for a mail that was only asked about", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([again(id, noon + 1, { tried: false })], lease.owner);
    expect(await onlyMail(tested.store)).toMatchObject({ attempts: 0, dueAt: noon + 1, lastError: "x" });
  });

  test("sets a row aside that cannot be read, and hands over the others", async () => {
    await using tested = await open();
    const [bad, worse, good] = await storeMails(tested.store, [noon, noon + 1, noon + 2]);
    await tested.spoilMail(bad!.id, "recipients");
    await tested.spoilMail(worse!.id, "headers");
    expect(await tested.store.claimDueMails(afterLease, 10, later)).toMatchObject([{ id: good!.id }]);
    const failed = await tested.store.listMails({ status: "failed", limit: 10 });
    expect(failed).toMatchObject([
      { id: worse!.id, attempts: 1, lastError: "unreadable row" },
      { id: bad!.id, attempts: 1, lastError: "unreadable row", to: [] },
    ]);
  });
}

function settling(open: OpenStoreUnderTest): void {
  test("settles a mail whatever the provider says of it, characters that a database may refuse among it", async () => {
    await using tested = await open();
    const { store } = tested;
    const [sent, failed] = [mail(), mail()];
    await store.acceptInquiry(inquiry(1), [sent, failed], lease);
    const words = "id \0 \ud800 'x' 🎙️";
    await store.settleMails(
      [
        { id: sent.id, result: "sent", at: noon, providerId: words },
        { id: failed.id, result: "failed", at: noon, error: words, denials: null },
      ],
      lease.owner,
    );
    const kept = "id  \ufffd 'x' 🎙️";
    expect(await store.listMails({ status: "sent", limit: 1 })).toMatchObject([{ id: sent.id, providerId: kept }]);
    expect(await store.listMails({ status: "failed", limit: 1 })).toMatchObject([{ id: failed.id, lastError: kept }]);
  });

  test("never hands out a sent mail again", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    const at = noon + 5;
    await tested.store.settleMails([{ id, result: "sent", at, providerId: "pm-1" }], lease.owner);
    const expected = { status: "sent", attempts: 1, sentAt: at, providerId: "pm-1", dueAt: null };
    expect(await onlyMail(tested.store)).toMatchObject({ ...expected, lastError: null });
    expect(await tested.store.claimDueMails(noon + 1e9, 10, later)).toEqual([]);
  });

  test("keeps a failed mail, with the reason, until an operator wakes it", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([refused(id, "inactive")], lease.owner);
    const expected = { status: "failed", attempts: 1, dueAt: null, lastError: "inactive" };
    expect(await onlyMail(tested.store)).toMatchObject(expected);
    expect(await tested.store.claimDueMails(noon + 1e9, 10, later)).toEqual([]);
  });

  test("counts the tries of a mail that has to be tried again", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([again(id, noon + 1, { error: "timeout" })], lease.owner);
    const expected = { status: "queued", attempts: 1, dueAt: noon + 1, lastError: "timeout" };
    expect(await onlyMail(tested.store)).toMatchObject(expected);
    const [claimed] = await tested.store.claimDueMails(noon + 1, 10, later);
    expect(claimed?.attempts).toBe(1);
  });

  test("ignores what another owner says of a leased mail", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.claimDueMails(afterLease, 10, later);
    await tested.store.settleMails([refused(id, "too late")], lease.owner);
    expect(await onlyMail(tested.store)).toMatchObject({ status: "queued", attempts: 0 });
    const sent: MailSettlement = { id, result: "sent", at: noon, providerId: "pm-1" };
    await tested.store.settleMails([sent], later.owner);
    expect(await onlyMail(tested.store)).toMatchObject({ status: "sent" });
  });

  test("ignores what is said of a mail after it was settled", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    const sent: MailSettlement = { id, result: "sent", at: noon, providerId: "pm-1" };
    await tested.store.settleMails([sent], lease.owner);
    await tested.store.settleMails([again(id, noon), again("unknown", noon)], lease.owner);
    expect(await onlyMail(tested.store)).toMatchObject({ status: "sent", attempts: 1 });
  });

  test("still believes an owner whose lease ran out while nobody claimed the mail", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    const sent: MailSettlement = { id, result: "sent", at: afterLease, providerId: "pm-1" };
    await tested.store.settleMails([sent], lease.owner);
    expect(await onlyMail(tested.store)).toMatchObject({ status: "sent" });
  });
}

function releasing(open: OpenStoreUnderTest): void {
  test("makes the mails of an owner that stops due at once, the oldest first", async () => {
    await using tested = await open();
    const [b, a] = await storeMails(tested.store, [noon + 2, noon + 1]);
    await tested.store.releaseMails(lease.owner, noon + 3);
    const claimed = await tested.store.claimDueMails(noon + 3, 10, later);
    expect(claimed.map((one) => one.id)).toEqual([a?.id, b?.id]);
  });

  test("releases only what the owner holds", async () => {
    await using tested = await open();
    await storeMail(tested.store);
    await tested.store.releaseMails("somebody-else", noon);
    expect(await tested.store.claimDueMails(noon, 10, later)).toEqual([]);
  });

  test("does not bring forward a mail that waits for its next try", async () => {
    await using tested = await open();
    const { id } = await storeMail(tested.store);
    await tested.store.settleMails([again(id, noon + minute)], lease.owner);
    await tested.store.releaseMails(lease.owner, noon);
    expect(await onlyMail(tested.store)).toMatchObject({ dueAt: noon + minute });
  });
}
