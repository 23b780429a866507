// What a hostile or unlucky client meets: time-outs that really cut, bodies that never end, uploads that break off.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applicant, buyer, form, json, pdf, rest } from "../support/doors.ts";
import { startService, type Service } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function open(): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  // A reset is one of the ways in which the service may cut.
  socket.on("error", () => {});
  return socket;
}

async function everything(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  // Not `once`, which would reject when the service cuts with a reset.
  await new Promise((resolve) => socket.on("close", resolve));
  return text;
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as object;

const uploadHead = (length: string) =>
  `POST /api/applications/submit HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`;
const filePart = '--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n';

test("headers that come too slowly are answered 408 and cut", { timeout: 60_000 }, async () => {
  const socket = await open();
  socket.write("POST /api/newsletter/subscribe HTTP/1.1\r\nHost: x\r\n");
  const answer = await everything(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  const requestId = /^x-request-id: (\S+)\r$/m.exec(answer)?.[1];
  expect(bodyOf(answer)).toEqual({ code: "TIMEOUT", message: expect.any(String), requestId });
});

test("headers over 16 KiB are answered 431", async () => {
  const socket = await open();
  socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`);
  const answer = await everything(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  expect(bodyOf(answer)).toMatchObject({ code: "BAD_REQUEST" });
});

test("what is no HTTP is answered 400 in the same words as everything else", async () => {
  const socket = await open();
  socket.write("HELLO\r\n\r\n");
  const answer = await everything(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(bodyOf(answer)).toMatchObject({ code: "BAD_REQUEST" });
});

test("broken bytes after a whole request do not take its answer", async () => {
  await using own = await startService();
  const { hostname, port } = new URL(own.url);
  const body = JSON.stringify(buyer);
  const request =
    "POST /api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${body.length}\r\n\r\n${body}`;
  for (const whole of [1, 2]) {
    const before = (await own.stored()).inquiries.length;
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.on("error", () => {});
    const answered = everything(socket);
    socket.write(`${request.repeat(whole)}HELLO\r\n\r\n`);
    const statuses = (await answered).match(/HTTP\/1\.1 \d+/g);
    expect(statuses).toEqual(Array(whole).fill("HTTP/1.1 200"));
    expect((await own.stored()).inquiries).toHaveLength(before + whole);
  }
});

test("a broken body is answered 400", async () => {
  const socket = await open();
  const type = "Content-Type: application/json\r\nTransfer-Encoding: chunked";
  socket.write(`POST /api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\n${type}\r\n\r\nHELLO\r\n`);
  expect(await everything(socket)).toMatch(/^HTTP\/1\.1 400 /);
});

test("a streamed batch that is nested too deeply is refused 400", async () => {
  const nested = "[".repeat(30_000) + "]".repeat(30_000);
  const response = await fetch(`${service.url}/trpc/newsletter.subscribe?batch=1`, {
    method: "POST",
    headers: { "content-type": "application/json", "trpc-accept": "application/jsonl" },
    body: `{"0":{"email":"reader@example.org"},"ignored":${nested}}`,
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { data: { code: "PARSE_ERROR" } } });
});

test("a body that stops coming is cut, and leaves nothing", { timeout: 60_000 }, async () => {
  const socket = await open();
  socket.write(`${uploadHead("Content-Length: 100000")}${filePart}`);
  await everything(socket);
  await expect.poll(() => service.files("resumes")).toEqual([]);
});

test("a client that never stops sending is answered 413 and cut", { timeout: 60_000 }, async () => {
  const socket = await open();
  socket.write(uploadHead("Transfer-Encoding: chunked"));
  const answered = everything(socket);
  const chunk = Buffer.alloc(65_536, "a");
  const frame = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
  socket.write(`${filePart.length.toString(16)}\r\n${filePart}\r\n`);
  let sent = 0;
  while (!socket.destroyed && sent < 200 * 1024 * 1024) {
    sent += frame.length;
    if (!socket.write(frame)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }
  const answer = await answered;
  expect(sent).toBeLessThan(100 * 1024 * 1024);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  await expect.poll(() => service.files("resumes")).toEqual([]);
});

test("a refused upload is read to its end within bounds, so that the client can see the answer", async () => {
  const resumeFile = new File([new Uint8Array(20_000_000)], "resume.pdf");
  for (let round = 0; round < 3; round += 1) {
    const { status } = await rest.send(service, "applications.submit", form({ ...applicant, resumeFile }));
    expect(status).toBe(413);
  }
  expect((await rest.send(service, "applications.submit", form({ ...applicant, resumeFile: pdf() }))).status).toBe(200);
  for (const file of await service.files("resumes")) expect(file).not.toContain(".staging");
});

test("an upload that breaks off anywhere leaves neither row nor file nor mail", async () => {
  await using own = await startService();
  const { hostname, port } = new URL(own.url);
  const whole = `${filePart}${"x".repeat(300_000)}\r\n--b--\r\n`;
  for (const share of [0.01, 0.5, 0.99]) {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(uploadHead(`Content-Length: ${whole.length}`) + whole.slice(0, Math.floor(whole.length * share)));
    await expect.poll(() => own.files("resumes/.staging")).not.toEqual([]);
    socket.resetAndDestroy();
    await expect.poll(() => own.files("resumes")).toEqual([]);
  }
  expect((await own.stored()).applications).toEqual([]);
  expect(await own.mails()).toEqual([]);
});

test("a part that the parser cannot use is a refusal, not a resume lost in silence", async () => {
  const body = (disposition: string) =>
    Object.entries(applicant)
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join("") + `--b\r\nContent-Disposition: ${disposition}\r\n\r\n%PDF-1.7\n%%EOF\n\r\n--b--\r\n`;
  const before = (await service.stored()).applications.length;
  for (const disposition of [
    "form-data; name=\"resumeFile\"; filename*=utf-8''a%0D%0Ab.pdf",
    'attachment; name="resumeFile"; filename="a.pdf"',
    'form-data; name="resumeFile"; filename="a\u0000.pdf"',
  ]) {
    const init = { headers: { "content-type": "multipart/form-data; boundary=b" }, body: body(disposition) };
    expect((await rest.send(service, "applications.submit", init)).status, disposition).toBe(400);
  }
  expect((await service.stored()).applications).toHaveLength(before);
});

test.each([
  ["an unknown path", "GET", "/nothing", 404, null],
  ["an unknown path below a known one", "POST", "/api/newsletter/subscribe/x", 404, null],
  ["another method", "PUT", "/api/newsletter/subscribe", 405, "POST"],
  ["a read of a typed procedure", "GET", "/trpc/newsletter.subscribe", 405, "POST"],
  ["an unknown typed procedure", "POST", "/trpc/newsletter.nothing", 404, null],
  ["a write to a page", "POST", "/healthz", 405, "HEAD, GET"],
])("%s is refused before its body is read", async (_name, method, path, status, allow) => {
  const response = await fetch(service.url + path, { method, ...(method === "GET" ? {} : { body: "anything" }) });
  const body = (await response.json()) as { error?: object };
  expect(response.status).toBe(status);
  const allowed = response.headers.get("allow")?.split(", ").toSorted() ?? null;
  expect(allowed).toEqual(allow?.split(", ").toSorted() ?? null);
  const told = path.startsWith("/trpc/") ? body.error : body;
  expect(told).toMatchObject({ message: expect.any(String) });
});

test("every answer tells browsers to trust nothing about it", async () => {
  const answers = [
    await fetch(`${service.url}/healthz`),
    await fetch(`${service.url}/nothing`),
    await fetch(`${service.url}/api/newsletter/subscribe`, { method: "POST", ...json({ email: "" }) }),
    await fetch(`${service.url}/trpc/newsletter.subscribe`, { method: "POST", ...json({ email: "" }) }),
  ];
  for (const { headers } of answers) {
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("server") ?? headers.get("x-powered-by")).toBeNull();
  }
});

test("one more than 10 calls in a batch is refused whole", async () => {
  const batch = (calls: number) =>
    fetch(`${service.url}/trpc/${Array(calls).fill("newsletter.subscribe").join(",")}?batch=1`, {
      method: "POST",
      ...json(Object.fromEntries(Array.from({ length: calls }, (_, n) => [n, { email: `batch${n}@example.org` }]))),
    });
  expect((await batch(11)).status).toBe(400);
  expect((await service.stored()).subscribers).toEqual([]);
  expect((await batch(10)).status).toBe(200);
  expect((await service.stored()).subscribers).toHaveLength(10);
});
