// Requests and answers that get lost between the typed client and a whole service: one submission all the same.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { buildClient } from "../../../client/src/sdk/build-client.ts";
import { applicant, buyer, pdf } from "../../support/doors.ts";
import { behindProxy, type FlakyProxy, type Mishap } from "../../support/flaky-proxy.ts";
import { startService, type Service } from "../../support/service.ts";
import { failureOf } from "../../support/client/failure-of.ts";
import { testClock } from "../../support/client/test-clock.ts";

const keysOf = ({ requests }: FlakyProxy) => requests.map(({ headers }) => headers["idempotency-key"]);
const replays = ({ answers }: FlakyProxy) => answers.map((headers) => headers["idempotency-replayed"]);

async function count(service: Service) {
  const { inquiries, applications, subscribers } = await service.stored();
  return [inquiries.length, applications.length, subscribers.length, (await service.mails()).length];
}

describe("one submission and its receipt", () => {
  test.each<[Mishap, (string | undefined)[]]>([
    ["lose request", [undefined]],
    ["lose answer", [undefined, "true"]],
    ["cut answer", [undefined, "true"]],
  ])("when the connection breaks: %s", async (mishap, expectedReplays) => {
    await using it = await behindProxy(mishap);
    const clock = testClock();
    const receipt = await buildClient(it.proxy, clock).marketplace.inquiry(buyer);
    const { inquiries } = await it.service.stored();
    const inquiryId = inquiries[0]?.reference;
    expect(receipt).toEqual({ message: expect.any(String), inquiryId, confirmationEmailSent: true });
    expect(await count(it.service)).toEqual([1, 0, 0, 2]);
    expect(clock.waits).toEqual([500]);
    expect(keysOf(it.proxy)).toEqual(Array(2).fill(expect.stringMatching(/^[\da-f-]{36}$/)));
    expect(new Set(keysOf(it.proxy)).size).toBe(1);
    expect(replays(it.proxy)).toEqual(expectedReplays);
  });

  test("when the answer is lost again and again", async () => {
    await using it = await behindProxy("lose answer", "cut answer", "lose answer");
    await buildClient(it.proxy, testClock()).newsletter.subscribe({ email: "reader@example.org" });
    expect(replays(it.proxy)).toEqual([undefined, "true", "true", "true"]);
    expect((await it.service.stored()).subscribers).toHaveLength(1);
    // The answer to a subscription does not wait for its mail.
    await expect.poll(async () => (await it.service.mails()).length).toBe(1);
    await it.service.stop();
    expect(await it.service.mails()).toHaveLength(1);
  });

  test("when the answer is lost and the service restarts before the next try", async () => {
    await using it = await behindProxy();
    await using restarted = new AsyncDisposableStack();
    it.proxy.next("lose answer");
    const clock = testClock({
      during: async (waits) => {
        if (waits === 1) await it.service.stop();
        if (waits < 3) return;
        const env = { DATA_DIR: it.service.dataFolder };
        it.proxy.target = restarted.use(await startService({ env })).url;
      },
    });
    const { inquiryId } = await buildClient(it.proxy, clock).marketplace.inquiry(buyer);
    expect((await it.service.stored()).inquiries).toMatchObject([{ reference: inquiryId }]);
    expect(clock.waits).toEqual([500, 1_000, 2_000]);
    expect(replays(it.proxy)).toEqual([undefined, "true"]);
  });
});

describe("a resume", () => {
  test.each(["lose request", "lose answer"] as const)("is sent again byte for byte: %s", async (mishap) => {
    await using it = await behindProxy(mishap);
    const resumeFile = pdf("cv.pdf", 200_000);
    const client = buildClient(it.proxy, testClock());
    const { applicationId } = await client.applications.submit({ ...applicant, resumeFile });
    expect((await it.service.stored()).applications).toMatchObject([{ reference: applicationId }]);
    const kept = await it.service.files("resumes");
    expect(kept).toHaveLength(1);
    expect(await readFile(kept[0]!)).toEqual(Buffer.from(await resumeFile.arrayBuffer()));
    const [first, second] = it.proxy.requests.map(({ headers, body }) => {
      const boundary = /boundary=(.*)/.exec(String(headers["content-type"]))?.[1];
      return body.toString("latin1").replaceAll(boundary!, "boundary");
    });
    expect(second).toBe(first);
  });

  test("and the fields are those of the call, even if the form has changed", async () => {
    await using it = await behindProxy("lose answer");
    const form = new FormData();
    for (const [name, value] of Object.entries(applicant)) form.append(name, value);
    const clock = testClock({ during: () => form.set("position", "Something else") });
    await buildClient(it.proxy, clock).applications.submit(form);
    expect((await it.service.stored()).applications).toMatchObject([{ position: applicant.position }]);
  });
});

test("the fields are those of the call, even if the object has changed", async () => {
  await using it = await behindProxy("lose answer");
  const inquiry = { ...buyer, selectedPackageIds: ["de-AT"] };
  const clock = testClock({ during: () => void inquiry.selectedPackageIds.push("de-CH") });
  await buildClient(it.proxy, clock).marketplace.inquiry(inquiry);
  expect((await it.service.stored()).inquiries).toMatchObject([{ selectedPackageIds: ["de-AT"] }]);
});

test("a refusal is not repeated, and what it refused may be sent again with its key", async () => {
  await using it = await behindProxy();
  const client = buildClient(it.proxy, testClock());
  const { code, idempotencyKey } = await failureOf(client.marketplace.inquiry({ ...buyer, email: "nobody" }));
  expect(code).toBe("BAD_REQUEST");
  expect(keysOf(it.proxy)).toEqual([idempotencyKey]);
  await client.marketplace.inquiry(buyer, { idempotencyKey });
  expect(await count(it.service)).toEqual([1, 0, 0, 2]);
});

test("a call that was given up can be made again with its key", async () => {
  await using it = await behindProxy("lose answer");
  const client = buildClient({ url: it.proxy.url, retry: false }, testClock());
  const { code, idempotencyKey } = await failureOf(client.marketplace.inquiry(buyer));
  expect(code).toBe("NETWORK");
  const { inquiryId } = await client.marketplace.inquiry(buyer, { idempotencyKey });
  expect((await it.service.stored()).inquiries).toMatchObject([{ reference: inquiryId }]);
});

test("two calls are two submissions, however alike", async () => {
  await using it = await behindProxy();
  // A key among the headers of all requests would make one of everything.
  const client = buildClient({ url: it.proxy.url, headers: { "Idempotency-Key": "k" } }, testClock());
  await Promise.all([client.marketplace.inquiry(buyer), client.marketplace.inquiry(buyer)]);
  expect((await it.service.stored()).inquiries).toHaveLength(2);
});
