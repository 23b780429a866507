// One id leads from the answer a person has to the log, the row and the mails.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, type Procedure, rest } from "../../support/doors.ts";
import { keptLog } from "../../support/kept-log.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";

const submissions: readonly [Procedure, () => RequestInit][] = [
  ["marketplace.inquiry", () => json(buyer)],
  ["applications.submit", () => form({ ...applicant, resumeFile: pdf() })],
  ["newsletter.subscribe", () => json({ email: "reader@example.org" })],
];

test.each(doors)("the id of a submission over $name is in its answer, log, row and mails", async (door) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log });
  for (const [procedure, request] of submissions) {
    const { headers, status } = await door.send(service, procedure, request());
    expect(status).toBe(200);
    const id = headers.get("x-request-id");
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const ofKind = procedure === "newsletter.subscribe" ? 1 : 2;
    const mails = async () =>
      (await service.mails()).filter((mail) =>
        mail.headers.some(({ key, value }) => key === "x-submissions-request-id" && value === id),
      ).length;
    await expect.poll(mails).toBe(ofKind);
    const said = () => lines.filter(({ requestId }) => requestId === id).map(({ msg }) => String(msg));
    await expect
      .poll(() => said().toSorted())
      .toEqual(["answered", ...Array.from({ length: ofKind }, () => "mail sent")]);
    if (procedure === "newsletter.subscribe") continue;
    const { inquiries, applications } = await service.stored();
    const [stored] = procedure === "marketplace.inquiry" ? inquiries : applications;
    expect(stored?.requestId).toBe(id);
  }
});

test.each(doors)("the id of a refusal over $name is in its answer, its body and its log line", async (door) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log });
  const { headers, fault } = await door.send(service, "marketplace.inquiry", json({}));
  const id = headers.get("x-request-id");
  expect(fault?.requestId).toBe(id);
  await expect
    .poll(() => lines)
    .toContainEqual(expect.objectContaining({ requestId: id, msg: "answered", status: 400, fault: "fieldsInvalid" }));
});

test.each([
  [
    "headers that are too large",
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`,
    "headersTooLarge",
  ],
  ["a request that is no HTTP", "hello\r\n\r\n", "requestMalformed"],
  ["headers that do not come in time", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "requestTimedOut"],
  [
    "a body that does not come in time",
    "POST /api/newsletter/subscribe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    "requestTimedOut",
  ],
])("the id of the answer to %s is in the log", async (_, bytes, fault) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log, limits: { headersMs: 300, bodyGraceMs: 300, checkMs: 20 } });
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1").on("error", () => {});
  socket.write(bytes);
  const [answer] = (await once(socket, "data")) as [Buffer];
  const [, status, id] = /^HTTP\/1\.1 (\d+)[^]*?\r\nx-request-id: (\S+)\r\n/i.exec(String(answer)) ?? [];
  await expect
    .poll(() => lines)
    .toContainEqual(expect.objectContaining({ requestId: id, status: Number(status), fault }));
  // A request that had begun has one more line, with its route.
  const begun = expect.objectContaining({ requestId: id, route: "/api/newsletter/subscribe" });
  if (bytes.startsWith("POST")) await expect.poll(() => lines).toContainEqual(begun);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
    `http_refusals_total{route="unknown",fault="${fault}"} 1`,
  );
});

test("a connection that is never used leaves no line and is not counted", async () => {
  const { lines, log } = keptLog();
  await using service = await startService({ log, limits: { headersMs: 300, checkMs: 20 } });
  const before = lines.length;
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
  expect(lines.slice(before)).toEqual([]);
  expect(await (await fetch(`${service.url}/metrics`)).text()).not.toContain('fault="requestTimedOut"');
});

test("a caller's own id is not taken over: it is a stranger's text", async () => {
  await using service = await startService();
  const { headers } = await rest.send(service, "marketplace.inquiry", json(buyer, { "x-request-id": "mine" }));
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("Postmark gets the id as metadata, also of a mail that is sent by the next process", async () => {
  await using postmark = await PostmarkStandIn.open();
  const clock = new MovableClock();
  await using service = await startService({ clock, env: { ...postmark.env, POSTMARK_SERVER_TOKEN: "wrong" } });
  const ids: string[] = [];
  for (const [procedure, request] of submissions) {
    ids.push((await doors[0]!.send(service, procedure, request())).headers.get("x-request-id") ?? "");
  }
  await service.stop();
  // The mails wait for their next try.
  clock.advance(60_000);
  await using _next = await startService({ clock, env: { ...service.sameData, ...postmark.env } });
  await expect
    .poll(() => postmark.taken.map(({ Metadata }) => Metadata?.["requestId"] ?? "").toSorted(), { timeout: 30_000 })
    .toEqual([...ids, ...ids.slice(0, 2)].toSorted());
});
