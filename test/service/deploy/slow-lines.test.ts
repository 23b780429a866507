// A resume on a slow line takes longer than any time-out of the service and of the balancers of deploy/. At night: it takes
// that long here too.
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request as plainly } from "node:http";
import { request as overTls } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { addresses, applicant, form, pdf } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { isThere, startBalancer, type Kind } from "../../support/deploy/balancer.ts";

const stepMs = 200;

/** Sends a body at a rate, as far as it is taken, and answers the status. */
async function sendSlowly(sending: ClientRequest, body: Buffer, bytesPerSecond: number): Promise<number> {
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  const over = new AbortController();
  const end = () => over.abort();
  answered.then(end, end);
  const begun = performance.now();
  for (let sent = 0; sent < body.length && !over.signal.aborted; await pause(stepMs)) {
    // What a pause was late for is made up.
    const due = Math.ceil(((performance.now() - begun + stepMs) * bytesPerSecond) / 1_000);
    sending.write(body.subarray(sent, due));
    sent = due;
  }
  if (!over.signal.aborted) sending.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

async function applySlowly(kind: Kind | "the service", bytes: number, bytesPerSecond: number) {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startService({ env: { TRUST_PROXY: "1" } }));
  const own = Number(new URL(service.url).port);
  const port = kind === "the service" ? own : opened.use(await startBalancer(kind, [own])).port;
  const { headers, body } = await encoded(bytes);
  const target = { host: "127.0.0.1", port, path: addresses["applications.submit"], method: "POST", headers };
  const sending = kind === "the service" ? plainly(target) : overTls({ ...target, rejectUnauthorized: false });
  const status = await sendSlowly(sending, body, bytesPerSecond);
  return [status, (await service.stored()).applications.map(({ resume }) => resume?.size)] as const;
}

async function encoded(bytes: number) {
  const whole = new Response(form({ ...applicant, resumeFile: pdf("cv.pdf", bytes) }).body);
  const body = await buffer(whole.clone().body!);
  return { body, headers: { "content-type": whole.headers.get("content-type")!, "content-length": body.length } };
}

const ways = (["the service", "haproxy", "nginx", "caddy"] as const).filter(
  (way) => way === "the service" || isThere(way),
);

test.concurrent.each(ways)("a resume of 1.6 MB at 20 KB/s is kept: %s", async (way) => {
  const [status, sizes] = await applySlowly(way, 1_600_000, 20_000);
  expect(status).toBe(200);
  expect(sizes).toEqual([expect.closeTo(1_600_000, -3)]);
});

// nginx receives a body whole before it sends it on.
test.concurrent.each(ways.filter((way) => way !== "nginx"))(
  "a resume at 4 KB/s is refused with 408: %s",
  async (way) => {
    expect(await applySlowly(way, 1_600_000, 4_000)).toEqual([408, []]);
  },
);
