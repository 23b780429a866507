// Stages and declines, from the console's call to the mail that goes out, or does not.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { DeclineOutcome, DeclinePreview, SubmissionDetail } from "../../../shared/src/console.ts";
import { stages } from "../../../shared/src/stages.ts";
import { wakeMail } from "../../../server/src/desk/mails.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { expect, test } from "vitest";
import { inboundEnv, passes, resultOf } from "../../support/answers/mails.ts";
import { applicant, json, rest } from "../../support/doors.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { openFolder } from "../../support/folder.ts";
import { type Service, startService } from "../../support/service.ts";
import { startProcess } from "../../support/service-process.ts";
import { auditOf, inquire, operator, type Operator } from "../../support/console/operator.ts";

const text = "Thank you, {name}. We chose another person.";
const hour = 60 * 60_000;
const day = 24 * hour;

async function apply(service: Pick<Service, "url">, more: Partial<typeof applicant> = {}): Promise<string> {
  const { receipt, status } = await rest.send(service, "applications.submit", json({ ...applicant, ...more }));
  if (status !== 200) throw new Error(`An application was answered with ${status}.`);
  return String(receipt?.["applicationId"]);
}

const detailOf = async (one: Operator, reference: string) =>
  (await one.call("submission.get", { reference })).data as SubmissionDetail;

const declinesTo = async (service: Service, address: string) =>
  (await service.mails()).filter(
    ({ to, subject }) => subject?.startsWith("Re: ") && to?.some((one) => one.address === address),
  );

const request = (targets: object[], more: object = {}) => ({ targets, text, days: 2, reason: "Seats", ...more });

test("a decline is mailed in two days with the words alone, and once", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: { RECRUITING_EMAIL: "jobs@voices.example" } });
  const reference = await apply(service);
  const rita = await operator(service, "rita@example.org", "recruiting");
  const { data: previews } = await rita.call("decline.preview", { references: [reference], text });
  expect((previews as DeclinePreview[])[0]).toMatchObject({
    text: "Thank you, Ana Souza. We chose another person.",
    suppressed: null,
  });
  const { data, status } = await rita.call("decline.send", request([{ reference, version: 1 }]));
  expect(status).toBe(200);
  const [{ dueAt }] = data as [Extract<DeclineOutcome, { result: "changed" }>];
  expect(dueAt! - clock.now()).toBeGreaterThan(2 * day - hour);
  expect(await detailOf(rita, reference)).toMatchObject({
    stage: "declined",
    status: "done",
    declineReason: "Seats",
    mails: expect.arrayContaining([expect.objectContaining({ kind: "application-reply", status: "queued", dueAt })]),
  });
  clock.advance(2 * day - hour);
  // What is due later than this is sent, so the sender has looked at what is due.
  await inquire(service, "later@example.org");
  expect(await declinesTo(service, applicant.email)).toEqual([]);
  clock.advance(2 * hour);
  await eventually(async () => (await declinesTo(service, applicant.email)).length).toBe(1);
  const [mail] = await declinesTo(service, applicant.email);
  expect(mail!.text).toMatch(/^Thank you, Ana Souza\. We chose another person\./);
  for (const sent of await service.mails()) expect(`${sent.subject} ${sent.text} ${sent.html}`).not.toContain("Seats");
  const entries = (await auditOf(service)).filter(({ subject }) => subject === reference);
  expect(entries.map(({ action }) => action)).toEqual(["stage", "status", "reply"]);
  expect(JSON.stringify(entries)).not.toMatch(/Seats|Thank you/);
});

