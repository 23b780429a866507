// What the port promises about stages, and about mails that decline.
import { expect } from "vitest";
import { stages } from "../../../shared/src/stages.ts";
import { type Actor, type ChangeOutcome, wholeScope } from "../../../server/src/storage/desk-store.ts";
import { repliesMax, undoMs } from "../../../server/src/storage/reply-store.ts";
import { holding } from "../../../server/src/storage/sql/held.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  eva,
  findSubmission,
  inquiry,
  marketing,
  minute,
  noon,
  recruiting,
  sales,
  triage,
} from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const by: Actor = { ...eva, at: noon + minute };
const dayMs = 24 * 60 * minute;
const text = "Thank you. We chose another person.";

interface Asked {
  readonly text?: string | null;
  readonly days?: number;
  readonly reason?: string | null;
  readonly copies?: boolean;
}

async function decline(store: Store, references: readonly string[], asked: Asked = {}, version = 1, actor = by) {
  const { text: words = text, days = 2, reason = "Other language", copies = false } = asked;
  const targets = references.map((reference) => ({ reference, version, text: words }));
  return store.declines.decline(wholeScope, targets, { reason, days, copies }, actor);
}

async function declineOne(store: Store, reference: string, asked: Asked = {}, version = 1) {
  const declined = await decline(store, [reference], asked, version);
  const outcome = "outcomes" in declined ? declined.outcomes[0] : undefined;
  if (outcome?.result !== "changed") throw new Error(JSON.stringify(declined));
  return outcome;
}

const detailOf = async (store: Store, reference: string) => (await store.desk.findDetail(wholeScope, reference))!;
const actionsOf = async (store: Store, reference: string) =>
  (await detailOf(store, reference)).history.map(({ action }) => action);

/** The mail of its decline: when it is due, and what became of it. */
async function declineMail(store: Store, reference: string) {
  const { mails, replies } = await detailOf(store, reference);
  return mails.findLast(({ reply }) => replies.some(({ id, sendAt }) => id === reply && sendAt !== null));
}

const claimAt = async (store: Store, at: number) => {
  const claimed = await store.mails.claim(at, 100, { owner: "sender", until: at + minute });
  return claimed.filter(({ about }) => "submission" in about && about.reply !== undefined);
};

test("comes in with the first stage, and has none where its kind has none", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  const none = { declineReason: null, decidedAt: null };
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "received", status: "new", ...none });
  const other = await acceptReference(store, inquiry(2));
  expect(await findSubmission(store, other)).toMatchObject({ stage: null, ...none });
  expect(await triage(store, other, 1, { stage: "offer" })).toMatchObject([{ result: "changed", version: 1 }]);
  expect(await findSubmission(store, other)).toMatchObject({ stage: null, status: "new", version: 1 });
});

test("has the status follow its stage, and leaves a status that is set by hand", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  await triage(store, reference, 1, { stage: "screening" }, by);
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "screening", status: "open", version: 2 });
  await triage(store, reference, 2, { status: "done" }, by);
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "screening", status: "done" });
  await triage(store, reference, 3, { stage: "hired" }, by);
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "hired", decidedAt: by.at, version: 4 });
  expect((await detailOf(store, reference)).history.map(({ action, detail }) => [action, detail["to"]])).toEqual([
    ["stage", "screening"],
    ["status", "open"],
    ["status", "done"],
    ["stage", "hired"],
  ]);
  // Undo says both.
  await triage(store, reference, 4, { stage: "received", status: "new" }, by);
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "received", status: "new", decidedAt: null });
});

test("tells an operator who saw an older version of the stage, and changes nothing", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  await triage(store, reference, 1, { stage: "interview" }, by);
  const ben = { operator: "ben@example.org", at: by.at + 1 };
  expect(await triage(store, reference, 1, { stage: "declined" }, ben)).toEqual([
    {
      result: "conflict",
      reference,
      version: 2,
      status: "open",
      stage: "interview",
      assignee: null,
      changedBy: by.operator,
      changedAt: by.at,
    },
  ]);
  expect(await decline(store, [reference])).toMatchObject({ outcomes: [{ result: "conflict" }] });
  expect(await findSubmission(store, reference)).toMatchObject({ stage: "interview" });
  expect(await declineMail(store, reference)).toBeUndefined();
});

