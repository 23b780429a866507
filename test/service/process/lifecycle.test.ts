// The process from its start to its end: configuration faults, the log, SIGTERM.
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../support/outbox/mail-service.ts";
import { buyer, form, json, pdf } from "../../support/doors.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { runToEnd, startProcess } from "../../support/service-process.ts";

// Below /proc a folder cannot be made although the one above it exists.
test.each(["/dev/null/data", "/proc/nope/data"])(
  "a data folder %s ends the start with 1 and says why",
  async (folder) => {
    const { code, output } = await runToEnd({ DATA_DIR: folder, PORT: "0" });
    expect(code).toBe(1);
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(output).toContain(`The service could not start: The database file ${folder}/`);
    expect(output).toContain("cannot be made. Set DATA_DIR to another folder.");
  },
);

test("a start with standard error on a full disk goes on", async () => {
  const through = ["sh", "-c", 'exec "$@" 2> /dev/full', "sh"];
  await using service = await startProcess({}, { through });
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
});

const inquiry = { method: "POST", ...json(buyer) };

test("SIGTERM under load: what was acknowledged is stored, what is refused says so, and the process ends with 0", async () => {
  await using service = await startProcess();
  const acknowledged: string[] = [];
  const refusals = new Set<unknown>();
  let stopped = false;
  const clients = Array.from({ length: 16 }, async () => {
    while (!stopped) {
      try {
        const response = await fetch(`${service.url}/api/marketplace/inquiry`, inquiry);
        const body = (await response.json()) as { inquiryId: string; code: string };
        if (response.status === 200) acknowledged.push(body.inquiryId);
        else refusals.add(body.code);
      } catch {
        // The listener is gone.
        stopped = true;
      }
    }
  });
  await eventually(() => acknowledged.length).toBeGreaterThan(100);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  await Promise.all(clients);
  expect([...refusals].filter((code) => code !== "SERVICE_UNAVAILABLE")).toEqual([]);
  const stored = new Set((await service.stored()).inquiries.map(({ reference }) => reference));
  expect(acknowledged.filter((reference) => !stored.has(reference))).toEqual([]);
});

/** For how long a service that ends serves on; `noticeMs` of main.ts. */
const noticeMs = 1_000;

/** Ends a service and asks it meanwhile. Answers null when this took longer than the notice. */
async function askWhileEnding() {
  await using service = await startProcess();
  const begun = performance.now();
  service.child.kill("SIGTERM");
  await eventually(() => service.log.some((line) => line.includes('"closing"'))).toBe(true);
  const answers = await Promise.allSettled([
    fetch(`${service.url}/readyz`),
    fetch(`${service.url}/healthz`),
    fetch(`${service.url}/api/marketplace/inquiry`, inquiry),
  ]);
  const tookMs = performance.now() - begun;
  expect(await service.ended).toBe(0);
  return tookMs < noticeMs ? answers : null;
}

test("from SIGTERM on the service says that it is not ready, still serves what it is sent, and closes each connection", async () => {
  // On a busy machine the notice may be over before this process gets to ask.
  let answers = await askWhileEnding();
  while (answers === null) answers = await askWhileEnding();
  const responses = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : null));
  expect(responses.map((response) => response?.status)).toEqual([503, 200, 200]);
  expect(responses[0]?.headers.get("retry-after")).toBe("5");
  for (const response of responses) expect(response?.headers.get("connection")).toBe("close");
});

test("from SIGTERM on nothing is stored behind the answer that closes its connection", async () => {
  await using service = await startProcess();
  service.child.kill("SIGTERM");
  await eventually(() => service.log.some((line) => line.includes('"closing"'))).toBe(true);
  const { body } = inquiry;
  const sent = `POST /api/marketplace/inquiry HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(service.port, "127.0.0.1").on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  let answers = "";
  socket.on("data", (chunk) => (answers += String(chunk)));
  socket.write(sent.repeat(3));
  await closed;
  expect(await service.ended).toBe(0);
  // None at all on a busy machine, where the notice may be over.
  expect((await service.stored()).inquiries).toHaveLength(answers.split("HTTP/1.1 200 ").length - 1);
});

test("SIGTERM during an upload lets the upload finish", async () => {
  await using service = await startProcess();
  const head = ["fullName", "email", "position"]
    .map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nana@example.org\r\n`)
    .join("");
  const file = `--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n`;
  const upload = request(`${service.url}/api/applications/submit`, {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
  });
  const answered = once(upload, "response");
  upload.write(head + file);
  await eventually(() => readdir(join(service.dataFolder, "resumes/.staging"))).toHaveLength(1);
  service.child.kill("SIGTERM");
  await eventually(() => service.log.some((line) => line.includes('"closing"'))).toBe(true);
  upload.end("trailer\nstartxref\n0\n%%EOF\n\r\n--b--\r\n");
  const [response] = (await answered) as [{ statusCode: number }];
  expect(response.statusCode).toBe(200);
  expect(await service.ended).toBe(0);
});

test("SIGTERM with an upload that stalls and a mail provider that is silent: both are given up in time, and what was stored is answered", async () => {
  await using postmark = await PostmarkStandIn.open();
  postmark.breakdown = { kind: "hang" };
  await using service = await startProcess({ ...postmark.env, MAIL_DEADLINE_MS: "15000" });
  const upload = request(`${service.url}/api/applications/submit`, {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
  });
  upload.on("error", () => {});
  upload.write(`--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n`);
  await eventually(() => readdir(join(service.dataFolder, "resumes/.staging"))).toHaveLength(1);
  const answered = fetch(`${service.url}/api/marketplace/inquiry`, inquiry);
  await eventually(() => postmark.requests.length).toBeGreaterThan(0);
  service.child.kill("SIGTERM");
  // The submission is stored, so its answer waits no longer than its connection lasts.
  const response = await answered;
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ confirmationEmailSent: false });
  expect(await service.ended).toBe(0);
});

test("the log holds nothing that a caller sent", async () => {
  await using service = await startProcess({ LOG_LEVEL: "trace" });
  const [first, last, email, phone] = ["Zebulon", "Quagmire", "zq@personal.example", "+351912345678"];
  const [letter, filename, token] = ["xylophone-letter", "cv-of-zq.pdf", "tok-123"];
  const post = (path: string, init: RequestInit) =>
    fetch(service.url + path, { method: "POST", ...init }).then((r) => r.arrayBuffer());
  const fields = { fullName: `${first} ${last}`, email, phone, coverLetter: letter, position: last };
  await post("/api/applications/submit", form({ ...fields, resumeFile: pdf(filename) }));
  await post("/api/marketplace/inquiry", json({ name: `${first} ${last}`, email, selectedPackageIds: [letter] }));
  await post("/api/marketplace/inquiry", json({ name: 1, email: `${first}@`, selectedPackageIds: letter }));
  await post("/api/newsletter/subscribe", { ...json({}), body: `{"email": ${email}` });
  await post(`/trpc/newsletter.subscribe?token=${token}`, json({ email }));
  await post(`/trpc/${last}?token=${token}`, json({ email }));
  await post(`/${token}/${first}`, json({ email }));
  await post("/api/newsletter/subscribe", { headers: { "content-type": first }, body: last });
  service.child.kill("SIGTERM");
  await service.ended;
  const log = service.log.join("\n");
  expect(service.log.length).toBeGreaterThan(8);
  for (const secret of [first, last, email, phone, letter, filename, token]) expect(log).not.toContain(secret);
});
