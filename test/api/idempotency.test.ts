// The same key with the same content is one submission, whichever door it comes through and however often.
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, rpc, type Answer } from "../support/doors.ts";
import { startService, type Service } from "../support/service.ts";

const withKey = (key: string, init: RequestInit): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), "idempotency-key": key },
});

const replayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

async function count(service: Service) {
  const { inquiries, applications, subscribers } = await service.stored();
  return [inquiries.length, applications.length, subscribers.length, (await service.mails()).length];
}

test("an inquiry repeated through both doors is one submission with one receipt", async () => {
  await using service = await startService();
  const first = await rest.send(service, "marketplace.inquiry", withKey("k 1", json(buyer)));
  expect(replayed(first)).toBeNull();
  // What was understood counts, not the bytes.
  const { name, email, selectedPackageIds } = buyer;
  const sameMeaning = {
    selectedPackageIds: [...selectedPackageIds, ...selectedPackageIds],
    email: email.toUpperCase(),
    name: ` ${name} `,
  };
  for (const door of [...doors, ...doors]) {
    const again = await door.send(service, "marketplace.inquiry", withKey("k 1", json(sameMeaning)));
    expect(again).toMatchObject({ status: 200, receipt: first.receipt });
    expect(replayed(again)).toBe("true");
  }
  expect(await count(service)).toEqual([1, 0, 0, 2]);
});

test("an application counts by the bytes of its resume, not by their name or boundary", async () => {
  await using service = await startService();
  const send = (resumeFile: File) =>
    rest.send(service, "applications.submit", withKey("k", form({ ...applicant, resumeFile })));
  const first = await send(pdf("one.pdf"));
  const again = await send(pdf("two.pdf"));
  expect(again.receipt).toEqual(first.receipt);
  expect(replayed(again)).toBe("true");
  expect(await send(pdf("one.pdf", 700))).toMatchObject({ status: 422, fault: { code: "UNPROCESSABLE_CONTENT" } });
  expect(await count(service)).toEqual([0, 1, 0, 2]);
  expect(await service.files("resumes")).toHaveLength(1);
});

test("a subscription repeated with its key is answered alike", async () => {
  await using service = await startService();
  const send = () => rpc.send(service, "newsletter.subscribe", withKey("k", json({ email: "a@example.org" })));
  const [first, again] = [await send(), await send()];
  expect(again.receipt).toEqual(first.receipt);
  expect([replayed(first), replayed(again)]).toEqual([null, "true"]);
});

describe.each(doors)("on $name", (door) => {
  test("a key reused for other content is refused and changes nothing", async () => {
    await using service = await startService();
    await door.send(service, "marketplace.inquiry", withKey("k", json(buyer)));
    const other = await door.send(service, "marketplace.inquiry", withKey("k", json({ ...buyer, name: "Bob" })));
    expect(other).toMatchObject({ status: 422, fault: { code: "UNPROCESSABLE_CONTENT" } });
    expect(await count(service)).toEqual([1, 0, 0, 2]);
  });

  test("a refused request does not use its key up", async () => {
    await using service = await startService();
    const refused = await door.send(service, "marketplace.inquiry", withKey("k", json({ ...buyer, email: "nobody" })));
    expect(refused.status).toBe(400);
    const badFile = form({ ...applicant, resumeFile: new File(["text"], "resume.pdf") });
    expect((await door.send(service, "applications.submit", withKey("k", badFile))).status).toBe(415);
    expect((await door.send(service, "marketplace.inquiry", withKey("k", json(buyer)))).status).toBe(200);
    const goodFile = form({ ...applicant, resumeFile: pdf() });
    expect((await door.send(service, "applications.submit", withKey("k", goodFile))).status).toBe(200);
  });

  test("keys of different procedures have nothing to do with each other", async () => {
    await using service = await startService();
    const inquiry = await door.send(service, "marketplace.inquiry", withKey("k", json(buyer)));
    const application = await door.send(service, "applications.submit", withKey("k", json(applicant)));
    expect([inquiry.status, application.status]).toEqual([200, 200]);
    expect([replayed(inquiry), replayed(application)]).toEqual([null, null]);
  });

  test("without a key, two equal submissions are two submissions", async () => {
    await using service = await startService();
    const send = () => door.send(service, "marketplace.inquiry", json(buyer));
    const [first, second] = [await send(), await send()];
    expect(first.receipt?.["inquiryId"]).not.toBe(second.receipt?.["inquiryId"]);
  });

  test.each(["", " ".repeat(256), "ä"])("the key %j is refused", async (key) => {
    await using service = await startService();
    const answer = await door.send(service, "newsletter.subscribe", withKey(key, json({ email: "a@example.org" })));
    expect(answer).toMatchObject({ status: 400, fault: { code: "BAD_REQUEST" } });
    expect(await count(service)).toEqual([0, 0, 0, 0]);
  });

  test("of many at once with one key, one is taken and the others are told to wait or given its answer", async () => {
    await using service = await startService();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => door.send(service, "marketplace.inquiry", withKey("k", json(buyer)))),
    );
    const taken = answers.filter(({ status }) => status === 200);
    expect(new Set(taken.map(({ receipt }) => receipt?.["inquiryId"])).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject({ status: 409, fault: { code: "CONFLICT" } });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(await count(service)).toEqual([1, 0, 0, 2]);
  });
});

test("a key survives a restart of the service", async () => {
  await using first = await startService();
  const answer = await rest.send(first, "marketplace.inquiry", withKey("k", json(buyer)));
  await first.stop();
  await using second = await startService({ env: first.sameData });
  const again = await rest.send(second, "marketplace.inquiry", withKey("k", json(buyer)));
  expect(again.receipt).toEqual(answer.receipt);
  expect(replayed(again)).toBe("true");
});

test("one key for several calls of a batch is refused", async () => {
  await using service = await startService();
  const response = await fetch(`${service.url}/trpc/newsletter.subscribe,newsletter.subscribe?batch=1`, {
    method: "POST",
    ...withKey("k", json({ 0: { email: "a@example.org" }, 1: { email: "b@example.org" } })),
  });
  expect(response.status).toBe(400);
  expect(await count(service)).toEqual([0, 0, 0, 0]);
});

test("an address gets at most three automatic mails a day, and the team still hears of everything", async () => {
  await using service = await startService();
  const sent = [];
  for (let n = 0; n < 5; n += 1) {
    const { receipt } = await rest.send(service, "marketplace.inquiry", json({ ...buyer, email: "Ann@Example.org" }));
    sent.push(receipt?.["confirmationEmailSent"]);
  }
  expect(sent).toEqual([true, true, true, false, false]);
  const { receipt } = await rest.send(service, "applications.submit", json({ ...applicant, email: "ann@example.ORG" }));
  expect(receipt?.["confirmationEmailSent"]).toBe(false);
  await service.stop();
  const to = (await service.mails()).map((mail) => mail.to?.[0]?.address);
  expect(to.filter((address) => address?.toLowerCase() === "ann@example.org")).toHaveLength(3);
  expect(to.filter((address) => address === "sales@marketplace.example")).toHaveLength(5);
  expect(to.filter((address) => address === "recruiting@marketplace.example")).toHaveLength(1);
});