test("lists and counts by stage", async ({ store }) => {
  const references: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    const position = n % 2 === 0 ? "Annotator" : "Engineer";
    references.push(await acceptReference(store, application(n, { position })));
  }
  await accept(store, inquiry(20));
  await accept(store, application(21), { spam: true });
  for (const [at, stage] of stages.entries()) await triage(store, references[at]!, 1, { stage }, by);
  for (const [at, stage] of stages.entries()) {
    const { rows } = await store.desk.listSubmissions(wholeScope, { stage, order: "oldest" }, {});
    const received = stage === "received" ? references.slice(7) : [];
    expect(rows.map(({ reference }) => reference)).toEqual([references[at], ...received]);
    expect((await store.desk.listSubmissions(sales, { stage }, {})).rows).toEqual([]);
  }
  const kind = "application";
  const all = { received: 3, screening: 1, interview: 1, offer: 1, hired: 1, declined: 1, withdrawn: 1 };
  expect(await store.desk.countByStage(recruiting, { kind })).toEqual(all);
  const ended = { hired: 0, declined: 0, withdrawn: 0 };
  expect(await store.desk.countByStage(recruiting, { kind, status: "todo" })).toEqual({ ...all, ...ended });
  expect(await store.desk.countByStage(recruiting, { kind, position: "Engineer" })).toMatchObject({
    received: 1,
    screening: 1,
    interview: 0,
    offer: 1,
    hired: 0,
    declined: 1,
    withdrawn: 0,
  });
  expect(await store.desk.countByStage(marketing, {})).toMatchObject({ received: 0, screening: 0 });
  const rows = await store.desk.listSubmissions(
    wholeScope,
    { stage: "received", status: "todo", position: "Engineer" },
    {},
  );
  expect(rows.rows.map(({ reference }) => reference)).toEqual([references[7]]);
});

test.nightly("counts what lies behind thousands of other stages", async ({ store, tested }) => {
  await acceptReference(store, application(0));
  await acceptReference(store, application(1));
  const many = Array.from({ length: 5_100 }, (_, n) => accept(store, application(n + 2)));
  await Promise.all(many);
  await tested.query("UPDATE submission SET stage = 'screening', status = 'open' WHERE arrival > 1");
  const filter = { kind: "application", status: "todo" } as const;
  // A stage that takes longer to count than its time is null: on a busy machine it is asked again.
  const counts = () => store.desk.countByStage(recruiting, filter);
  await expect.poll(counts, { timeout: 20_000 }).toMatchObject({ received: 1, screening: 1_001, offer: 0 });
});

test("tells webhooks of the stage, and of the status that follows", async ({ store }) => {
  const webhook = await store.webhooks.add(
    { url: "https://r.example", events: ["submission.changed"], secret: "whsec_1" },
    by,
  );
  expect(webhook).not.toBe("too-many");
  const references = [await acceptReference(store, application(1)), await acceptReference(store, application(2))];
  await triage(store, references[0]!, 1, { stage: "screening" }, by);
  await declineOne(store, references[1]!);
  await triage(store, references[1]!, 2, { stage: "withdrawn" }, by);
  const told = await store.deliveries.claim(by.at, 10, { owner: "hook", until: by.at + minute });
  expect(told.map(({ about }) => "changed" in about && about.changed)).toEqual([
    ["stage", "status"],
    ["stage", "status"],
    ["stage"],
  ]);
});