test("a person's answer holds the mail until an operator releases it; an answer of anyone else does not", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: inboundEnv });
  const [ana, ben] = [applicant.email, "ben@example.org"];
  const references = [await apply(service), await apply(service, { email: ben })];
  const rita = await operator(service, "rita@example.org", "recruiting");
  await rita.call("decline.send", request(references.map((reference) => ({ reference, version: 1 }))));
  clock.advance(hour);
  const answerTo = async (address: string) => {
    const receipt = (await service.mails()).find(({ to }) => to?.[0]?.address === address);
    return receipt?.replyTo?.[0]?.address ?? "";
  };
  const mail = { from: `Ana <${ana}>`, to: await answerTo(ana), headers: [passes(ana.split("@")[1]!)], text: "Wait!" };
  expect(await resultOf(service, mail)).toBe("filed");
  expect(await resultOf(service, { ...mail, to: await answerTo(ben), from: "Eve <eve@example.net>" })).toBe("filed");
  const [held, others] = [await detailOf(rita, references[0]!), await detailOf(rita, references[1]!)];
  expect(held).toMatchObject({ stage: "declined", status: "open", replies: [{ held: true }] });
  expect(others).toMatchObject({ stage: "declined", status: "done", replies: [{ held: false }] });
  const { id } = held.mails.find(({ kind }) => kind === "application-reply")!;
  clock.advance(2 * day);
  await eventually(async () => (await declinesTo(service, ben)).length).toBe(1);
  clock.advance(5 * day);
  await inquire(service, "later@example.org");
  expect(await declinesTo(service, ana)).toEqual([]);
  // Neither of these is an operator's confirmation for this mail.
  await using store = await openStore(service.storage);
  const by = { operator: "command line", at: clock.now() };
  await wakeMail(store.desk, id, by);
  await store.releaseHeld(null, by);
  await inquire(service, "latest@example.org");
  expect(await declinesTo(service, ana)).toEqual([]);
  const again = await operator(service, "rosa@example.org", "recruiting");
  expect((await again.call("decline.release", { id: held.replies[0]!.id })).status).toBe(200);
  await eventually(async () => (await declinesTo(service, ana)).length).toBe(1);
  expect((await detailOf(again, references[0]!)).replies).toMatchObject([{ held: false }]);
  expect((await auditOf(service)).map(({ action }) => action)).toContain("mail.release");
});

