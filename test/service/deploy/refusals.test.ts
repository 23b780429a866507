// What people and programs read behind the balancers of deploy/, when the service or the balancer refuses.
import { createSubmissionsClient, SubmissionError } from "@submissions/client";
import { faults, type FaultName } from "@submissions/shared/faults";
import { bytesMax } from "@submissions/shared/limits";
import { beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../support/client/failure-of.ts";
import { addresses, applicant, buyer } from "../../support/doors.ts";
import { browserAccept, problemAt, typedIn } from "../../support/pages.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";
import { hangs, isThere, startBalancer, startUpstream } from "../../support/deploy/balancer.ts";
import type { Balancer, Kind } from "../../support/deploy/balancer.ts";

const mebibyte = 1024 * 1024;
const path = addresses["applications.submit"];
const upload = { "content-type": "multipart/form-data; boundary=b" };

const behind = async (kind: Kind) => {
  await using opened = new AsyncDisposableStack();
  // The client of the test is in the same process and holds its loop.
  const limits = { loopLagMsMax: 60_000 };
  const service = opened.use(await startService({ env: { TRUST_PROXY: "1" }, limits }));
  const balancer = opened.use(await startBalancer(kind, [Number(new URL(service.url).port)]));
  const resources = opened.move();
  return {
    balancer,
    async leftBehind() {
      const { inquiries, applications, subscribers } = await service.stored();
      // HAProxy asks whether the service is ready, which tries the folder.
      const resumes = (await service.files("resumes")).filter((file) => !file.includes("/.staging/probe-"));
      return [inquiries, applications, subscribers, await service.mails(), resumes].flat();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

const resumeOf = (bytes: number) => new File([new Uint8Array(bytes)], "cv.pdf");

/** Sends an application with the client and answers why it was refused. */
function refusalOf(balancer: Balancer, bytes: number): Promise<SubmissionError> {
  const submissions = createSubmissionsClient({ url: "https://localhost", fetch: balancer.fetch, retry: false });
  return failureOf(submissions.applications.submit({ ...applicant, resumeFile: resumeOf(bytes) }));
}

const bodyOf = (name: FaultName) => {
  const { code, message } = faults[name];
  return { code, message, requestId: expect.stringMatching(/^[\da-f-]{32,36}$/) };
};

describe.each<Kind>(["haproxy", "nginx", "caddy"])("%s", (kind) => {
  describe.skipIf(!isThere(kind))("where it is installed", () => {
    const site = shared(() => behind(kind));
    // On a busy machine this process may have answered HAProxy's last question too late.
    const ask = () => site().balancer.ask("/openapi.json", { method: "GET" });
    beforeEach(() => expect.poll(() => ask().catch(() => 0)).toBe(200));

    test("leaves it to the service to refuse a resume of 20 MiB", async () => {
      const error = await refusalOf(site().balancer, 20 * mebibyte);
      expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413, mayHaveArrived: false });
      expect(error.issue("resumeFile")?.message).toBe(faults.resumeTooLarge.message);
      expect(await site().leftBehind()).toEqual([]);
    });

    test("lets the client say the same of a resume of 40 MiB", async () => {
      const error = await refusalOf(site().balancer, 40 * mebibyte);
      expect(error).toMatchObject({ code: "PAYLOAD_TOO_LARGE", status: 413, mayHaveArrived: false });
      expect(await site().leftBehind()).toEqual([]);
    });

    test("gives a form without script back with what was typed", async () => {
      const body = new FormData();
      body.append("resumeFile", resumeOf(7 * mebibyte));
      for (const [name, value] of Object.entries(applicant)) body.append(name, value);
      const init = { method: "POST", headers: { accept: browserAccept }, body };
      const response = await site().balancer.fetch(`https://localhost${path}`, init);
      const page = { status: response.status, headers: response.headers, text: await response.text() };
      expect(page.status).toBe(413);
      expect(typedIn(page, "fullName")).toBe(applicant.fullName);
      expect(problemAt(page, "resumeFile")).not.toBe("");
      expect(await site().leftBehind()).toEqual([]);
    });

    // The last one: it leaves something behind.
    test("passes 12 KiB of headers, in one line too", async () => {
      const headers = { "content-type": "application/json", cookie: `a=${"x".repeat(12 * 1024)}` };
      const answer = await site().balancer.answer(addresses["marketplace.inquiry"], {
        headers,
        body: JSON.stringify(buyer),
      });
      expect(answer.status).toBe(200);
      expect(12 * 1024).toBeLessThan(bytesMax.headers);
    });
  });
});

test.skipIf(!isThere("nginx"))(
  "nginx refuses a larger form itself, as the service would, and passes a large mail",
  async () => {
    await using upstream = await startUpstream((incoming, response) => {
      incoming.resume().once("end", () => response.writeHead(200).end());
    });
    await using balancer = await startBalancer("nginx", [upstream.port]);
    const headers = { ...upload, "content-length": `${33 * mebibyte}` };
    const answer = await balancer.answer(path, { headers, body: "--b" });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([413, "*"]);
    expect(await answer.json()).toEqual(bodyOf("bodyTooLarge"));
    expect(upstream.seen).toEqual([]);
    // As large as the service takes: a mail of 35 MB in Base64.
    expect(await balancer.ask("/webhooks/postmark/inbound", { body: Buffer.alloc(50 * mebibyte) })).toBe(200);
  },
);

describe.each([
  ["haproxy", 30, 60],
  ["nginx", 8, 5],
] as const)("%s", (kind, most, waitSeconds) => {
  test.skipIf(!isThere(kind))(`refuses the upload after ${most} in the words of the service`, async () => {
    await using upstream = await startUpstream(hangs);
    await using balancer = await startBalancer(kind, [upstream.port]);
    const waiting = Array.from({ length: most }, () => balancer.ask(path, { headers: upload }).catch(() => 0));
    await expect.poll(() => upstream.seen.length).toBe(most);
    const answer = await balancer.answer(path, { headers: upload });
    expect(answer.status).toBe(429);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json",
      "retry-after": `${waitSeconds}`,
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "Retry-After",
      "strict-transport-security": "max-age=31536000",
    });
    expect(await answer.json()).toEqual(bodyOf("tooManyRequests"));
    // The client always sends a key, and nginx takes such requests another way.
    const { code, message } = faults.tooManyRequests;
    expect(await refusalOf(balancer, 1)).toMatchObject({ code, message, retryAfterSeconds: waitSeconds });
    expect(upstream.seen).toHaveLength(most);
    await upstream[Symbol.asyncDispose]();
    await Promise.all(waiting);
  });
});
