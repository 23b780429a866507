// What the port promises about keys under which a submission may be repeated.
import { expect, test } from "vitest";
import { automaticMailMs, automaticMailsMax } from "../../../server/src/storage/automatic-mail.ts";
import { idempotencyMs } from "../../../server/src/storage/store.ts";
import type { IdempotencyRecord } from "../../../server/src/storage/records.ts";
import { application, collect, inquiry, lease, mail, noon, subscription, welcome } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const key = (more: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  procedure: "marketplace.inquiry",
  keyHash: "a".repeat(64),
  fingerprint: "b".repeat(64),
  createdAt: noon,
  ...more,
});

export function idempotencyGuarantees(open: OpenStoreUnderTest): void {
  test("takes a key with its submission and stores nothing for the same key again", async () => {
    await using tested = await open();
    const { store } = tested;
    expect((await store.acceptInquiry(inquiry(1), [mail()], lease, key())).result).toBe("accepted");
    expect(await store.acceptInquiry(inquiry(2), [mail()], lease, key())).toEqual({ result: "repeated" });
    expect(await collect(store.exportInquiries(0))).toHaveLength(1);
    expect(await store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("takes a key once when many come at the same time", async () => {
    await using tested = await open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => tested.store.acceptInquiry(inquiry(n), [mail()], lease, key())),
    );
    expect(answers.filter(({ result }) => result === "accepted")).toHaveLength(1);
    expect(answers.filter(({ result }) => result === "repeated")).toHaveLength(19);
  });

  test("does not take a key whose submission was not stored", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptInquiry(inquiry(1), [], lease);
    expect(await store.acceptInquiry(inquiry(1), [], lease, key())).toEqual({ result: "reference-taken" });
    expect(await store.findIdempotency("marketplace.inquiry", key().keyHash, 0)).toBeNull();
    expect((await store.acceptInquiry(inquiry(2), [], lease, key())).result).toBe("accepted");
  });

  test("finds what a key stands for, and whether its receipt has gone out by now", async () => {
    await using tested = await open();
    const { store } = tested;
    const receipt = mail();
    await store.acceptInquiry(inquiry(1), [receipt, mail({ kind: "inquiry-notice" })], lease, key());
    const find = () => store.findIdempotency("marketplace.inquiry", key().keyHash, noon - 1);
    const earlier = { fingerprint: key().fingerprint, reference: inquiry(1).reference };
    expect(await find()).toEqual({ ...earlier, receiptSent: false });
    await store.settleMails([{ id: receipt.id, result: "sent", at: noon, providerId: "p" }], lease.owner);
    expect(await find()).toEqual({ ...earlier, receiptSent: true });
  });

  test("keeps keys of different procedures apart", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptInquiry(inquiry(1), [], lease, key());
    const ofApplications = key({ procedure: "applications.submit" });
    const ofNewsletter = key({ procedure: "newsletter.subscribe" });
    expect((await store.acceptApplication(application(1), [], lease, ofApplications)).result).toBe("accepted");
    expect((await store.acceptSubscription(subscription(), welcome(), lease, ofNewsletter)).result).toBe("accepted");
    const again = await store.acceptSubscription(subscription(), welcome(), lease, ofNewsletter);
    expect(again).toEqual({ result: "repeated" });
  });

  test("lets a key be used anew once it has run out, and forgets it when told", async () => {
    await using tested = await open();
    const { store } = tested;
    await store.acceptInquiry(inquiry(1), [], lease, key());
    const later = noon + idempotencyMs;
    expect(await store.findIdempotency("marketplace.inquiry", key().keyHash, later - idempotencyMs)).toBeNull();
    const anew = await store.acceptInquiry(inquiry(2), [], lease, key({ createdAt: later }));
    expect(anew.result).toBe("accepted");
    expect(await store.forgetIdempotency(later - 1)).toBe(0);
    expect(await store.forgetIdempotency(later)).toBe(1);
  });

  test("stores no more automatic mails to one address than a day allows, notices apart", async () => {
    await using tested = await open();
    const { store } = tested;
    const receipt = () => mail({ content: { ...mail().content, to: ["Ann@example.org"] } });
    const notice = () => mail({ kind: "inquiry-notice", content: { ...mail().content, to: ["ann@example.org"] } });
    const accept = async (number: number, receivedAt: number) => {
      const mails = [receipt(), notice()];
      const accepted = await store.acceptInquiry(inquiry(number, { receivedAt }), mails, lease);
      return accepted.result === "accepted" ? mails.map(({ id }) => accepted.mails.includes(id)) : [];
    };
    for (let n = 0; n < automaticMailsMax; n += 1) expect(await accept(n, noon + n)).toEqual([true, true]);
    expect(await accept(10, noon + 10)).toEqual([false, true]);
    expect(await accept(11, noon + automaticMailMs)).toEqual([true, true]);
  });
}
