// What the port promises about what operators write to people.
import type { ReplyOutcome } from "../../../shared/src/console.ts";
import { expect } from "vitest";
import {
  type Actor,
  repliesMax,
  repliesMs,
  type ReplyRequest,
  undoMs,
  wholeScope,
} from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  acceptReference,
  allMails,
  application,
  collect,
  eva,
  findSubmission,
  inquiry,
  lease,
  minute,
  noon,
  recruiting,
  sales,
  sendAgain,
  settle,
  subscription,
  triage,
} from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

type Sent = Extract<ReplyOutcome, { result: "queued" }>;
const by: Actor = { ...eva, at: noon + minute };
const due = by.at + undoMs;
const text = "Thank you.\nWe will call.";

async function reply(store: Store, request: Partial<ReplyRequest> & { reference: string }, actor = by): Promise<Sent> {
  const sent = await store.replies.send(wholeScope, [{ text, ...request }], false, actor);
  const outcome = "outcomes" in sent ? sent.outcomes[0] : undefined;
  if (outcome?.result !== "queued") throw new Error(JSON.stringify(sent));
  return outcome;
}

const claimDue = (store: Store) => store.mails.claim(due, 10, { owner: "other", until: due + minute });

const detailOf = async (store: Store, reference: string) => (await store.desk.findDetail(wholeScope, reference))!;

async function withReceipt(store: Store, number: number, result: "sent" | "failed"): Promise<string> {
  const [receipt, notice] = await acceptMails(store, inquiry(number));
  await settle(store, { [result]: [receipt] });
  await settle(store, { sent: [notice] });
  return "submission" in receipt.about ? receipt.about.submission.reference : "";
}

test("keeps a reply with its author, and has its mail due ten seconds later", async ({ store }) => {
  const reference = await withReceipt(store, 1, "sent");
  const { id, dueAt } = await reply(store, { reference });
  expect(dueAt).toBe(due);
  const { replies, mails, history, submission } = await detailOf(store, reference);
  expect(replies).toEqual([{ id, author: eva.operator, at: by.at, text }]);
  expect(mails).toMatchObject([{}, {}, { kind: "inquiry-reply", reply: id, status: "queued", dueAt: due }]);
  expect(history).toEqual([{ ...by, action: "reply", detail: { reply: id } }]);
  expect(submission).toMatchObject({ status: "new", version: 1 });
  expect(await store.mails.claim(due - 1, 10, lease)).toEqual([]);
  expect(await store.mails.claim(due, 10, lease)).toMatchObject([
    {
      kind: "inquiry-reply",
      about: { submission: { reference }, reply: { text, author: eva.operator, followsReceipt: true } },
    },
  ]);
});

test("tells whether the person has got a receipt", async ({ store }) => {
  const references = [await withReceipt(store, 1, "failed"), await withReceipt(store, 2, "sent")];
  const { reference: spam } = await accept(store, inquiry(3), { spam: true });
  for (const reference of [...references, spam!]) await reply(store, { reference });
  const follows = (await claimDue(store)).map(({ about }) => "submission" in about && about.reply?.followsReceipt);
  expect(follows).toEqual([false, true, false]);
  // Long after, the row of what was sent is forgotten.
  const later = noon + 91 * 24 * 60 * minute;
  await store.forgetExpired(later);
  await reply(store, { reference: references[1]! }, { ...by, at: later });
  const claimed = await store.mails.claim(later + undoMs, 10, { owner: "later", until: later + minute });
  expect(claimed.at(-1)?.about).toMatchObject({ reply: { followsReceipt: true } });
});

test("sends the team a copy where it is asked for", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  await store.replies.send(recruiting, [{ reference, text }], true, by);
  const claimed = await claimDue(store);
  const replies = claimed.filter(({ about }) => "submission" in about && about.reply?.text === text);
  expect(replies.map(({ kind }) => kind)).toEqual(["application-reply", "application-notice"]);
});

