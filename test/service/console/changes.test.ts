// What operators change, two of them at once, and a session that ends in the middle.
import { readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { erasePerson } from "../../../server/src/desk/erase.ts";
import type { findMatching } from "../../../server/src/desk/matching.ts";
import type { DeskStore } from "../../../server/src/storage/desk-store.ts";
import type { SubmissionDetail, TriageOutcome } from "../../../shared/src/console.ts";
import { expect, test } from "vitest";
import { json } from "../../support/doors.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { inquire, inquireAll, auditOf, operator, submitAll, type Operator } from "../../support/console/operator.ts";
import { nightly } from "../../support/many-or-few.ts";

const detailOf = async (one: Operator, reference: string) =>
  (await one.call("submission.get", { reference })).data as SubmissionDetail;

const triage = async (one: Operator, reference: string, version: number, change: object) =>
  ((await one.call("inbox.triage", { targets: [{ reference, version }], ...change })).data as TriageOutcome[])[0];

test("everything that a filter matches is named with its version, within the role, and changed by these versions", async () => {
  await using service = await startService();
  const many = Array.from({ length: 104 }, (_, at) => `many${at}@example.org`);
  const inquiries = [(await submitAll(service)).inquiry, ...(await inquireAll(service, many))];
  const anna = await operator(service, "anna@example.org", "sales");
  const ben = await operator(service, "ben@example.org", "sales");
  const find = async (filter: object) =>
    (await anna.call("inbox.matching", { filter })).data as Awaited<ReturnType<typeof findMatching>>;
  const { targets, more } = await find({ status: "new" });
  expect(targets.map(({ reference }) => reference)).toEqual(inquiries.toReversed());
  expect(more).toBe(false);
  expect((await find({ status: "new", kind: "application" })).targets).toEqual([]);
  const [taken] = targets;
  await triage(ben, taken!.reference, 1, { status: "open" });
  const outcomes = (await anna.call("inbox.triage", { targets, status: "spam" })).data as TriageOutcome[];
  expect(outcomes.filter(({ result }) => result === "conflict")).toMatchObject([
    { reference: taken!.reference, status: "open", changedBy: "ben@example.org" },
  ]);
  expect((await find({ status: "spam" })).targets).toHaveLength(104);
  expect((await find({ status: "open" })).targets).toEqual([{ reference: taken!.reference, version: 2 }]);
});

test("a change that meets an ended session is refused whole, and done after signing in again", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const { inquiry } = await submitAll(service);
  const anna = await operator(service, "anna@example.org", "sales");
  const { version } = await detailOf(anna, inquiry);
  clock.advance(13 * 60 * 60 * 1000);
  const text = "A long note that must not be lost.";
  expect((await anna.call("submission.addNote", { reference: inquiry, text })).code).toBe("UNAUTHORIZED");
  expect(await anna.call("inbox.triage", { targets: [{ reference: inquiry, version }], status: "done" })).toMatchObject(
    { status: 401, message: "Please sign in." },
  );
  expect((await anna.call("session.me")).data).toBeNull();
  await anna.signIn("anna@example.org");
  const { data } = await anna.call("submission.addNote", { reference: inquiry, text });
  expect(data).toMatchObject({ author: "anna@example.org", text });
  expect(await triage(anna, inquiry, version, { status: "done" })).toMatchObject({ result: "changed" });
  expect(await detailOf(anna, inquiry)).toMatchObject({ status: "done", notes: [{ text }] });
});

test("a submission is not snoozed until a time that has passed, but for clocks that differ by a minute", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const reference = await inquire(service, "ann@example.org");
  const anna = await operator(service, "anna@example.org", "sales");
  const snooze = (snoozedUntil: number) =>
    anna.call("inbox.triage", { targets: [{ reference, version: 1 }], snoozedUntil });
  const refused = await snooze(clock.now() - 61_000);
  expect(refused).toMatchObject({
    status: 400,
    issues: [{ path: ["snoozedUntil"], message: "This time has passed." }],
  });
  expect(await detailOf(anna, reference)).toMatchObject({ snoozedUntil: null, version: 1 });
  const until = clock.now() - 50_000;
  expect(await snooze(until)).toMatchObject({ status: 200 });
  expect(await detailOf(anna, reference)).toMatchObject({ snoozedUntil: until });
});