test.for([
  ["now", 0, undoMs],
  ["in two days", 2, 2 * dayMs],
  ["in seven days", 7, 7 * dayMs],
] as const)("declines %s: the mail is due then, once", async ([, days, delay], { store }) => {
  const reference = await acceptReference(store, application(1));
  expect(await declineOne(store, reference, { days, copies: true })).toMatchObject({
    version: 2,
    dueAt: by.at + delay,
  });
  expect(await findSubmission(store, reference)).toMatchObject({
    stage: "declined",
    status: "done",
    declineReason: "Other language",
    decidedAt: by.at,
  });
  const { replies } = await detailOf(store, reference);
  expect(replies).toMatchObject([{ author: by.operator, text, sendAt: by.at + delay, held: false }]);
  expect(await claimAt(store, by.at + delay - 1)).toEqual([]);
  const claimed = await claimAt(store, by.at + delay);
  expect(claimed.map(({ kind }) => kind)).toEqual(["application-reply", "application-notice"]);
  expect(claimed[0]!.about).toMatchObject({ reply: { text } });
  expect(await store.declines.cancel(wholeScope, replies[0]!.id, by)).toBe(false);
  expect((await detailOf(store, reference)).replies).toHaveLength(1);
});

test("takes the mail back with another stage, or by itself, and leaves one that is on its way", async ({ store }) => {
  const references = [await acceptReference(store, application(1)), await acceptReference(store, application(2))];
  const before = (await allMails(store)).length;
  await decline(store, references);
  const [moved, cancelled] = references as [string, string];
  await triage(store, moved, 2, { stage: "received", status: "new" }, by);
  expect(await findSubmission(store, moved)).toMatchObject({ declineReason: null, decidedAt: null, status: "new" });
  expect(await actionsOf(store, moved)).toEqual(["stage", "status", "reply", "mail.cancel", "stage", "status"]);
  const { id } = (await detailOf(store, cancelled)).replies[0]!;
  expect(await store.declines.cancel(sales, id, by)).toBeNull();
  expect(await store.declines.cancel(recruiting, id, { operator: "ben@example.org", at: by.at + dayMs })).toBe(true);
  expect(await store.declines.cancel(recruiting, id, by)).toBeNull();
  expect(await findSubmission(store, cancelled)).toMatchObject({ stage: "declined", status: "done" });
  expect(await allMails(store)).toHaveLength(before);
  expect(await claimAt(store, by.at + 9 * dayMs)).toEqual([]);
  await declineOne(store, moved, {}, 3);
  await claimAt(store, by.at + 2 * dayMs);
  await triage(store, moved, 4, { stage: "offer" }, by);
  expect((await detailOf(store, moved)).replies).toHaveLength(1);
});

test("holds the mail where the person has answered since, until an operator says so", async ({ store, tested }) => {
  const references: string[] = [];
  for (let n = 0; n < 2; n += 1) references.push(await acceptReference(store, application(n)));
  await decline(store, references);
  const [answered, earlier] = references as [string, string];
  const set = (reference: string, at: number) =>
    tested.query(`UPDATE submission SET last_answer_at = ${at} WHERE reference = '${reference}'`);
  await set(answered, by.at + minute);
  await set(earlier, by.at - 1);
  const due = by.at + 2 * dayMs;
  const sent = async (at: number) =>
    (await claimAt(store, at)).map(({ about }) => "submission" in about && about.submission.reference);
  expect(await sent(due)).toEqual([earlier]);
  expect(await sent(due + 5 * dayMs)).not.toContain(answered);
  expect((await detailOf(store, answered)).replies).toMatchObject([{ held: true, sendAt: due }]);
  expect(await store.releaseHeld(null, by)).toBe(0);
  const { id } = (await detailOf(store, answered)).replies[0]!;
  expect(await store.declines.release(sales, id, by)).toBe(false);
  const later = { ...by, at: due + 6 * dayMs };
  expect(await store.declines.release(recruiting, id, later)).toBe(true);
  expect((await detailOf(store, answered)).replies).toMatchObject([{ held: false }]);
  expect(await sent(later.at)).toContain(answered);
});

