// A provider that is down, hangs, is busy or refuses: what the caller is told, and what becomes of the mails.
import { expect, test } from "vitest";
import { buyerAddress, eventually, inquire, startMailService } from "../../support/outbox/mail-service.ts";
import { listMails } from "../../../server/src/desk/mails.ts";
import { json, rest } from "../../support/doors.ts";
import { statusOf, subscribe } from "../../support/newsletter/reader.ts";
import { wake } from "../../contract/records.ts";

const minute = 60_000;

test("keeps the submission when the provider is down, says so, and sends the mails once it is back", async () => {
  await using running = await startMailService();
  running.postmark.breakdown = { kind: "error", status: 422, code: 100 };
  // The second try is due after five seconds.
  running.clock.hold();
  const { status, receipt } = await inquire(running.service, 1);
  expect(status).toBe(200);
  expect(receipt).toMatchObject({ confirmationEmailSent: false });
  expect((await running.service.stored()).inquiries.map(({ reference }) => reference)).toEqual([
    receipt?.["inquiryId"],
  ]);
  expect(running.postmark.taken).toEqual([]);
  await eventually(() => running.receiptsTo(buyerAddress(1))).toMatchObject([{ status: "queued", attempts: 1 }]);

  running.postmark.breakdown = null;
  running.clock.advance(minute);
  await eventually(() => running.taken().toSorted()).toEqual([buyerAddress(1), "sales@datasets.example"]);
  await eventually(() => running.receiptsTo(buyerAddress(1))).toMatchObject([{ status: "sent", attempts: 2 }]);
});

test("answers at the deadline while the provider hangs", async () => {
  await using running = await startMailService({ MAIL_DEADLINE_MS: "50" });
  running.postmark.breakdown = { kind: "hang", taken: true };
  const { receipt } = await inquire(running.service, 1);
  expect(receipt).toMatchObject({ confirmationEmailSent: false });
  // The try itself is not over: the mailer gives up later than the answer does.
  expect(await running.receiptsTo(buyerAddress(1))).toMatchObject([{ status: "queued", attempts: 0 }]);
});

test("a mail that is refused for good is not tried again, and is sent once an operator wakes it", async () => {
  await using running = await startMailService();
  running.postmark.refuse(buyerAddress(1), 406);
  const { receipt } = await inquire(running.service, 1);
  expect(receipt).toMatchObject({ confirmationEmailSent: false });
  const failed = { status: "failed", attempts: 1, dueAt: null, lastError: "postmark: code 406" };
  await eventually(() => running.receiptsTo(buyerAddress(1))).toMatchObject([failed]);

  running.postmark.refuse(buyerAddress(1), 0);
  const [mail] = await running.receiptsTo(buyerAddress(1));
  const again = () => wake(running.store, mail!.id, running.clock.now());
  // The refusal has suppressed the address, so that the mail waits until that is lifted.
  expect(await again()).toBe("suppressed");
  await running.store.suppress({ email: buyerAddress(1), reason: null, at: running.clock.now() });
  expect(await again()).toBe("due");
  await eventually(() => running.taken()).toEqual(["sales@datasets.example", buyerAddress(1)]);
});

// A mail that the provider refuses because of its recipient is the last automatic one to that address.
const gone = "gone@example.org";
const inquiry = json({ name: "Ann Buyer", email: gone, selectedPackageIds: ["en-GB"] });

test("a refused receipt stops the receipts to its address, not the notices", async () => {
  await using running = await startMailService();
  running.postmark.refuse(gone, 406);
  for (const _time of ["refused", "not even tried"]) {
    const { receipt } = await rest.send(running.service, "marketplace.inquiry", inquiry);
    expect(receipt).toMatchObject({ confirmationEmailSent: false });
    await expect.poll(async () => (await running.store.mailBacklog()).queued).toBe(0);
  }
  const kinds = (await listMails(running.store.desk, { limit: 10 })).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(["inquiry-notice", "inquiry-notice", "inquiry-receipt"]);
});

test("a refused notice stops nothing", async () => {
  await using running = await startMailService();
  running.postmark.refuse("sales@datasets.example", 406);
  await rest.send(running.service, "marketplace.inquiry", inquiry);
  await expect.poll(async () => (await running.store.mailBacklog()).queued).toBe(0);
  const { receipt } = await rest.send(running.service, "marketplace.inquiry", inquiry);
  expect(receipt).toMatchObject({ confirmationEmailSent: true });
});

test("a refused welcome mail ends the subscription as bounced", async () => {
  await using running = await startMailService();
  running.postmark.refuse(gone, 406);
  await subscribe(running.service, gone);
  await expect.poll(() => statusOf(running.service, gone)).toBe("bounced");
});
