// Two services on one database, one of which is killed at a step: the other one repeats what was interrupted.
import { expect, test } from "vitest";
import type { Step } from "../../support/crash/preload/failing-failpoint.ts";
import { applicant, form, pdf, rest, rpc, type Door, withKey } from "../../support/doors.ts";
import { atNight } from "../../support/many-or-few.ts";
import { mailsSettled, openSeveral } from "../../support/processes/several.ts";
import { until } from "../../support/service-process.ts";
import { laterMs, sha256 } from "../../support/crash/crash-site.ts";

// It starts processes, one after the other.
const patient = { timeout: 600_000 };

const beforeCommit: readonly Step[] = [
  "before-commit",
  ...(atNight ? (["staged", "resume-kept", "row-written"] as const) : []),
];
const afterCommit: readonly Step[] = [
  "before-answer",
  ...(atNight ? (["after-commit", "mail-in-hand", "mail-taken", "mail-settled"] as const) : []),
];
const steps = [...beforeCommit, ...afterCommit];
const resume = pdf("resume.pdf", 50_000);
const emailAt = (step: Step) => `${step}@example.org`;

const apply = (service: { readonly url: string }, step: Step, door: Door) => {
  const init = form({ ...applicant, email: emailAt(step), resumeFile: resume });
  return door.send(service, "applications.submit", withKey(init, step));
};

test("killed at any step, the other service stores or knows it, and everybody gets one mail", patient, async () => {
  await using several = await openSeveral();
  const { site, clock } = several;
  const [survivor] = await several.startHere({});
  for (const step of steps) {
    const [victim] = await several.start({ FAILPOINT: step });
    const answer = await apply(victim!, step, rest).catch((error: TypeError) => error.message);
    // What became of the mails is written down while the caller gets the answer.
    if (step !== "mail-settled") expect(answer, step).toBe("fetch failed");
    expect(await victim!.ended).toBeNull();
    expect(victim!.child.signalCode).toBe("SIGKILL");
    const stored = (await site.contents()).applications.find(({ email }) => email === emailAt(step));
    expect(stored !== undefined, step).toBe(afterCommit.includes(step));

    const { status, headers, receipt } = await apply(survivor!, step, rpc);
    expect([status, headers.get("idempotency-replayed")], step).toEqual([200, stored === undefined ? null : "true"]);
    if (stored !== undefined) expect(receipt?.["applicationId"]).toBe(stored.reference);
  }
  await survivor!.stop();

  // Later, so that leases have run out and what was left behind is old.
  clock.advance(laterMs);
  await several.startHere({});
  await mailsSettled(several);
  await until(async () => (await site.resumeFiles()).length === steps.length);
  const { applications, mails } = await site.contents();
  expect(applications.map(({ email }) => email).toSorted()).toEqual(steps.map(emailAt).toSorted());
  expect(mails.map(({ status }) => status)).toEqual(Array(2 * steps.length).fill("sent"));
  const copies = site.copies();
  expect(mails.filter(({ id }) => copies.get(id) !== 1)).toEqual([]);
  const sent = sha256(await resume.bytes());
  for (const { resume: kept } of applications) expect(await site.hashOf(kept?.key ?? "")).toBe(sent);
});
