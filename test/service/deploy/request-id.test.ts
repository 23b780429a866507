// One id leads from the answer a person has to the log, the row and the mails.
import { once } from "node:events";
import { faults } from "@submissions/shared/faults";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { type Answer, applicant, buyer, doors, form, json, pdf, type Procedure, rest } from "../../support/doors.ts";
import { keptLog } from "../../support/kept-log.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startService } from "../../support/service.ts";
import { operator } from "../../support/console/operator.ts";
import { receiptsMax } from "../../../server/src/storage/limits.ts";

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

const begun = "POST /api/newsletter/subscribe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
test.each([
  ["headers that are too large", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, "headersTooLarge"],
  ["a request that is no HTTP", "hello\r\n\r\n", "requestMalformed"],
  ["headers that do not come in time", "GET /healthz HTTP/1.1\r\nHost: x\r\n", "requestTimedOut"],
  ["a body that does not come in time", `${begun}Content-Length: 50\r\n\r\n{`, "requestTimedOut"],
] as const)("the id of the answer to %s is in the log", async (_, bytes, fault) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log, limits: { headersMs: 300, bodyWindowMs: 300, checkMs: 20 } });
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1").on("error", () => {});
  socket.write(bytes);
  const [answer] = (await once(socket, "data")) as [Buffer];
  const [, status, id] = /^HTTP\/1\.1 (\d+)[^]*?\r\nx-request-id: (\S+)\r\n/i.exec(String(answer)) ?? [];
  expect(Number(status)).toBe(faults[fault].status);
  expect(String(answer)).toContain(`"code":"${faults[fault].code}"`);
  const route = bytes.startsWith("POST") ? "/api/newsletter/subscribe" : "unknown";
  socket.destroy();
  const told = () => lines.filter(({ requestId }) => requestId === id);
  await expect.poll(told).not.toEqual([]);
  // On a busy machine the request for the metrics may come too late itself: it is counted, and sent again.
  const refused = () => lines.filter((line) => line["route"] === route && line["fault"] === fault).length;
  const isCounted = async () =>
    (await (await fetch(`${service.url}/metrics`)).text()).includes(
      `http_refusals_total{route="${route}",fault="${fault}"} ${refused()}\n`,
    );
  await expect.poll(isCounted).toBe(true);
  await service.stop();
  expect(told()).toEqual([expect.objectContaining({ msg: "answered", route, status: Number(status), fault })]);
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
    .poll(() => postmark.taken.map(({ Metadata }) => Metadata?.["requestId"] ?? "").toSorted())
    .toEqual([...ids, ...ids.slice(0, 2)].toSorted());
});

// At the level info the log tells what became of a submission, one line an event, and nothing of open consoles.
/** Without times and ids. */
const storyOf = (lines: readonly Record<string, unknown>[], { headers }: Pick<Answer, "headers">) =>
  lines
    .filter(({ requestId }) => requestId === headers.get("x-request-id"))
    .map(({ level: _1, time: _2, requestId: _3, ms: _4, mailId: _5, method: _6, ...told }) => told);

test.each(doors)("$name: accepted, repeated, spam, and each mail", async (door) => {
  const { lines, log } = keptLog();
  await using service = await startService({ log });
  const procedure = "marketplace.inquiry";
  const send = (more: object, headers: Record<string, string> = {}) =>
    door.send(service, procedure, json({ ...buyer, ...more }, headers));
  const told = async (answer: Answer, result: string, mails: readonly object[]) => {
    const reference = answer.receipt?.["inquiryId"];
    const answered = { msg: "answered", route: expect.any(String), status: 200, procedure, reference, result };
    await expect.poll(() => storyOf(lines, answer)).toHaveLength(1 + mails.length);
    expect(storyOf(lines, answer)).toEqual(expect.arrayContaining([answered, ...mails]));
  };
  const sent = (mailKind: string) => ({ msg: "mail sent", mailKind, result: "sent" });
  const key = { "idempotency-key": "k" };
  await told(await send({}, key), "accepted", [sent("inquiry-receipt"), sent("inquiry-notice")]);
  await told(await send({}, key), "repeated", []);
  await told(await send({ website: "https://spam.example" }), "spam", []);
  for (let receipts = 1; receipts < receiptsMax; receipts += 1) await send({});
  const capped = { msg: "mail not sent", mailKind: "inquiry-receipt", result: "capped" };
  await told(await send({}), "accepted", [capped, sent("inquiry-notice")]);
});

test("what consoles read is told at debug, with the procedure; changes and refusals at info", async () => {
  const { lines, log } = keptLog("debug");
  await using service = await startService({ log });
  const eva = await operator(service, "eva@example.org", "sales");
  await rest.send(service, "marketplace.inquiry", json(buyer));
  const lineOf = async (path: string, input?: unknown) => {
    const answer = await eva.call(path, input);
    const mine = () => lines.filter(({ requestId }) => requestId === answer.headers.get("x-request-id"));
    await expect.poll(mine).toHaveLength(1);
    const [{ level, procedure, status } = {}] = mine();
    return [level, procedure, status];
  };
  expect(await lineOf("inbox.counts")).toEqual(["debug", "inbox.counts", 200]);
  expect(await lineOf("session.me")).toEqual(["debug", "session.me", 200]);
  expect(await lineOf("operators.list")).toEqual(["info", "operators.list", 404]);
  expect(await lineOf("no.such\n")).toEqual(["info", undefined, 404]);
  expect(await lineOf("session.signOut")).toEqual(["info", "session.signOut", 200]);
});
