// What a caller is told of the confirmation mail, and what has gone out by then: through both doors, with every mailer.
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf } from "../../support/doors.ts";
import { addressees } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { eventually, startMailService } from "../../support/outbox/mail-service.ts";

describe.each(doors)("through $name", (door) => {
  test.each([
    ["marketplace.inquiry", json(buyer), buyer.email, "sales@datasets.example", "inquiry"],
    [
      "applications.submit",
      form({ ...applicant, resumeFile: pdf() }),
      applicant.email,
      "jobs@datasets.example",
      "application",
    ],
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

  test("only the receipt decides what the answer says", async () => {
    await using running = await startMailService();
    running.postmark.refuse("sales@datasets.example", 406);
    running.postmark.refuse("gone@example.org", 406);
    const toGone = await door.send(
      running.service,
      "marketplace.inquiry",
      json({ ...buyer, email: "gone@example.org" }),
    );
    expect(toGone.receipt).toMatchObject({ confirmationEmailSent: false });
    const toBuyer = await door.send(running.service, "marketplace.inquiry", json(buyer));
    expect(toBuyer.receipt).toMatchObject({ confirmationEmailSent: true });
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

  test("mails lie in the mailbox when the answer says so", async () => {
    await using service = await startService({ env: addressees });
    const { receipt } = await door.send(service, "marketplace.inquiry", json(buyer));
    expect(receipt).toMatchObject({ confirmationEmailSent: true });
    const mails = await service.mails();
    expect(mails.map(({ to }) => to?.[0]?.address ?? "").toSorted()).toEqual([buyer.email, "sales@datasets.example"]);
  });
});
