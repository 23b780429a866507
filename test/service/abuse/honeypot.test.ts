// A submission that fills the honeypot is answered like any other, and causes no mail.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Answer, applicant, buyer, doors, form, json, pdf, rest, sendBatch } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { startMailService } from "../../support/outbox/mail-service.ts";

const website = "https://cheap-pills.example";

const shapeOf = ({ status, receipt, headers }: Answer) => ({
  status,
  receipt: JSON.stringify(receipt).replace(/\d{8}-\d{6}/, ""),
  headers: [...headers.keys()].toSorted(),
});

describe.each(doors)("on the $name door", (door) => {
  test("an application that fills the honeypot is kept as spam with all it has, in every kind of body", async () => {
    await using service = await startService();
    const bodies: RequestInit[] = [
      json({ ...applicant, website }),
      form({ ...applicant, website }),
      form({ website, ...applicant, resumeFile: pdf() }),
      ...(door === rest ? [{ body: new URLSearchParams({ ...applicant, website }) }] : []),
    ];
    const references: unknown[] = [];
    for (const init of bodies) {
      const { status, receipt } = await door.send(service, "applications.submit", init);
      expect(status).toBe(200);
      expect(receipt).toMatchObject({ confirmationEmailSent: true });
      references.push(receipt?.["applicationId"]);
    }
    const wrong = await door.send(service, "applications.submit", json({ ...applicant, website, email: "x" }));
    expect([wrong.status, wrong.fault?.issues?.map(({ path }) => path)]).toEqual([400, [["email"]]]);
    const { applications } = await service.stored();
    expect(applications).toMatchObject(references.map((reference) => ({ reference, status: "spam" })));
    expect(applications.map(({ resume }) => resume !== null)).toEqual(bodies.map((_, index) => index === 2));
    expect(await service.files("resumes")).toHaveLength(1);
    expect(await service.mails()).toEqual([]);
  });

  test("an inquiry that fills the honeypot waits for a slow provider like any other, and gets the same answer", async () => {
    await using running = await startMailService({ MAIL_DEADLINE_MS: "400" });
    running.postmark.breakdown = { kind: "hang" };
    const honest = await door.send(running.service, "marketplace.inquiry", json({ ...buyer, website: " \u200B" }));
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

  test("a repeated inquiry or application does not tell which field is the honeypot", async () => {
    await using running = await startMailService({ MAIL_DEADLINE_MS: "400" });
    const features = [
      ["marketplace.inquiry", buyer],
      ["applications.submit", applicant],
    ] as const;
    const send = ([procedure, fields]: (typeof features)[number], key: string, more: object = {}) =>
      door.send(running.service, procedure, json({ ...fields, ...more }, { "idempotency-key": key + procedure }));
    for (const feature of features) {
      const caught = await send(feature, "caught", { website });
      expect(caught.receipt).toMatchObject({ confirmationEmailSent: true });
      expect((await send(feature, "caught")).receipt).toEqual(caught.receipt);
    }
    running.postmark.breakdown = { kind: "hang" };
    for (const feature of features) {
      const honest = await send(feature, "honest");
      expect(honest.receipt).toMatchObject({ confirmationEmailSent: false });
      expect((await send(feature, "honest", { website })).receipt).toEqual(honest.receipt);
    }
  });
});

test("each call of a batch is screened by itself, streamed or not", async () => {
  await using service = await startService();
  for (const headers of [undefined, { "trpc-accept": "application/jsonl" }]) {
    const inputs = [Object.assign({ website }, buyer), { ...buyer, name: "Bo Buyer" }];
    await (await sendBatch(service, ["marketplace.inquiry", "marketplace.inquiry"], inputs, headers)).text();
  }
  const { inquiries } = await service.stored();
  const states = inquiries.map(({ name, status }) => `${name.split(" ")[0]} ${status}`).toSorted();
  expect(states).toEqual(["Ann spam", "Ann spam", "Bo new", "Bo new"]);
});