test("goes out at its time, whatever is sent again or released, unless an operator says so for it", async ({
  store,
  tested,
}) => {
  const references: string[] = [];
  for (let n = 0; n < 5; n += 1) references.push(await acceptReference(store, application(n)));
  const [asked, failed, moved, cancelled, released] = references as [string, string, string, string, string];
  await decline(store, references);
  const due = by.at + 2 * dayMs;
  const again = async (reference: string, early?: boolean) =>
    store.desk.sendAgain(wholeScope, (await declineMail(store, reference))!.id, ["queued", "failed"], by, early);
  const sent = async (at: number) =>
    (await claimAt(store, at)).map(({ about }) => "submission" in about && about.submission.reference);
  expect(await again(asked)).toBe("waits");
  expect(await sent(due - 1)).toEqual([]);
  expect(await again(asked, true)).toBe("due");
  const early = await claimAt(store, by.at);
  expect(early.map(({ about }) => "submission" in about && about.submission.reference)).toEqual([asked]);
  const taken = early.map(({ id }) => ({ id, result: "sent", at: by.at, providerId: "p" }) as const);
  await store.mails.settle(taken, "sender");
  const mail = await declineMail(store, failed);
  const [row] = mail!.id.split("-");
  await tested.query(`UPDATE mail SET status = 'failed', due_at = NULL, ended_at = ${by.at} WHERE id = ${row}`);
  expect(await again(failed)).toBe("due");
  expect(await declineMail(store, failed)).toMatchObject({ status: "queued", dueAt: due });
  for (const hold of holding) await tested.query(hold);
  expect(await sent(due)).toEqual([]);
  // What a restored store holds is taken back as what waits.
  await triage(store, moved, 2, { stage: "interview" }, by);
  expect((await detailOf(store, moved)).replies).toEqual([]);
  expect(await store.releaseHeld(null, by)).toBeGreaterThan(0);
  const { id } = (await detailOf(store, cancelled)).replies[0]!;
  expect(await store.declines.cancel(recruiting, id, by)).toBe(true);
  expect(await sent(due - 1)).toEqual([]);
  expect(new Set(await sent(due))).toEqual(new Set([failed, released]));
});

test("what is taken back of a decision is as it was: reason, day and the mail at its time", async ({ store }) => {
  const [reference, other] = [
    await acceptReference(store, application(1)),
    await acceptReference(store, application(2)),
  ];
  const due = by.at + 7 * dayMs;
  const was = { stage: "declined", status: "done", declineReason: "Other language", decidedAt: by.at } as const;
  const waiting = { author: by.operator, text, sendAt: due } as const;
  const undo = async (one: string, outcome: ChangeOutcome | undefined, at: number) => {
    if (outcome?.result !== "changed" || outcome.former === undefined) throw new Error(JSON.stringify(outcome));
    const target = { reference: one, version: outcome.version, former: outcome.former };
    const ben = { operator: "ben@example.org", at };
    // Named twice it is in conflict the second time, and its mails are there once.
    return (await store.desk.triage(wholeScope, { targets: [target, target] }, ben))[0];
  };
  await declineOne(store, reference, { days: 7, copies: true });
  const ben = { operator: "ben@example.org", at: by.at + minute };
  const [moved] = await triage(store, reference, 2, { stage: "interview" }, ben);
  expect(moved).toMatchObject({ former: { ...was, mails: [{ ...waiting, copies: true }] } });
  expect(await findSubmission(store, reference)).toMatchObject({ declineReason: null, decidedAt: null });
  expect(await undo(reference, moved, by.at + 2 * minute)).toMatchObject({ result: "changed", version: 4 });
  expect(await undo(reference, moved, by.at + 2 * minute)).toMatchObject({ result: "conflict" });
  expect(await findSubmission(store, reference)).toMatchObject(was);
  // Declined again, with other words, and that is taken back.
  const again = await declineOne(store, reference, { text: "Better words.", days: 2, reason: "Far" }, 4);
  expect(await findSubmission(store, reference)).toMatchObject({ declineReason: "Far", decidedAt: by.at });
  await undo(reference, again, by.at + 3 * minute);
  expect(await findSubmission(store, reference)).toMatchObject(was);
  const { replies, mails } = await detailOf(store, reference);
  expect(replies).toMatchObject([waiting]);
  expect(mails.filter(({ reply }) => reply !== null).map(({ dueAt }) => dueAt)).toEqual([due, due]);
  expect(await claimAt(store, due - 1)).toEqual([]);
  expect((await claimAt(store, due)).map(({ kind }) => kind)).toEqual(["application-reply", "application-notice"]);
  await triage(store, other, 1, { stage: "hired" }, by);
  await undo(other, (await triage(store, other, 2, { stage: "offer" }, ben))[0], by.at + dayMs);
  expect(await findSubmission(store, other)).toMatchObject({ stage: "hired", status: "done", decidedAt: by.at });
});