nightly("the 201st note of a submission is refused, and says why", async () => {
  await using service = await startService();
  const reference = await inquire(service, "ann@example.org");
  const anna = await operator(service, "anna@example.org", "sales");
  const note = (text: string) => anna.call("submission.addNote", { reference, text });
  for (let at = 0; at < 200; at += 1) expect((await note(`${at}`)).status).toBe(200);
  const refused = await note("one more");
  expect([refused.status, refused.message]).toEqual([409, expect.stringContaining("200 notes")]);
  expect((await detailOf(anna, reference)).notes.at(-1)).toMatchObject({ text: "199" });
});

const isResume = (file: string) => !/identity|\.staging/.test(file);

test("only administrators erase, so that no answer tells another role what it may not see", async () => {
  await using service = await startService();
  // The first round of housekeeping pairs the folder with the database. Resumes that are erased earlier are only discarded by the next round.
  await expect.poll(() => readdir(join(service.dataFolder, "resumes/.identity"))).toHaveLength(1);
  await submitAll(service, "ann@example.org");
  const anna = await operator(service, "anna@example.org", "sales");
  const admin = await operator(service, "admin@example.org", "admin");
  const erase = (one: Operator, email: string) => one.call("people.erase", { email });
  await inquire(service, "bo@example.org");
  const answers: unknown[][] = [];
  for (const email of ["ann@example.org", "bo@example.org", "nobody@example.org"]) {
    const { status, message } = await erase(anna, email);
    answers.push([status, message]);
  }
  expect(answers).toEqual(Array.from({ length: 3 }, () => [404, answers[0]?.[1]]));
  expect((await service.stored()).inquiries).toHaveLength(2);
  expect((await service.files("resumes")).filter(isResume)).toHaveLength(1);
  expect((await erase(admin, "Ann@Example.org")).data).toEqual({ submissions: 2, subscriptions: 1, resumes: 1 });
  expect((await service.stored()).inquiries.map(({ email }) => email)).toEqual(["bo@example.org"]);
  expect((await admin.call("people.get", { person: "ann@example.org" })).status).toBe(404);
  expect((await service.files("resumes")).filter(isResume)).toEqual([]);
  expect(JSON.stringify(await auditOf(service))).not.toContain("ann@example.org");
});

test("a person is erased although the place of the resume is away", async () => {
  await using service = await startService();
  await expect.poll(() => readdir(join(service.dataFolder, "resumes/.identity"))).toHaveLength(1);
  await submitAll(service, "ann@example.org");
  const admin = await operator(service, "admin@example.org", "admin");
  const [key] = (await service.files("resumes")).filter(isResume);
  const day = dirname(key!);
  await rename(day, `${day}-away`);
  await writeFile(day, "");
  const erased = await admin.call("people.erase", { email: "ann@example.org" });
  expect(erased.data).toEqual({ submissions: 2, subscriptions: 1, resumes: 1 });
  expect((await service.mails()).filter(({ to }) => to?.some(({ address }) => address === "ann@example.org"))).toEqual(
    [],
  );
});

test("an erasure whose files the store cannot name any more is told as done, mails on this machine included", async () => {
  const asked: string[] = [];
  const desk = {
    erasePerson: async () => ({ submissions: 1, subscriptions: 0, resumes: 1, more: false }),
    resumesToDiscard: () => Promise.reject(new Error("The disk is full.")),
  };
  const places = {
    store: { identity: "one", desk: desk as unknown as DeskStore },
    vault: { belongsTo: async () => true, discard: async () => {} },
    eraseMails: async (email: string) => void asked.push(email),
  };
  const erased = await erasePerson(places, "ann@example.org", { operator: "eva@example.org", at: 0 });
  expect(erased).toEqual({ submissions: 1, subscriptions: 0, resumes: 1, discarded: false });
  expect(asked.at(-1)).toBe("ann@example.org");
});

