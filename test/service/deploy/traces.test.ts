// Traces, against a collector that takes them, refuses them, hangs or is not there.
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { json as readJson } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import about from "../../../server/package.json" with { type: "json" };
import { createLog } from "../../../server/src/observe/log.ts";
import { applicant, buyer, form, json, pdf, rest, rpc } from "../../support/doors.ts";
import { runToEnd } from "../../support/service-process.ts";
import { startService, type Service } from "../../support/service.ts";
import type { Document } from "../../support/deploy/read-deploy.ts";
import { Listening } from "../../support/listening.ts";
import { atNight, nightly, someOf } from "../../support/many-or-few.ts";

const factsOf = (attributes: readonly Document[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? undefined : String(value.intValue)),
    ]),
  );

class CollectorStandIn extends Listening {
  readonly exports: Document[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** What the next requests are answered with; null: they are never answered. */
  status: number | null = 200;

  static open(): Promise<CollectorStandIn> {
    const standIn = new CollectorStandIn(createServer());
    standIn.server.on("request", (request, response) => void standIn.#answer(request, response));
    return standIn.listen();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push({ path: request.url ?? "", headers: request.headers });
    const body: Document = await readJson(request).catch(() => null);
    // Null: the service gave up in the middle.
    if (body === null || this.status === null) return;
    if (this.status === 200) this.exports.push(body);
    response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
  }

  get spans(): readonly Document[] {
    const { exports } = this;
    return exports
      .flatMap((one) => one.resourceSpans)
      .flatMap((one) => one.scopeSpans)
      .flatMap((one) => one.spans);
  }
}

const envOf = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
const named = (spans: readonly Document[], name: string) => spans.filter((span) => span.name === name);
const isWithin = (inner: Document, outer: Document) =>
  BigInt(inner.startTimeUnixNano) >= BigInt(outer.startTimeUnixNano) &&
  BigInt(inner.endTimeUnixNano) <= BigInt(outer.endTimeUnixNano);

/** Stops a service with all the time it needs: it waits a second for the collector, and this process may be held up longer. */
async function stop(service: Service): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true });
  try {
    await service.stop();
  } finally {
    vi.useRealTimers();
  }
}

test("an application is traced from its request to the mails that were handed over", async () => {
  await using collector = await CollectorStandIn.open();
  const env = { ...envOf(collector.url), OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20t0ken" };
  await using service = await startService({ env });
  const answer = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }));
  expect(answer.status).toBe(200);
  await stop(service);

  const [root, ...others] = named(collector.spans, "POST /api/applications/submit");
  expect(others).toEqual([]);
  expect(root).toMatchObject({ kind: 2 });
  expect(root).not.toHaveProperty("parentSpanId");
  expect(factsOf(root.attributes)).toEqual({
    "http.request.method": "POST",
    "http.route": "/api/applications/submit",
    "http.response.status_code": "200",
    "submissions.request_id": answer.headers.get("x-request-id"),
  });
  const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  const inOrder = below.filter(({ name }) => name !== "hand over mail").map(({ name }) => name);
  expect(inOrder).toEqual(["read body", "validate", "keep resume", "store", "wait for mail"]);
  expect(new Set(below.map(({ traceId }) => traceId))).toEqual(new Set([root.traceId]));
  for (const name of inOrder) expect(isWithin(named(below, name)[0], root), name).toBe(true);
  const mails = named(below, "hand over mail").map(({ attributes }) => factsOf(attributes));
  expect(mails).toEqual(
    expect.arrayContaining([
      { "submissions.mail.kind": "application-receipt", "submissions.mail.result": "sent" },
      { "submissions.mail.kind": "application-notice", "submissions.mail.result": "sent" },
    ]),
  );

  expect(collector.requests[0]).toMatchObject({ path: "/v1/traces", headers: { authorization: "Bearer t0ken" } });
  const resource = factsOf(collector.exports[0]!.resourceSpans[0]!.resource.attributes);
  expect(resource).toMatchObject({ "service.name": "submissions", "service.version": about.version });
  // Nothing of the person, of the file or of the data folder.
  for (const word of ["Ana", "ana@", "annotator", "resume.pdf", service.dataFolder]) {
    expect(JSON.stringify(collector.exports)).not.toContain(word);
  }
});

