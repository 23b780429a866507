// What a caller is told of the confirmation mail, and what has gone out by then: through both doors, with every mailer.
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, rpc } from "../../support/doors.ts";
import { addressees } from "../../support/postmark-stand-in.ts";
import { type Service, startService } from "../../support/service.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { count, eventually, inquire, startMailService } from "../../support/outbox/mail-service.ts";
import { receiptsMax } from "../../../server/src/storage/rules/mails.ts";

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

// Automatic mails that an address gets no more of are not written, and counted. Receipts and newsletter mails have counts
// of their own, so that neither tells of the other.
test("receipts beyond the limit are not written and counted by kind, and the newsletter has a limit of its own", async () => {
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
  await expect.poll(capped, { timeout: 10_000 }).toEqual(['mails_total{kind="inquiry-receipt",result="capped"} 2']);
  const other = { email: "other@example.org" };
  for (let sent = 0; sent < receiptsMax; sent += 1) {
    await rest.send(service, "marketplace.inquiry", json({ ...buyer, ...other }));
  }
  expect((await rest.send(service, "newsletter.subscribe", json(other))).status).toBe(200);
  const welcomes = async () => (await service.mails()).filter((mail) => mail.to?.[0]?.address === other.email).length;
  await expect.poll(welcomes).toBe(receiptsMax + 1);
});

// Many submissions at once: their mails share calls to the provider, and their rows share commits.
// Longer than a busy machine needs for all of them.
const patient = { MAIL_DEADLINE_MS: "15000" };

test("mails of submissions that come at once share calls of at most 500, and each goes out once", async () => {
  await using running = await startMailService(patient);
  const gate = Promise.withResolvers<void>();
  running.postmark.gate = gate.promise;
  const asked = Promise.all(count(300).map((n) => inquire(running.service, n)));
  await eventually(async () => (await running.store.mailBacklog()).queued).toBe(600);
  gate.resolve();
  expect((await asked).map(({ status }) => status)).toEqual(count(300).map(() => 200));
  const { requests, taken } = running.postmark;
  await eventually(() => taken).toHaveLength(600);
  expect(new Set(taken.map(({ Metadata }) => Metadata?.["mailId"])).size).toBe(600);
  // The first few find the senders idle; the others wait together.
  expect(requests.length).toBeLessThan(12);
  expect(Math.max(...requests.map(({ messages }) => messages))).toBeLessThanOrEqual(500);
});

test("64 clients at once: at least 8 submissions are acknowledged for each commit", async () => {
  await using running = await startMailService();
  const commits = () => readCounter(running.service, "store_commits_total");
  const before = await commits();
  let next = 0;
  let acknowledged = 0;
  const client = async (door: (typeof doors)[number]) => {
    while (next < 1_000) {
      const { status } = await inquire(running.service, next++, door);
      if (status === 200) acknowledged += 1;
    }
  };
  await Promise.all(count(64).map((n) => client(doors[n % 2]!)));
  expect(acknowledged).toBe(next);
  expect(acknowledged / ((await commits()) - before)).toBeGreaterThanOrEqual(8);
});

async function readCounter(service: Service, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}
