// The process is killed at every step of acceptance and delivery. Before the commit there is nothing afterwards; from the
// commit on there is everything, once.
import { describe, expect, test } from "vitest";
import type { Step } from "../../../server/src/failpoint.ts";
import { applicant, buyer, form, json, pdf, rest, type Answer, type Procedure } from "../../support/doors.ts";
import { until } from "../../support/service-process.ts";
import { CrashSite, laterMs, sha256 } from "../../support/crash/crash-site.ts";

// Each test starts processes, several tests at once.
const patient = { timeout: 300_000 };

const resume = pdf("resume.pdf", 50_000);
const requests: Readonly<Record<Procedure, () => RequestInit>> = {
  "marketplace.inquiry": () => json(buyer),
  "newsletter.subscribe": () => json({ email: "reader@example.org", source: "footer" }),
  "applications.submit": () => form({ ...applicant, resumeFile: resume }),
};

function send(service: { readonly url: string }, procedure: Procedure): Promise<Answer> {
  const init = requests[procedure]();
  const headers = { ...(init.headers as Record<string, string>), "idempotency-key": "the-key" };
  return rest.send(service, procedure, { ...init, headers });
}

/** The service is killed at a step of the first submission, whose caller hears nothing. */
async function killAt(site: CrashSite, failpoint: Step, procedure: Procedure): Promise<void> {
  const service = await site.start({ failpoint });
  await expect(send(service, procedure)).rejects.toThrow("fetch failed");
  expect(await service.ended).toBeNull();
  expect(service.child.signalCode).toBe("SIGKILL");
}

async function countRows(site: CrashSite): Promise<number> {
  const { inquiries, applications, subscribers } = await site.contents();
  return inquiries.length + applications.length + subscribers.length;
}

/** Waits until every mail that is stored went out, and says to whom. */
async function mailsSent(site: CrashSite): Promise<string[]> {
  await until(async () => {
    const { mails } = await site.contents();
    return mails.length > 0 && mails.every(({ status }) => status === "sent");
  });
  return site.postmark.taken.map(({ To }) => To).toSorted();
}

const recipients: Readonly<Record<Procedure, string[]>> = {
  "marketplace.inquiry": [buyer.email, "sales@datasets.example"],
  "newsletter.subscribe": ["reader@example.org"],
  "applications.submit": [applicant.email, "jobs@datasets.example"],
};

const everyProcedure = Object.keys(requests) as Procedure[];
const inAll = (step: Step) => everyProcedure.map((procedure) => [step, procedure] as const);
const applying = (...steps: Step[]) => steps.map((step) => [step, "applications.submit"] as const);
const beforeCommit = [
  ...applying("staged", "body-read", "resume-synced", "resume-kept", "row-written"),
  ...inAll("before-commit"),
];
const afterCommit = [...applying("after-commit"), ...inAll("before-answer")];

describe.concurrent("killed before the commit", patient, () => {
  test.for(beforeCommit)(
    "at %s of %s: nothing is stored, and the repetition is the first",
    async ([step, procedure]) => {
      await using site = await CrashSite.open();
      await killAt(site, step, procedure);
      expect(await countRows(site)).toBe(0);
      expect((await site.contents()).mails).toEqual([]);

      await using service = await site.start({ aheadMs: laterMs });
      // What the first one left behind is swept at the start.
      await until(async () => (await site.resumeFiles()).length === 0);
      const { status, headers } = await send(service, procedure);
      expect([status, headers.get("idempotency-replayed")]).toEqual([200, null]);
      expect(await mailsSent(site)).toEqual(recipients[procedure]);
      expect(await countRows(site)).toBe(1);
    },
  );
});

describe.concurrent("killed after the commit", patient, () => {
  test.for(afterCommit)("at %s of %s: all is kept, mailed, and answered alike", async ([step, procedure]) => {
    await using site = await CrashSite.open();
    await killAt(site, step, procedure);
    const { inquiries, applications, mails } = await site.contents();
    expect(await countRows(site)).toBe(1);
    expect(mails).toHaveLength(recipients[procedure].length);

    await using service = await site.start({ aheadMs: laterMs });
    expect(await mailsSent(site)).toEqual(recipients[procedure]);
    const { status, headers, receipt } = await send(service, procedure);
    expect([status, headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    const reference = [...inquiries, ...applications][0]?.reference;
    expect(receipt?.["inquiryId"] ?? receipt?.["applicationId"]).toBe(reference);
    expect(await countRows(site)).toBe(1);
    for (const { resume: kept } of applications) {
      expect(await site.resumeFiles()).toHaveLength(1);
      const sent = sha256(await resume.bytes());
      expect([kept?.sha256, await site.hashOf(kept?.key ?? "")]).toEqual([sent, sent]);
    }
  });
});

describe.concurrent("killed during delivery", patient, () => {
  test("before the provider has the mails: they go out once, after the restart", async () => {
    await using site = await CrashSite.open();
    const service = await site.start();
    site.postmark.failNext({ kind: "hang" });
    const lost = send(service, "marketplace.inquiry").catch((error: unknown) => error);
    await until(() => site.postmark.requests.length > 0);
    service.child.kill("SIGKILL");
    expect(await lost).toBeInstanceOf(TypeError);
    await site.start({ aheadMs: laterMs });
    expect(await mailsSent(site)).toEqual(recipients["marketplace.inquiry"]);
  });

  test("after the provider took the mails, before that is written down: nobody gets one twice", async () => {
    await using site = await CrashSite.open();
    const service = await site.start();
    site.postmark.failNext({ kind: "hang", taken: true });
    const lost = send(service, "marketplace.inquiry").catch((error: unknown) => error);
    await until(() => site.postmark.taken.length > 0);
    service.child.kill("SIGKILL");
    expect(await lost).toBeInstanceOf(TypeError);
    await site.start({ aheadMs: laterMs });
    expect(await mailsSent(site)).toEqual(recipients["marketplace.inquiry"]);
  });

  test.for<Step>(["mail-in-hand", "mail-taken"])("at %s of the first try: every mail goes out once", async (step) => {
    await using site = await CrashSite.open();
    await killAt(site, step, "applications.submit");
    await site.start({ aheadMs: laterMs });
    expect(await mailsSent(site)).toEqual(recipients["applications.submit"]);
  });

  test.for<Step>(["mail-claimed", "mail-in-hand", "mail-taken", "mail-settled"])(
    "at %s of a later try: every mail goes out once",
    async (step) => {
      await using site = await CrashSite.open();
      const first = await site.start();
      site.postmark.breakdown = { kind: "error", status: 503 };
      expect((await send(first, "marketplace.inquiry")).status).toBe(200);
      await until(async () => (await site.contents()).mails.every(({ attempts }) => attempts > 0));
      first.child.kill("SIGKILL");
      await first.ended;

      site.postmark.breakdown = null;
      // It looks for due mails before it listens.
      expect(await site.startToEnd({ failpoint: step, aheadMs: laterMs })).toBeNull();
      await site.start({ aheadMs: 2 * laterMs });
      expect(await mailsSent(site)).toEqual(recipients["marketplace.inquiry"]);
    },
  );
});