test("a caller's trace goes on, and a caller who does not trace is not traced", async () => {
  await using collector = await CollectorStandIn.open();
  await using service = await startService({ env: { ...envOf(collector.url), OTEL_TRACES_SAMPLER_ARG: "0" } });
  const send = (traceparent: string) => rpc.send(service, "marketplace.inquiry", json(buyer, { traceparent }));
  const [trace, parent] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const other = trace.replace("4", "5");
  await send(`00-${trace}-${parent}-01`);
  await send(`00-${other}-${parent}-00`);
  // These belong to no trace, so none is drawn.
  const broken = [
    "",
    "x",
    `00-${other}-${parent}-01-x`,
    `ff-${other}-${parent}-01`,
    `00-${"0".repeat(32)}-${parent}-01`,
  ];
  for (const traceparent of broken) expect((await send(traceparent)).status).toBe(200);
  await fetch(`${service.url}/healthz`, { headers: { traceparent: `00-${other}-${parent}-01` } });
  await stop(service);
  expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
  expect(named(collector.spans, "POST /trpc/marketplace.inquiry")).toMatchObject([{ parentSpanId: parent }]);
});

test("a refusal is traced with its fault, as far as it came", async () => {
  await using collector = await CollectorStandIn.open();
  await using service = await startService({ env: envOf(collector.url) });
  await rest.send(service, "marketplace.inquiry", json({ name: "Ann" }));
  await stop(service);
  expect(collector.spans.map(({ name }) => name)).toEqual(["read body", "POST /api/marketplace/inquiry"]);
  const facts = factsOf(collector.spans[1]!.attributes);
  expect(facts).toMatchObject({ "error.type": "fieldsInvalid", "http.response.status_code": "400" });
  // Unset: the mistake is the caller's.
  expect(collector.spans[1]).toMatchObject({ status: { code: 0 } });
});

// At night the first has more spans than may wait.
const collectors = [
  ["hangs", atNight ? 600 : 10],
  ["refuses", 10],
  ["is gone", 10],
] as const;
test.each(someOf(collectors))("a collector that %s hurts no submission and no stop", async (how, count) => {
  await using collector = await CollectorStandIn.open();
  const { url } = collector;
  if (how === "hangs") collector.status = null;
  if (how === "refuses") collector.status = 503;
  if (how === "is gone") await collector[Symbol.asyncDispose]();
  const warnings: string[] = [];
  const log = createLog("warn", { write: (line) => void (line.includes("collector") && warnings.push(line)) });
  await using service = await startService({ env: envOf(url), log });
  const inquire = () => rest.send(service, "marketplace.inquiry", json(buyer));
  for (let sent = 0; sent < count; sent += 10) {
    const answers = await Promise.all(Array.from({ length: 10 }, inquire));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  await service.stop();
  expect((await service.stored()).inquiries).toHaveLength(count);
  // It is said once.
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0]!)).toMatchObject({ level: "warn", msg: expect.stringContaining("takes no spans") });
});

nightly(
  "without OpenTelemetry's packages the service does not start, and says which command brings them in",
  async () => {
    const preload = [new URL("../../support/hidden-packages.ts", import.meta.url).href];
    await using folder = await mkdtempDisposable(join(tmpdir(), "traces-"));
    const env = { ...envOf("http://127.0.0.1:9"), DATA_DIR: folder.path, PORT: "0" };
    const { code, output } = await runToEnd(env, { preload });
    expect(code).toBe(78);
    expect(output).toContain("OTEL_EXPORTER_OTLP_ENDPOINT: needs packages that are not installed: npm install");
  },
);