test("sets a submission to done with its reply, or stores neither", async ({ store }) => {
  const reference = await acceptReference(store, inquiry(1));
  await triage(store, reference, 1, { status: "open" });
  const [outcome] = await send(store, [{ reference, text, doneAt: 1 }]);
  expect(outcome).toEqual({ reference, result: "changed", reason: null });
  expect((await detailOf(store, reference)).replies).toEqual([]);
  await reply(store, { reference, doneAt: 2 });
  expect(await findSubmission(store, reference)).toMatchObject({ status: "done", version: 3 });
});

test("takes a reply back with its mails and status until a process begins to send it", async ({ store }) => {
  const reference = await acceptReference(store, inquiry(1));
  const before = (await allMails(store)).length;
  const sent = await store.replies.send(sales, [{ reference, text, doneAt: 1 }], true, by);
  const { id } = ("outcomes" in sent ? sent.outcomes[0] : undefined) as Sent;
  expect(await store.replies.undo(wholeScope, id, { operator: "ben@example.org", at: by.at })).toBeNull();
  expect(await store.replies.undo(recruiting, id, by)).toBeNull();
  expect(await store.replies.undo(sales, id, by)).toBe(true);
  expect(await allMails(store)).toHaveLength(before);
  const { replies, submission, history } = await detailOf(store, reference);
  expect(replies).toEqual([]);
  expect(submission).toMatchObject({ status: "new", version: 3 });
  expect(history.map(({ action }) => action)).toEqual(["status", "reply", "reply.undo", "status"]);
  const second = await reply(store, { reference });
  await claimDue(store);
  expect(await store.replies.undo(sales, second.id, by)).toBe(false);
  expect((await detailOf(store, reference)).replies).toHaveLength(1);
});

test("leaves a status alone that was changed since the reply", async ({ store }) => {
  const reference = await acceptReference(store, inquiry(1));
  const { id } = await reply(store, { reference, doneAt: 1 });
  await triage(store, reference, 2, { status: "open" });
  expect(await store.replies.undo(wholeScope, id, by)).toBe(true);
  expect(await findSubmission(store, reference)).toMatchObject({ status: "open", version: 3 });
});

test("refuses a suppressed address with its reason, and what the scope does not hold", async ({ store }) => {
  const references = [await acceptReference(store, inquiry(1)), await acceptReference(store, application(2))];
  await store.suppress({ email: inquiry(1).email, reason: "complained", at: noon });
  const outcomes = await send(
    store,
    [...references, "INQ-20261121-000000"].map((reference) => ({ reference, text })),
    sales,
  );
  expect(outcomes).toEqual([
    { reference: references[0], result: "suppressed", reason: "complained" },
    { reference: references[1], result: "unknown", reason: null },
    { reference: "INQ-20261121-000000", result: "unknown", reason: null },
  ]);
  expect((await detailOf(store, references[0]!)).history).toEqual([]);
});

test("refuses what is to go to an address that was suppressed meanwhile, and does not send it again", async ({
  store,
}) => {
  const reference = await acceptReference(store, inquiry(1));
  await accept(store, subscription({ email: inquiry(1).email }));
  const { id } = await reply(store, { reference });
  await store.suppress({ email: inquiry(1).email, reason: "bounced", at: noon });
  const mail = (await allMails(store)).find((one) => one.reply === id)!;
  const [receipt, notice, welcome, refused] = await claimDue(store);
  for (const one of [receipt, welcome, refused]) expect(one).toMatchObject({ about: { refused: "suppressed" } });
  expect([notice, refused]).toMatchObject([{ kind: "inquiry-notice", about: { submission: {} } }, { id: mail.id }]);
  await settle(store, { failed: [mail] }, { owner: "other" });
  expect(await sendAgain(store, wholeScope, mail.id, by)).toBe("suppressed");
});

