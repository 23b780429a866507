// Services for the web and workers on one database: what each does and leaves to the other, and the mails of all of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, applicant, buyer, doors, form, json, pdf, rest } from "../../support/doors.ts";
import { count } from "../../support/outbox/mail-service.ts";
import type { Service } from "../../support/service.ts";
import type { PostmarkFault } from "../../support/postmark-stand-in.ts";
import { until } from "../../support/service-process.ts";
import { hasLogged, mailsSettled, openSeveral, type Several, statusOf } from "../../support/processes/several.ts";

const web = {
  SERVICE_MODE: "web",
  POSTMARK_WEBHOOK_AUTH: "hook:a-password-of-24-characters",
  // The longest there is: a busy machine may take long to send a mail.
  MAIL_DEADLINE_MS: "15000",
};
const worker = { SERVICE_MODE: "worker", POSTMARK_WEBHOOK_AUTH: "hook:a-password-of-24-characters" };

let several: Several;
let webs: readonly Service[];

beforeAll(async () => {
  several = await openSeveral();
  webs = await several.startHere(web, web);
});
afterAll(() => several[Symbol.asyncDispose]());

const inquire = (service: Service, name: string, door = rest): Promise<Answer> =>
  door.send(service, "marketplace.inquiry", json({ ...buyer, email: `${name}@example.org` }));

const receiptOf = async (address: string) =>
  (await several.site.contents()).mails.find(({ email, kind }) => email === address && kind.endsWith("-receipt"));

test("without workers the web sends what it has just stored, and leaves alone what is due", async () => {
  const { site, clock } = several;
  expect((await inquire(webs[0]!, "first")).receipt).toMatchObject({ confirmationEmailSent: true });
  site.postmark.failNext({ kind: "error", status: 503 });
  expect((await inquire(webs[0]!, "late")).receipt).toMatchObject({ confirmationEmailSent: false });
  await until(async () => (await receiptOf("late@example.org"))?.attempts === 1);
  clock.advance(24 * 60 * 60 * 1000);
  for (const service of webs) {
    const { receipt } = await inquire(service, `next${new URL(service.url).port}`);
    expect(receipt).toMatchObject({ confirmationEmailSent: true });
  }
  expect(await receiptOf("late@example.org")).toMatchObject({ status: "queued", attempts: 1 });
});

test("workers have no doors, send what the web could not, and lose and double nothing while the provider fails", async () => {
  const { site } = several;
  const workers = await several.startHere(worker, worker);
  for (const service of webs) {
    expect(await statusOf(service, "/")).toBe(200);
    expect(await statusOf(service, "/webhooks/postmark", { method: "POST" })).toBe(401);
  }
  for (const service of workers) {
    expect(hasLogged(service, "links in mails lead to this worker, which serves no page: set PUBLIC_URL")).toBe(true);
    for (const path of ["/healthz", "/readyz", "/metrics"]) expect(await statusOf(service, path), path).toBe(200);
    for (const path of ["/", "/docs", "/openapi.json", "/forms.js", "/newsletter/confirm?token=x"]) {
      expect(await statusOf(service, path), path).toBe(404);
    }
    for (const path of ["/api/marketplace/inquiry", "/trpc/newsletter.subscribe", "/webhooks/postmark"]) {
      expect(await statusOf(service, path, { method: "POST" }), path).toBe(404);
    }
    expect((await inquire(service, "worker")).fault?.code).toBe("NOT_FOUND");
  }
  await mailsSettled(several);
  expect(await receiptOf("late@example.org")).toMatchObject({ status: "sent" });

  // Calls go wrong in every way, twice; some after the mails were taken.
  const faults: PostmarkFault[] = [
    { kind: "error", status: 500 },
    { kind: "reset", taken: true },
    { kind: "cut", taken: true },
    { kind: "reset" },
    { kind: "error", status: 503 },
    { kind: "error", status: 500, taken: true },
  ];
  const send = async (n: number) => {
    if (n % 8 === 0) site.postmark.failNext(faults[(n / 8) % faults.length]!);
    if (n % 10 !== 0) return inquire(webs[n % 2]!, `buyer${n}`, doors[n % 2]);
    const fields = { ...applicant, email: `buyer${n}@example.org`, resumeFile: pdf() };
    return rest.send(webs[n % 2]!, "applications.submit", form(fields));
  };
  // Not all at once, which a busy machine would refuse in part.
  for (let begun = 0; begun < 100; begun += 20) {
    const answers = await Promise.all(count(20).map((n) => send(begun + n)));
    for (const { status } of answers) expect(status).toBe(200);
  }
  site.postmark.failNext(faults[0]!, faults[1]!);
  await mailsSettled(several);

  const { inquiries, applications, subscribers, mails } = await site.contents();
  expect([inquiries.length, applications.length]).toEqual([90 + 4, 10]);
  expect(mails).toHaveLength(2 * (inquiries.length + applications.length) + subscribers.length);
  expect(mails.filter(({ status }) => status !== "sent")).toEqual([]);
  const copies = site.copies();
  expect(mails.filter(({ id }) => copies.get(id) !== 1)).toEqual([]);
  expect(copies.size).toBe(mails.length);
  expect(mails.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
});