test("a page that is left open does not keep its session from ending", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const [working, away] = [
    await operator(service, "eva@example.org", "sales"),
    await operator(service, "ben@example.org", "sales"),
  ];
  away.headers["x-unattended"] = "1";
  for (let hours = 0; hours < 11; hours += 1) {
    clock.advance(3_600_000);
    for (const one of [working, away]) expect((await one.call("inbox.counts")).status).toBe(200);
  }
  clock.advance(3_600_000);
  expect([(await working.call("inbox.counts")).status, (await away.call("inbox.counts")).status]).toEqual([200, 401]);
});

test("the last administrator stays one, every change of access is recorded, and a new role holds at once", async () => {
  await using service = await startService();
  const admin = await operator(service, "admin@example.org", "admin");
  const lasting = [
    await admin.call("operators.remove", { email: "admin@example.org" }),
    await admin.call("operators.setRole", { email: "admin@example.org", role: "sales" }),
    await admin.call("operators.invite", { email: "admin@example.org", role: "sales" }),
  ];
  for (const { status, message } of lasting)
    expect([status, message]).toEqual([409, "There must be one administrator."]);
  const ben = await operator(service, "Ben@example.org", "admin");
  expect((await ben.call("audit.list", { page: {} })).status).toBe(200);
  await admin.call("operators.setRole", { email: "ben@example.org", role: "marketing" });
  expect((await ben.call("audit.list", { page: {} })).status).toBe(404);
  const { data } = await admin.call("operators.invite", { email: "eva@example.org", role: "sales" });
  expect((data as { link: string }).link).toMatch(new RegExp(`^${service.url}/console/invitation#token=[\\w-]{43}$`));
  // The link is mailed too.
  const invitation = async () =>
    (await service.mails()).find(({ to }) => to?.some(({ address }) => address === "eva@example.org"))?.text;
  await expect.poll(invitation, { timeout: 20_000 }).toContain((data as { link: string }).link);
  await admin.call("operators.remove", { email: "eva@example.org" });
  expect((await admin.call("operators.remove", { email: "eva@example.org" })).status).toBe(404);
  const actions = (await auditOf(service)).map(({ action }) => action);
  expect(actions.slice(-3)).toEqual(["operator.role", "operator.invite", "operator.remove"]);
});

test("inputs that are wrong are told by field, and batches answer each call", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service);
  const anna = await operator(service, "anna@example.org", "sales");
  const blank = await anna.call("submission.addNote", { reference: inquiry, text: " \u0000 " });
  expect([blank.status, blank.issues?.[0]?.path]).toEqual([400, ["text"]]);
  const wrong = await anna.call("inbox.list", { filter: { status: "lost" }, page: { limit: 1_000 } });
  expect(wrong.issues?.map(({ path }) => path.join("."))).toEqual(["filter.status", "page.limit"]);
  const init = { method: "POST", ...json({ 1: { page: {} } }) };
  const batch = await anna.fetch("/console/trpc/session.me,audit.list?batch=1", init);
  expect(batch.status).toBe(207);
  expect(await batch.json()).toMatchObject([{ result: {} }, { error: { data: { httpStatus: 404 } } }]);

  // Those that make no sense are refused, and say no more.
  const send = async (paths: string, body: string) => {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body };
    const response = await anna.fetch(`/console/trpc/${paths}?batch=1`, sent);
    return [response.status, JSON.stringify(await response.json()).includes("tRPC")];
  };
  expect(await send("session.me,session.nothing", "{}")).toEqual([207, false]);
  expect(await send("session.me,session.me", "[]")).toEqual([400, false]);
  expect(await send("inbox.list,inbox.list", "1")).toEqual([400, false]);
  expect(await send(Array(10).fill("session.me").join(","), "{}")).toEqual([200, false]);
  expect(await send(Array(11).fill("session.me").join(","), "{}")).toEqual([400, false]);
  expect(await send("session.me", "[".repeat(30_000) + "]".repeat(30_000))).toEqual([expect.any(Number), false]);
  expect((await anna.call("session.me")).data).not.toBeNull();
});
