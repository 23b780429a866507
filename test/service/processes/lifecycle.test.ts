// The process from its start to its end: a folder that cannot be made, the log, SIGTERM.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whyNotStarted } from "../../../server/src/start-up.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { buyer, form, json, pdf } from "../../support/doors.ts";
import { keptLog } from "../../support/kept-log.ts";
import { nightly } from "../../support/many-or-few.ts";
import { listening } from "../../support/listening.ts";
import { PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { startProcess, type ServiceProcess } from "../../support/service-process.ts";
import { startService } from "../../support/service.ts";
import { beginUpload } from "../../support/stalled-upload.ts";

test.each<[Readonly<Record<string, string>>, string]>([
  // The folder above is none, or takes no other.
  [{ DATA_DIR: "/dev/null/data" }, "^The database file /dev/null/data/.* cannot be made. Set DATA_DIR to another"],
  [{ DATA_DIR: "/proc/nope/data" }, "^The database file /proc/nope/data/.* cannot be made. Set DATA_DIR to another"],
  [{ HOST: "127.0.0.1" }, "^port 9 of 127.0.0.1 is taken. Set PORT to another one.$"],
  [{ HOST: "192.0.2.1" }, "^port 9 of 192.0.2.1 cannot be listened on .EADDRNOTAVAIL.. Set HOST or PORT to another"],
])("%j ends the start where it cannot be made, is taken, or is another machine's", async (env, says) => {
  await using server = await listening(() => {});
  const error = await startService({ env: { ...env, PORT: `${server.port}` } }).catch((thrown: unknown) => thrown);
  expect(whyNotStarted(error, { listen: { host: env["HOST"] ?? "", port: 9 } })).toMatch(new RegExp(says));
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

const uploading = (service: ServiceProcess) =>
  eventually(() => readdir(join(service.dataFolder, "resumes/.staging"))).toHaveLength(1);
const closing = (service: ServiceProcess) =>
  eventually(() => service.log.some((line) => line.includes('"closing"'))).toBe(true);

/** Not ready, alive, and accepted. */
const whileEnding = [503, 200, 200];

/** Ends a service and asks it meanwhile. Answers null when it was asked too late: after the notice, and not served. */
async function askWhileEnding() {
  // With standard error on a full disk, which hinders nothing.
  await using service = await startProcess({}, { through: ["sh", "-c", 'exec "$@" 2> /dev/full', "sh"] });
  const upload = beginUpload(service);
  await uploading(service);
  const begun = performance.now();
  service.child.kill("SIGTERM");
  await closing(service);
  const answers = await Promise.allSettled([
    fetch(`${service.url}/readyz`),
    fetch(`${service.url}/healthz`),
    fetch(`${service.url}/api/marketplace/inquiry`, inquiry),
  ]);
  const tookMs = performance.now() - begun;
  expect(await upload.end()).toBe(200);
  expect(await service.ended).toBe(0);
  const { inquiries, applications } = await service.stored();
  const responses = answers.map((answer) => (answer.status === "fulfilled" ? answer.value : null));
  expect(inquiries).toHaveLength(responses[2]?.status === 200 ? 1 : 0);
  expect(applications).toHaveLength(1);
  // Nothing is in the way of the next one.
  await using next = await startService({ env: { DATA_DIR: service.dataFolder } });
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
  const served = responses.every((response, at) => response?.status === whileEnding[at]);
  return served || tookMs < noticeMs ? responses : null;
}

test("from SIGTERM on the service says that it is not ready, serves what it is sent, closes each connection, and lets uploads finish", async () => {
  // On a busy machine the notice may be over before this process gets to ask.
  let responses = await askWhileEnding();
  while (responses === null) responses = await askWhileEnding();
  expect(responses.map((response) => response?.status)).toEqual(whileEnding);
  expect(responses[0]?.headers.get("retry-after")).toBe("5");
  for (const response of responses) expect(response?.headers.get("connection")).toBe("close");
});

const stalled =
  "SIGTERM with an upload that stalls and a mail provider that is silent: both are given up in time, and what was stored is answered";
// At night: that time is ten seconds.
nightly(stalled, async () => {
  await using postmark = await PostmarkStandIn.open();
  postmark.breakdown = { kind: "hang" };
  await using service = await startProcess({ ...postmark.env, MAIL_DEADLINE_MS: "15000" });
  beginUpload(service);
  await uploading(service);
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
  const { lines, log } = keptLog("trace");
  await using service = await startService({ log });
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
  await service.stop();
  const told = JSON.stringify(lines);
  expect(lines.length).toBeGreaterThan(8);
  for (const secret of [first, last, email, phone, letter, filename, token]) expect(told).not.toContain(secret);
});