test("declining again replaces what waits", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  await declineOne(store, reference);
  await declineOne(store, reference, { text: "Better words.", days: 7 }, 2);
  expect((await detailOf(store, reference)).replies.map((one) => one.text)).toEqual(["Better words."]);
});

test("sends nothing without words, to a suppressed address, or to spam", async ({ store }) => {
  const references = [await acceptReference(store, application(1)), await acceptReference(store, application(2))];
  const spam = (await accept(store, application(3), { spam: true })).reference!;
  await store.suppress({ email: application(2).email, reason: "bounced", at: noon });
  const before = (await allMails(store)).length;
  expect(await declineOne(store, references[0]!, { text: null, reason: null })).toMatchObject({ dueAt: null });
  expect(await declineOne(store, references[1]!)).toMatchObject({ dueAt: null });
  expect(await declineOne(store, spam)).toMatchObject({ dueAt: null });
  expect(await allMails(store)).toHaveLength(before);
  expect(await findSubmission(store, references[0]!)).toMatchObject({ stage: "declined", declineReason: null });
  expect(await findSubmission(store, spam)).toMatchObject({ status: "spam" });
  expect((await detailOf(store, references[1]!)).suppressed).toBe("bounced");
  expect((await detailOf(store, references[0]!)).suppressed).toBeNull();
});

test("counts against the replies of the operator, and is refused as a whole", async ({ store }) => {
  const references: string[] = [];
  for (let n = 0; n < 3; n += 1) references.push(await acceptReference(store, application(n)));
  const text60 = Array.from({ length: repliesMax - 2 }, () => ({ reference: references[0]!, text }));
  await store.replies.send(wholeScope, text60, false, by);
  expect(await decline(store, references)).toHaveProperty("retryAt");
  for (const one of references) expect(await findSubmission(store, one)).toMatchObject({ stage: "received" });
  // Those without words count nothing.
  await decline(store, references.slice(1), { text: null });
  // The replies have opened it.
  await decline(store, references.slice(0, 1), {}, 2);
  expect(await store.replies.send(wholeScope, text60.slice(0, 2), false, by)).toHaveProperty("retryAt");
  expect(await store.replies.send(wholeScope, text60.slice(0, 1), false, by)).toHaveProperty("outcomes");
});

test("suggests the reasons of the latest declines, the most frequent first", async ({ store }) => {
  for (const [n, reason] of [null, "Far", "Late", "Late"].entries()) {
    await declineOne(store, await acceptReference(store, application(n)), { reason });
  }
  expect(await store.declines.listReasons(recruiting)).toEqual(["Late", "Far"]);
  expect(await store.declines.listReasons(sales)).toEqual([]);
});

test("erases declined and withdrawn ones by the day of their decision", async ({ store }) => {
  const references: string[] = [];
  for (const [n, stage] of (["declined", "withdrawn", "hired", "offer"] as const).entries()) {
    const reference = await acceptReference(store, application(n));
    await triage(store, reference, 1, { stage }, by);
    references.push(reference);
  }
  const late = await acceptReference(store, application(8));
  await triage(store, late, 1, { stage: "declined" }, { ...by, at: by.at + 1 });
  expect(await store.desk.countOutdated({ kind: "declined", before: by.at + 1 })).toEqual({ outdated: 2, stored: 3 });
  const retention = { operator: "retention", at: noon };
  const erased = await store.desk.eraseOutdated({ kind: "declined", before: by.at + 1 }, retention);
  expect(erased).toMatchObject({ submissions: 2, resumes: 2 });
  const left = await Promise.all([...references, late].map((reference) => findSubmission(store, reference)));
  expect(left.map((one) => one?.stage)).toEqual([undefined, undefined, "hired", "offer", "declined"]);
  expect((await store.desk.listAudit({ limit: 1 })).rows).toMatchObject([
    { action: "retention", subject: "declined", detail: { submissions: 2, resumes: 2 } },
  ]);
});