test("limits the replies of an operator, and counts what was taken back or erased", async ({ store }) => {
  const reference = await acceptReference(store, inquiry(1));
  const other = await acceptReference(store, inquiry(2));
  const many = (count: number) => Array.from({ length: count }, () => ({ reference, text }));
  const outcomes = await send(store, many(repliesMax - 2));
  await store.replies.undo(wholeScope, (outcomes[0] as Sent).id, by);
  await store.desk.erase(inquiry(1).email, by);
  const retryAt = by.at + repliesMs;
  const three = [other, other, other].map((one) => ({ reference: one, text }));
  expect(await store.replies.send(wholeScope, three, false, by)).toEqual({ retryAt });
  expect((await detailOf(store, other)).replies).toEqual([]);
  await Promise.all([reply(store, { reference: other }), reply(store, { reference: other })]);
  const one = [{ reference: other, text }];
  expect(await store.replies.send(wholeScope, one, false, by)).toEqual({ retryAt });
  await reply(store, { reference: other }, { operator: "ben@example.org", at: by.at });
  await reply(store, { reference: other }, { ...by, at: retryAt });
});

test("erases and exports replies with their person, and caps no receipt for them", async ({ store }) => {
  const { email } = inquiry(1);
  const reference = await acceptReference(store, inquiry(1));
  for (let count = 0; count < 3; count += 1) await reply(store, { reference });
  const facts = await collect(store.desk.readPerson(wholeScope, email));
  expect(facts.filter(({ kind }) => kind === "reply")).toMatchObject(
    Array.from({ length: 3 }, () => ({ reference, reply: { author: eva.operator, text } })),
  );
  const { mails } = await accept(store, inquiry(2, { email }));
  expect(mails.map(({ kind }) => kind)).toContain("inquiry-receipt");
  await store.desk.erase(email, by);
  expect(await allMails(store)).toEqual([]);
  expect(JSON.stringify((await store.desk.listAudit({})).rows)).not.toContain("Thank you");
});

test("sends a reply again with its words", async ({ store }) => {
  const reference = await acceptReference(store, inquiry(1));
  const { id } = await reply(store, { reference });
  const claimed = await claimDue(store);
  const mail = claimed.find(({ kind }) => kind === "inquiry-reply")!;
  await settle(store, { sent: [mail] }, { at: due, owner: "other" });
  expect(await sendAgain(store, wholeScope, mail.id, by)).toBe("due");
  expect((await claimDue(store)).map(({ about }) => about)).toEqual([mail.about]);
  expect((await detailOf(store, reference)).mails.filter((one) => one.reply === id)).toHaveLength(2);
});

test("keeps saved answers of the kinds that the scope holds", async ({ store }) => {
  const answer = { kind: "inquiry", title: "Thanks", text: "Hello {name}" } as const;
  const letter = { kind: "application", title: "No", text: "Sorry" } as const;
  expect(await store.replies.changeAnswer(sales, { id: null, ...answer }, by)).toBe(true);
  expect(await store.replies.changeAnswer(sales, { id: null, ...letter }, by)).toBe(false);
  expect(await store.replies.changeAnswer(recruiting, { id: null, ...letter }, by)).toBe(true);
  const [theirs] = await store.replies.listAnswers(recruiting);
  expect(theirs).toEqual({ id: theirs!.id, ...letter });
  expect(await store.replies.changeAnswer(sales, { removed: theirs!.id }, by)).toBe(false);
  expect(await store.replies.changeAnswer(sales, { ...answer, id: theirs!.id }, by)).toBe(false);
  expect(await store.replies.changeAnswer(wholeScope, { ...theirs!, title: "Not now" }, by)).toBe(true);
  expect((await store.replies.listAnswers(wholeScope)).map(({ title }) => title)).toEqual(["Not now", "Thanks"]);
  expect(await store.replies.changeAnswer(recruiting, { removed: theirs!.id }, by)).toBe(true);
  expect(await store.replies.listAnswers(wholeScope)).toMatchObject([answer]);
  const actions = (await store.desk.listAudit({})).rows.map(({ action }) => action);
  expect(actions).toEqual(["answer.remove", "answer.save", "answer.save", "answer.save"]);
});

async function send(
  store: Store,
  replies: readonly ReplyRequest[],
  scope = wholeScope,
): Promise<readonly ReplyOutcome[]> {
  const sent = await store.replies.send(scope, replies, false, by);
  if (!("outcomes" in sent)) throw new Error("The limit was reached.");
  return sent.outcomes;
}