test("a decline that a kill leaves waiting is sent at its time, and once, however often it starts anew", async () => {
  await using folder = await openFolder();
  let reference = "";
  {
    await using killed = await startProcess({}, { dataFolder: folder.path });
    reference = await apply(killed);
    const storage = { kind: "sqlite", file: join(folder.path, "submissions.sqlite") } as const;
    const rita = await operator({ url: killed.url, storage }, "rita@example.org", "recruiting");
    const { status } = await rita.call("decline.send", request([{ reference, version: 1 }]));
    expect(status).toBe(200);
    killed.child.kill("SIGKILL");
    await killed.ended;
  }
  const filesOf = async (from: string) => {
    const entries = await readdir(from, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return new Map(await Promise.all(paths.map(async (path) => [relative(from, path), await readFile(path)] as const)));
  };
  const clock = new MovableClock();
  await using service = await startService({ clock, files: await filesOf(folder.path) });
  clock.advance(2 * day - hour);
  await inquire(service, "later@example.org");
  expect(await declinesTo(service, applicant.email)).toEqual([]);
  clock.advance(2 * hour);
  await eventually(async () => (await declinesTo(service, applicant.email)).length).toBe(1);
  await service.stop();
  await using again = await startService({ clock, files: await filesOf(service.dataFolder) });
  clock.advance(9 * day);
  await inquire(again, "latest@example.org");
  expect(await declinesTo(again, applicant.email)).toHaveLength(1);
});

test("what a page was told of a decision takes it back whole, and nothing else does", async () => {
  await using service = await startService();
  const [reference, other] = [await apply(service), await apply(service, { email: "other@example.org" })];
  const rita = await operator(service, "rita@example.org", "recruiting");
  await rita.call("decline.send", request([{ reference, version: 1 }]));
  const declined = await detailOf(rita, reference);
  const moved = await rita.call("inbox.triage", { targets: [{ reference, version: 2 }], stage: "interview" });
  const [{ undo }] = moved.data as [{ undo: string }];
  expect(await detailOf(rita, reference)).toMatchObject({ declineReason: null, replies: [] });
  const back = (target: object) => rita.call("inbox.triage", { targets: [target], stage: "declined", status: "done" });
  expect((await back({ reference: other, version: 1, undo })).status).toBe(400);
  expect((await back({ reference, version: 3, undo: `${undo}x` })).status).toBe(400);
  expect(await detailOf(rita, other)).toMatchObject({ stage: "received", version: 1 });
  expect((await back({ reference, version: 3, undo })).data).toMatchObject([{ result: "changed", version: 4 }]);
  const { stage, status, declineReason, decidedAt, replies } = declined;
  const now = await detailOf(rita, reference);
  expect(now).toMatchObject({ stage, status, declineReason, decidedAt });
  const [{ author, at, text: words, sendAt }] = replies as [(typeof replies)[number]];
  expect(now.replies).toMatchObject([{ author, at, text: words, sendAt }]);
  expect((await back({ reference, version: 4, undo })).data).toMatchObject([{ result: "conflict" }]);
});

test("only roles that see applications move and decline, and what is asked for is checked", async () => {
  await using service = await startService();
  const [reference, inquiry] = [await apply(service), await inquire(service, "ann@example.org")];
  const [sam, eva] = [
    await operator(service, "sam@example.org", "sales"),
    await operator(service, "eva@example.org", "admin"),
  ];
  const target = { reference, version: 1 };
  for (const [path, input] of [
    ["decline.send", request([target])],
    ["decline.reasons", undefined],
    ["decline.preview", { references: [reference], text }],
    ["decline.cancel", { id: 1 }],
    ["decline.release", { id: 1 }],
    ["inbox.stages", { filter: {} }],
  ] as const)
    expect([path, (await sam.call(path, input)).status]).toEqual([path, 404]);
  const moved = await sam.call("inbox.triage", { targets: [target], stage: "hired" });
  expect(moved.data).toEqual([{ reference, result: "unknown" }]);
  const many = Array.from({ length: 51 }, () => target);
  for (const wrong of [
    request(many),
    request([]),
    request([target], { days: 3 }),
    request([{ reference: inquiry, version: 1 }]),
  ])
    expect((await eva.call("decline.send", wrong)).status).toBe(400);
  expect(
    (await eva.call("inbox.triage", { targets: [{ reference: inquiry, version: 1 }], stage: "offer" })).status,
  ).toBe(400);
  expect((await eva.call("inbox.triage", { targets: [target], stage: "unheard-of" })).status).toBe(400);
  expect((await eva.call("decline.cancel", { id: 77 })).status).toBe(404);
  expect(await detailOf(eva, reference)).toMatchObject({ stage: "received", status: "new", version: 1, replies: [] });
  const counts = Object.fromEntries(stages.map((stage) => [stage, stage === "received" ? 1 : 0]));
  expect((await eva.call("inbox.stages", { filter: { kind: "application" } })).data).toEqual(counts);
  const { data } = await eva.call("inbox.triage", { targets: [target], stage: "screening" });
  expect(data).toEqual([{ reference, result: "changed", version: 2, status: "open" }]);
  const csv = await (await eva.fetch("/console/exports/applications.csv")).text();
  const [head = "", row = ""] = csv.split("\r\n");
  expect(head).toMatch(/"tags","stage","declineReason","decidedAt",/);
  expect(row).toMatch(/,"screening",,,/);
});

test("a message with an unknown placeholder is refused at its field, and no one is declined", async () => {
  await using service = await startService();
  const reference = await apply(service);
  const rita = await operator(service, "rita@example.org", "recruiting");
  const targets = [{ reference, version: 1 }];
  const refused = await rita.call("decline.send", { ...request(targets), text: "Thank you, {name} {nope} {Name}." });
  const message = "There is no placeholder {nope}, {Name}.";
  expect([refused.status, refused.issues]).toEqual([400, [{ path: ["text"], message }]]);
  const many = { references: [reference], text: "Hello {nope}" };
  const unsent = await rita.call("reply.sendMany", many);
  expect([unsent.status, unsent.issues?.[0]?.path]).toEqual([400, ["text"]]);
  expect(await detailOf(rita, reference)).toMatchObject({ stage: "received", status: "new", version: 1, replies: [] });
});
