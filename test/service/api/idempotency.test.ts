// The same key with the same content is one submission, whichever door it comes through and however often.
import { once } from "node:events";
import { request } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, sendBatch, withKey } from "../../support/doors.ts";
import type { Answer } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService());

const replayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

/** Expects that an action adds so many submissions of each kind. */
async function expectAdded(expected: readonly number[], action: () => Promise<void>): Promise<void> {
  const count = async () => {
    const { inquiries, applications, subscribers } = await service().stored();
    return [inquiries.length, applications.length, subscribers.length];
  };
  const before = await count();
  await action();
  expect((await count()).map((now, kind) => now - before[kind]!)).toEqual(expected);
}

test("an inquiry repeated through both doors is one submission with one receipt", async () => {
  const email = "twice@example.org";
  await expectAdded([1, 0, 0], async () => {
    const sent = { ...buyer, email };
    const first = await rest.send(service(), "marketplace.inquiry", withKey(json(sent), "k 1"));
    expect(replayed(first)).toBeNull();
    // What was understood counts, not the bytes.
    const selectedPackageIds = [...buyer.selectedPackageIds, ...buyer.selectedPackageIds];
    const sameMeaning = { selectedPackageIds, email: email.toUpperCase(), name: ` ${buyer.name} ` };
    for (const door of [...doors, ...doors]) {
      const again = await door.send(service(), "marketplace.inquiry", withKey(json(sameMeaning), "k 1"));
      expect(again).toMatchObject({ status: 200, receipt: first.receipt });
      expect(replayed(again)).toBe("true");
    }
  });
  const receipts = (await service().mails()).filter((mail) => mail.to?.[0]?.address?.toLowerCase() === email);
  expect(receipts).toHaveLength(1);
});

test("an application counts by the bytes of its resume, not by their name or boundary", async () => {
  const send = (resumeFile: File) =>
    rest.send(service(), "applications.submit", withKey(form({ ...applicant, resumeFile }), "by bytes"));
  await expectAdded([0, 1, 0], async () => {
    const first = await send(pdf("one.pdf"));
    const again = await send(pdf("two.pdf"));
    expect(again.receipt).toEqual(first.receipt);
    expect(replayed(again)).toBe("true");
    expect(await send(pdf("one.pdf", 700))).toMatchObject({ status: 422, fault: { code: "UNPROCESSABLE_CONTENT" } });
  });
  const kept = (await service().stored()).applications.filter(({ resume }) => resume !== null);
  expect(await service().files("resumes")).toHaveLength(kept.length);
});

describe.each(doors)("on $name", (door) => {
  const send = (key: string, more: object = {}) =>
    door.send(service(), "marketplace.inquiry", withKey(json({ ...buyer, ...more }), `${door.name} ${key}`));

  test("a key reused for other content is refused and changes nothing", async () => {
    await expectAdded([1, 0, 0], async () => {
      await send("reused");
      expect((await send("reused", { name: "Bob" })).status).toBe(422);
    });
  });

  test("a refused request does not use its key up", async () => {
    expect((await send("refused", { email: "nobody" })).status).toBe(400);
    expect((await send("refused")).status).toBe(200);
    const apply = (resumeFile: File) =>
      door.send(service(), "applications.submit", withKey(form({ ...applicant, resumeFile }), `${door.name} refused`));
    expect((await apply(new File(["text"], "resume.pdf"))).status).toBe(415);
    expect((await apply(pdf())).status).toBe(200);
  });

  test("without a key, two equal submissions are two submissions", async () => {
    const sendAlone = () => door.send(service(), "marketplace.inquiry", json(buyer));
    const [first, second] = [await sendAlone(), await sendAlone()];
    expect(first.receipt?.["inquiryId"]).not.toBe(second.receipt?.["inquiryId"]);
  });

  test.each(["", " ".repeat(256), "ä"])("the key %j is refused", async (key) => {
    await expectAdded([0, 0, 0], async () => {
      const answer = await door.send(service(), "newsletter.subscribe", withKey(json({ email: "a@b.org" }), key));
      expect(answer).toMatchObject({ status: 400, fault: { code: "BAD_REQUEST" } });
    });
  });

  test.each(["two", "one"])("the keys one and %s in one request are refused, not joined", async (second) => {
    await expectAdded([0, 0, 0], async () => {
      const headers = { "content-type": "application/json", "idempotency-key": ["one", second] };
      const call = request(service().url + door.path("marketplace.inquiry"), { method: "POST", headers });
      call.end(JSON.stringify(buyer));
      const [response] = (await once(call, "response")) as [Parameters<typeof readJson>[0] & { statusCode: number }];
      expect(response.statusCode).toBe(400);
      expect(JSON.stringify(await readJson(response))).toContain("Send one Idempotency-Key");
    });
  });

  test("of many at once with one key, one is taken and the others are told to wait or given its answer", async () => {
    await expectAdded([1, 0, 0], async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send("at once")));
      const taken = answers.filter(({ status }) => status === 200);
      expect(new Set(taken.map(({ receipt }) => receipt?.["inquiryId"])).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(answer).toMatchObject({ status: 409, fault: { code: "CONFLICT" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    });
  });
});

test("one key for several calls of a batch is refused", async () => {
  await expectAdded([0, 0, 0], async () => {
    const inputs = [{ email: "a@example.org" }, { email: "b@example.org" }];
    const procedures = ["newsletter.subscribe", "newsletter.subscribe"] as const;
    const response = await sendBatch(service(), procedures, inputs, { "idempotency-key": "batch" });
    expect(response.status).toBe(400);
  });
});

test("a key survives a restart, and is looked at before the catalogue, which may have changed with it", async () => {
  await using first = await startService();
  const anyPackage = json({ ...buyer, selectedPackageIds: ["no longer offered"] });
  const answer = await rest.send(first, "marketplace.inquiry", withKey(anyPackage, "k"));
  await first.stop();
  const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
  await using second = await startService({ env: { ...first.sameData, PACKAGE_CATALOGUE: catalogue } });
  const again = await rest.send(second, "marketplace.inquiry", withKey(anyPackage, "k"));
  expect(again).toMatchObject({ status: 200, receipt: answer.receipt });
  expect(replayed(again)).toBe("true");
  expect((await rest.send(second, "marketplace.inquiry", anyPackage)).status).toBe(400);
});
