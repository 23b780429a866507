// The honeypot: a submission that fills it is answered like any other, on both doors and in every kind of body, and causes
// no mail.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Answer, applicant, buyer, doors, form, json, pdf, rest, sendBatch } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { startMailService } from "../../support/outbox/mail-service.ts";

const website = "https://cheap-pills.example";

const shapeOf = ({ status, receipt, headers }: Answer) => ({
  status,
  receipt: Object.entries(receipt ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? value.replace(/\d{8}-\d{6}$/, "") : value,
  ]),
  headers: [...headers.keys()].toSorted((a, b) => a.localeCompare(b)),
});

describe.each(doors)("on the $name door", (door) => {
  test("an inquiry that fills the honeypot is answered like any other, kept as spam, and causes no mail", async () => {
    await using service = await startService();
    const honest = await door.send(service, "marketplace.inquiry", json({ ...buyer, website: " \u200B" }));
    const mailed = (await service.mails()).length;
    const caught = await door.send(service, "marketplace.inquiry", json({ ...buyer, website }));
    expect(shapeOf(caught)).toEqual(shapeOf(honest));
    await service.stop();
    expect(await service.mails()).toHaveLength(mailed);
    const { inquiries } = await service.stored();
    expect(inquiries.map(({ reference, status }) => [reference, status])).toEqual([
      [honest.receipt?.["inquiryId"], "new"],
      [caught.receipt?.["inquiryId"], "spam"],
    ]);
  });

  test.each([
    ["JSON", () => json({ ...applicant, website })],
    ["a form", () => form({ ...applicant, website })],
    ["a form with a resume", () => form({ website, ...applicant, resumeFile: pdf() })],
  ])("an application that fills the honeypot as %s is kept as spam with all it has", async (_kind, init) => {
    await using service = await startService();
    const { status, receipt } = await door.send(service, "applications.submit", init());
    expect(status).toBe(200);
    expect(receipt).toMatchObject({ confirmationEmailSent: true });
    const [application] = (await service.stored()).applications;
    expect(application).toMatchObject({ reference: receipt?.["applicationId"], status: "spam" });
    expect(await service.files("resumes")).toHaveLength(application?.resume === null ? 0 : 1);
    expect(await service.mails()).toEqual([]);
  });

  test("an inquiry that fills the honeypot waits for a slow provider like any other, and gets the same answer", async () => {
    await using running = await startMailService({ MAIL_DEADLINE_MS: "400" });
    running.postmark.breakdown = { kind: "hang" };
    const honest = await door.send(running.service, "marketplace.inquiry", json(buyer));
    expect(honest.receipt).toMatchObject({ confirmationEmailSent: false });
    const caught = door.send(running.service, "marketplace.inquiry", json({ ...buyer, website }));
    // Both timers are of this process, and the shorter one was set first.
    expect(await Promise.race([caught, sleep(200, "still waiting")])).toBe("still waiting");
    expect(shapeOf(await caught)).toEqual(shapeOf(honest));
  });

  test("a subscription that fills the honeypot is answered like any other, counted, and not stored", async () => {
    await using service = await startService();
    const honest = await door.send(service, "newsletter.subscribe", json({ email: "a@example.org" }));
    const caught = await door.send(service, "newsletter.subscribe", json({ email: "b@example.org", website }));
    expect(shapeOf(caught)).toEqual(shapeOf(honest));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain(`submissions_total{procedure="newsletter.subscribe",door="${door.name}",code="SPAM"} 1`);
    await service.stop();
    expect((await service.stored()).subscribers).toMatchObject([{ email: "a@example.org" }]);
    expect(await service.mails()).toHaveLength(1);
  });

  test("mistakes in the fields are told to programs too", async () => {
    await using service = await startService();
    const { status, fault } = await door.send(service, "marketplace.inquiry", json({ ...buyer, email: "x", website }));
    expect(status).toBe(400);
    expect(fault?.issues?.map(({ path }) => path)).toEqual([["email"]]);
  });

  test("a repeated Idempotency-Key repeats the answer", async () => {
    await using service = await startService();
    const send = (more: object = {}) =>
      door.send(service, "marketplace.inquiry", json({ ...buyer, website, ...more }, { "idempotency-key": "key-1" }));
    const first = await send();
    const again = await send();
    expect(again.receipt).toEqual(first.receipt);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await send({ name: "Somebody Else" })).status).toBe(422);
    expect((await service.stored()).inquiries).toHaveLength(1);
  });

  test.each([
    ["inquiry", "marketplace.inquiry", buyer],
    ["application", "applications.submit", applicant],
  ] as const)("a repeated %s does not tell which field is the honeypot", async (_what, procedure, fields) => {
    await using running = await startMailService({ MAIL_DEADLINE_MS: "400" });
    const send = (key: string, more: object = {}) =>
      door.send(running.service, procedure, json({ ...fields, ...more }, { "idempotency-key": key }));
    const caught = await send("caught", { website });
    expect(caught.receipt).toMatchObject({ confirmationEmailSent: true });
    expect((await send("caught")).receipt).toEqual(caught.receipt);
    running.postmark.breakdown = { kind: "hang" };
    const honest = await send("honest");
    expect(honest.receipt).toMatchObject({ confirmationEmailSent: false });
    expect((await send("honest", { website })).receipt).toEqual(honest.receipt);
  });
});

test("a URL-encoded application that fills the honeypot is kept as spam", async () => {
  await using service = await startService();
  const body = new URLSearchParams({ ...applicant, website });
  expect((await rest.send(service, "applications.submit", { body })).status).toBe(200);
  expect((await service.stored()).applications).toMatchObject([{ status: "spam" }]);
  expect(await service.mails()).toEqual([]);
});

test("each call of a batch is screened by itself, streamed or not", async () => {
  for (const headers of [undefined, { "trpc-accept": "application/jsonl" }]) {
    await using service = await startService();
    const inputs = [
      { ...buyer, website },
      { ...buyer, name: "Bo Buyer" },
    ];
    await (await sendBatch(service, ["marketplace.inquiry", "marketplace.inquiry"], inputs, headers)).text();
    const { inquiries } = await service.stored();
    expect(inquiries.map(({ name, status }) => `${name}: ${status}`).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "Ann Buyer: spam",
      "Bo Buyer: new",
    ]);
  }
});

test("no document names the honeypot", async () => {
  await using service = await startService();
  expect(await (await fetch(`${service.url}/openapi.json`)).text()).not.toContain('"website"');
});
