// What a caller is told of the confirmation mail, with every mailer, and while the provider is down.
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, rpc } from "../../support/doors.ts";
import { addressees } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { buyerAddress, eventually, inquire, startMailService } from "../../support/outbox/mail-service.ts";
import { receiptsMax } from "../../../server/src/storage/limits.ts";

const jobs = "jobs@datasets.example";

describe.each(doors)("through $name", (door) => {
  test.each([
    ["marketplace.inquiry", json(buyer), buyer.email, "sales@datasets.example", "inquiry"],
    ["applications.submit", form({ ...applicant, resumeFile: pdf() }), applicant.email, jobs, "application"],
  ] as const)("%s: receipt and notice go out in one call, as told", async (procedure, init, email, team, kind) => {
    await using running = await startMailService();
    const { receipt } = await door.send(running.service, procedure, init);
    expect(receipt).toMatchObject({ confirmationEmailSent: true });
    const reference = receipt?.[`${kind}Id`];
    expect(running.postmark.taken.map(({ To, Tag, Metadata }) => [To, Tag, Metadata?.["reference"]])).toEqual([
      [email, `${kind}-receipt`, reference],
      [team, `${kind}-notice`, reference],
    ]);
    expect(running.postmark.requests).toHaveLength(1);
  });

  test("a subscription's welcome goes out, without the answer waiting for it", async () => {
    await using running = await startMailService();
    running.postmark.breakdown = { kind: "hang", taken: true };
    const { status } = await door.send(running.service, "newsletter.subscribe", json({ email: "r@example.org" }));
    expect(status).toBe(200);
    await eventually(() => running.taken()).toEqual(["r@example.org"]);
  });

  test("mails go out over SMTP, and the answer says so", async () => {
    await using server = await SmtpStandIn.open();
    const mailer = { MAIL_TRANSPORT: "smtp", SMTP_URL: server.url };
    await using service = await startService({ env: { ...addressees, ...mailer } });
    const { receipt } = await door.send(service, "marketplace.inquiry", json(buyer));
    expect(receipt).toMatchObject({ confirmationEmailSent: true });
    // Two connections: neither of the two mails waits for the other.
    await eventually(() => server.received.map(({ envelope }) => envelope.to.join()).toSorted()).toEqual([
      buyer.email,
      "sales@datasets.example",
    ]);
  });
});

// Receipts and newsletter mails have counts of their own, so that neither tells of the other.
test("receipts beyond the limit are not written and counted by kind, apart from newsletter mails", async () => {
  await using service = await startService();
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  const ask = async (door = rest) =>
    (await door.send(service, "marketplace.inquiry", json(buyer))).receipt?.["confirmationEmailSent"];
  // Were it counted with the receipts, the last of them would not be sent, and tell that the address has subscribed.
  expect((await rest.send(service, "newsletter.subscribe", json({ email: buyer.email }))).status).toBe(200);
  for (let sent = 0; sent < receiptsMax; sent += 1) expect(await ask()).toBe(true);
  for (const door of [rest, rpc]) expect(await ask(door)).toBe(false);
  // Metrics are worked out once a second.
  const capped = async () => (await metrics()).split("\n").filter((line) => line.includes("capped"));
  await expect.poll(capped).toEqual(['mails_total{kind="inquiry-receipt",result="capped"} 2']);
});

test("keeps the submission when the provider is down, says so, and sends the mails once it is back", async () => {
  await using running = await startMailService();
  running.postmark.breakdown = { kind: "error", status: 422, code: 100 };
  // The second try is due after five seconds.
  running.clock.hold();
  const { status, receipt } = await inquire(running.service, 1);
  expect(status).toBe(200);
  expect(receipt).toMatchObject({ confirmationEmailSent: false });
  const { inquiries } = await running.service.stored();
  expect(inquiries.map(({ reference }) => reference)).toEqual([receipt?.["inquiryId"]]);
  expect(running.postmark.taken).toEqual([]);
  await eventually(() => running.receiptsTo(buyerAddress(1))).toMatchObject([{ status: "queued", attempts: 1 }]);

  running.postmark.breakdown = null;
  running.clock.advance(60_000);
  await eventually(() => running.taken().toSorted()).toEqual([buyerAddress(1), "sales@datasets.example"]);
  await eventually(() => running.receiptsTo(buyerAddress(1))).toMatchObject([{ status: "sent", attempts: 2 }]);
});
