// A mail that the provider refuses because of its recipient is the last automatic one to that address.
import { expect, test } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { startMailService } from "../../support/outbox/mail-service.ts";
import { json, rest } from "../../support/doors.ts";
import { statusOf, subscribe } from "../../support/newsletter/reader.ts";

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
