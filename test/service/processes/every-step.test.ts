// The process is killed at steps of acceptance and delivery: at one of each kind, at night at every one.
import { expect, test } from "vitest";
import type { Step } from "../../support/crash/preload/failing-failpoint.ts";
import { applicant, buyer, form, json, pdf, rest, type Answer, type Procedure } from "../../support/doors.ts";
import { atNight } from "../../support/many-or-few.ts";
import { until } from "../../support/service-process.ts";
import { beginUpload } from "../../support/stalled-upload.ts";
import { CrashSite, laterMs, sha256 } from "../../support/crash/crash-site.ts";

// It starts processes, one after the other.
const patient = { timeout: 600_000 };

const resume = pdf("resume.pdf", 50_000);
const requests: Readonly<Record<Procedure, (email: string) => RequestInit>> = {
  "marketplace.inquiry": (email) => json({ ...buyer, email }),
  "newsletter.subscribe": (email) => json({ email, source: "footer" }),
  "applications.submit": (email) => form({ ...applicant, email, resumeFile: resume }),
};
const teams: Readonly<Record<Procedure, string[]>> = {
  "marketplace.inquiry": ["sales@datasets.example"],
  "newsletter.subscribe": [],
  "applications.submit": ["jobs@datasets.example"],
};

interface Sent {
  /** Where the process is killed. */
  readonly at: Step | "handing-over" | "handed-over";
  readonly procedure: Procedure;
}

const emailOf = ({ at, procedure }: Sent) => `${procedure}-${at}@example.org`;

function send(service: { readonly url: string }, sent: Sent): Promise<Answer> {
  const init = requests[sent.procedure](emailOf(sent));
  const headers = { ...(init.headers as Record<string, string>), "idempotency-key": emailOf(sent) };
  return rest.send(service, sent.procedure, { ...init, headers });
}

const everyProcedure = Object.keys(requests) as Procedure[];
const inAll = (at: Step): Sent[] => everyProcedure.map((procedure) => ({ at, procedure }));
const applying = (...steps: Step[]): Sent[][] => steps.map((at) => [{ at, procedure: "applications.submit" }]);
/** What is sent at once to one process, which is killed at a step. */
const beforeCommit = [
  ...(atNight ? applying("body-read", "staged", "resume-synced", "resume-kept", "row-written") : []),
  inAll("before-commit"),
];
const fromCommitOn = [
  ...applying("after-commit"),
  ...(atNight ? [...applying("mail-in-hand", "mail-taken"), ...inAll("before-answer").map((sent) => [sent])] : []),
];
/** While the provider has the mails of the first try and does not answer, before it takes them and after. */
const whileMailed: Sent[] = [
  { at: "handing-over", procedure: "marketplace.inquiry" },
  { at: "handed-over", procedure: "marketplace.inquiry" },
];

const laterTries: Step[] = atNight ? ["mail-claimed", "mail-in-hand", "mail-taken", "mail-settled"] : ["mail-taken"];

const storedOf = async (site: CrashSite) => {
  const { inquiries, applications, subscribers } = await site.contents();
  return [...inquiries, ...applications, ...subscribers];
};

/** Waits until every mail that is stored went out; each went out once. Answers to whom. */
async function mailsSent(site: CrashSite): Promise<string[]> {
  await until(async () => {
    const { mails } = await site.contents();
    return mails.length > 0 && mails.every(({ status }) => status === "sent");
  });
  const { mails } = await site.contents();
  expect(site.copies()).toEqual(new Map(mails.map(({ id }) => [id, 1])));
  return site.postmark.taken.map(({ To }) => To).toSorted();
}

test(
  "killed at steps of the first try and of later ones: all or nothing is kept, the repetition is told which, every mail goes out once",
  patient,
  async () => {
    await using site = await CrashSite.open();
    for (const together of [...beforeCommit, ...fromCommitOn]) {
      const [{ at, procedure }] = together as [Sent];
      const before = await site.contents();
      const service = await site.start({ failpoint: at as Step });
      const files = await site.resumeFiles();
      const upload = beginUpload(service);
      await until(async () => (await site.resumeFiles()).length > files.length);
      const lost = await Promise.allSettled(together.map((sent) => send(service, sent)));
      for (const { reason } of lost as PromiseRejectedResult[]) expect(String(reason), at).toContain("fetch failed");
      expect(await service.ended).toBeNull();
      expect(service.child.signalCode).toBe("SIGKILL");
      await upload.cut;
      const isKept = fromCommitOn.includes(together);
      const addresses = (await storedOf(site)).map(({ email }) => email);
      for (const sent of together) expect(addresses.includes(emailOf(sent)), emailOf(sent)).toBe(isKept);
      const stored = (await site.contents()).mails.length - before.mails.length;
      expect(stored, at).toBe(isKept ? 1 + teams[procedure].length : 0);
    }
    const service = await site.start();
    const { requests: asked, taken } = site.postmark;
    const [askedBefore, takenBefore] = [asked.length, taken.length];
    site.postmark.failNext(...whileMailed.map(({ at }) => ({ kind: "hang", taken: at === "handed-over" }) as const));
    const lost: Promise<unknown>[] = [];
    for (const [nth, sent] of whileMailed.entries()) {
      lost.push(send(service, sent).catch((error: unknown) => error));
      await until(() => asked.length > askedBefore + nth);
    }
    await until(() => taken.length > takenBefore);
    service.child.kill("SIGKILL");
    for (const answer of lost) expect(await answer).toBeInstanceOf(TypeError);
    await service.ended;
    const kept = await storedOf(site);

    let aheadMs = 0;
    for (const failpoint of laterTries) {
      // It looks for due mails before it listens.
      expect(await site.startToEnd({ failpoint, aheadMs: (aheadMs += laterMs) }), failpoint).toBeNull();
    }
    const next = await site.start({ aheadMs: aheadMs + laterMs });
    // What was left behind is swept at the start.
    const withResume = async () => (await site.contents()).applications.length;
    await until(async () => (await site.resumeFiles()).length === (await withResume()));
    const all = [...beforeCommit, ...fromCommitOn, whileMailed].flat();
    for (const sent of all) {
      const { status, headers, receipt } = await send(next, sent);
      const before = kept.find(({ email }) => email === emailOf(sent));
      expect([status, headers.get("idempotency-replayed")], emailOf(sent)).toEqual([200, before ? "true" : null]);
      if (before !== undefined && "reference" in before)
        expect(receipt?.["inquiryId"] ?? receipt?.["applicationId"]).toBe(before.reference);
    }
    const addresses = all.flatMap((sent) => [emailOf(sent), ...teams[sent.procedure]]);
    expect(await mailsSent(site)).toEqual(addresses.toSorted());
    expect((await storedOf(site)).map(({ email }) => email).toSorted()).toEqual(all.map(emailOf).toSorted());
    expect((await site.resumeFiles()).length).toBe(await withResume());
    const bytes = sha256(await resume.bytes());
    for (const { resume: file } of (await site.contents()).applications)
      expect([file?.sha256, await site.hashOf(file?.key ?? "")]).toEqual([bytes, bytes]);
  },
);
