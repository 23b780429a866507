// What the port promises about what operators write to people.
import type { ReplyOutcome } from "../../../shared/src/console.ts";
import { kinds, submissionKinds } from "../../../shared/src/kinds.ts";
import { expect } from "vitest";
import { type Actor, wholeScope } from "../../../server/src/storage/desk-store.ts";
import { repliesMax, repliesMs, type ReplyRequest, undoMs } from "../../../server/src/storage/reply-store.ts";
import type { SubmissionKind, SubmissionRecord } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  acceptReference,
  allMails,
  application,
  collect,
  eva,
  except,
  findSubmission,
  giveBack,
  inquiry,
  inTurn,
  lease,
  minute,
  noon,
  only,
  otherThan,
  recruiting,
  sales,
  sample,
  sendAgain,
  settle,
  subscription,
  triage,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

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

async function withReceipt(store: Store, kind: SubmissionKind, number: number, result: "sent" | "failed") {
  const [receipt, notice] = await acceptMails(store, sample(kind, number));
  await settle(store, { [result]: [receipt] });
  await settle(store, { sent: [notice] });
  return "submission" in receipt.about ? receipt.about.submission.reference : "";
}

eachKind("keeps a reply with its author, and has its mail due ten seconds later: %s", async (kind, { store }) => {
  const reference = await withReceipt(store, kind, 1, "sent");
  const { id, dueAt } = await reply(store, { reference });
  expect(dueAt).toBe(due);
  const { replies, mails, history, submission } = await detailOf(store, reference);
  expect(replies).toEqual([{ id, author: eva.operator, at: by.at, text, sendAt: null, held: false, files: [] }]);
  expect(mails).toMatchObject([{}, {}, { kind: `${kind}-reply`, reply: id, status: "queued", dueAt: due }]);
  expect(history).toEqual([
    { ...by, action: "status", detail: { from: "new", to: "open" } },
    { ...by, action: "assignee", detail: { from: null, to: by.operator } },
    { ...by, action: "reply", detail: { reply: id } },
  ]);
  const facts = { waitedFor: "them", firstReplyAt: by.at, lastReplyAt: by.at, lastAnswerAt: null };
  expect(submission).toMatchObject({ status: "open", assignee: by.operator, version: 2, ...facts });
  expect(await store.mails.claim(due - 1, 10, lease)).toEqual([]);
  expect(await store.mails.claim(due, 10, lease)).toMatchObject([
    {
      kind: `${kind}-reply`,
      about: {
        submission: { reference },
        reply: { text, author: eva.operator, quoted: true, followsReceipt: true },
      },
    },
  ]);
});

eachKind("tells whether the person has got a receipt: %s", async (kind, { store }) => {
  const references = [await withReceipt(store, kind, 1, "failed"), await withReceipt(store, kind, 2, "sent")];
  const { reference: spam } = await accept(store, sample(kind, 3), { spam: true });
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

eachKind("sends the team a copy where it is asked for: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  await store.replies.send(only(kind), [{ reference, text }], true, by);
  const claimed = await claimDue(store);
  const replies = claimed.filter(({ about }) => "submission" in about && about.reply?.text === text);
  expect(replies.map(({ kind: of }) => of)).toEqual([`${kind}-reply`, `${kind}-notice`]);
});

eachKind("sets a submission to done with its reply, or stores neither: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  await triage(store, reference, 1, { status: "open" });
  const [outcome] = await send(store, [{ reference, text, doneAt: 1 }]);
  expect(outcome).toEqual({ reference, result: "changed", reason: null });
  expect((await detailOf(store, reference)).replies).toEqual([]);
  await reply(store, { reference, doneAt: 2 });
  expect(await findSubmission(store, reference)).toMatchObject({ status: "done", version: 3 });
});

eachKind(
  "takes a reply back with its mails and status until a process begins to send it: %s",
  async (kind, { store }) => {
    const reference = await acceptReference(store, sample(kind, 1));
    const before = (await allMails(store)).length;
    const sent = await store.replies.send(only(kind), [{ reference, text, doneAt: 1 }], true, by);
    const { id } = ("outcomes" in sent ? sent.outcomes[0] : undefined) as Sent;
    expect(await store.replies.undo(wholeScope, id, { operator: "ben@example.org", at: by.at })).toBeNull();
    expect(await store.replies.undo(except(kind), id, by)).toBeNull();
    expect(await store.replies.undo(only(kind), id, by)).toBe(true);
    expect(await allMails(store)).toHaveLength(before);
    const { replies, submission, history } = await detailOf(store, reference);
    expect(replies).toEqual([]);
    const facts = { waitedFor: "us", firstReplyAt: null, lastReplyAt: null };
    expect(submission).toMatchObject({ status: "new", assignee: null, version: 3, ...facts });
    const change = ["status", "assignee"];
    expect(history.map(({ action }) => action)).toEqual([...change, "reply", "reply.undo", ...change]);
    const second = await reply(store, { reference });
    await claimDue(store);
    expect(await store.replies.undo(only(kind), second.id, by)).toBe(false);
    expect((await detailOf(store, reference)).replies).toHaveLength(1);
  },
);

eachKind("leaves a status alone that was changed since the reply: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const { id } = await reply(store, { reference, doneAt: 1 });
  await triage(store, reference, 2, { status: "open" });
  expect(await store.replies.undo(wholeScope, id, by)).toBe(true);
  expect(await findSubmission(store, reference)).toMatchObject({ status: "open", version: 3 });
});

eachKind(
  "refuses a suppressed address with its reason, and what the scope does not hold: %s",
  async (kind, { store }) => {
    const references = [
      await acceptReference(store, sample(kind, 1)),
      await acceptReference(store, sample(otherThan(kind), 2)),
    ];
    await store.suppress({ email: sample(kind, 1).email, reason: "complained", at: noon });
    const unknown = `${kinds[kind].prefix}-20261121-000000`;
    const outcomes = await send(
      store,
      [...references, unknown].map((reference) => ({ reference, text })),
      only(kind),
    );
    expect(outcomes).toEqual([
      { reference: references[0], result: "suppressed", reason: "complained" },
      { reference: references[1], result: "unknown", reason: null },
      { reference: unknown, result: "unknown", reason: null },
    ]);
    expect((await detailOf(store, references[0]!)).history).toEqual([]);
  },
);

eachKind(
  "refuses what is to go to an address that was suppressed meanwhile, and does not send it again: %s",
  async (kind, { store }) => {
    const reference = await acceptReference(store, sample(kind, 1));
    await accept(store, subscription({ email: sample(kind, 1).email }));
    const { id } = await reply(store, { reference });
    await store.suppress({ email: sample(kind, 1).email, reason: "bounced", at: noon });
    const mail = (await allMails(store)).find((one) => one.reply === id)!;
    const [receipt, notice, welcome, refused] = await claimDue(store);
    for (const one of [receipt, welcome, refused]) expect(one).toMatchObject({ about: { refused: "suppressed" } });
    expect([notice, refused]).toMatchObject([{ kind: `${kind}-notice`, about: { submission: {} } }, { id: mail.id }]);
    await settle(store, { failed: [mail] }, { owner: "other" });
    expect(await sendAgain(store, wholeScope, mail.id, by)).toBe("suppressed");
  },
);

eachKind("limits the replies of an operator, and counts what was taken back or erased: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const other = await acceptReference(store, sample(kind, 2));
  const many = (count: number) => Array.from({ length: count }, () => ({ reference, text }));
  const outcomes = await send(store, many(repliesMax - 2));
  await store.replies.undo(wholeScope, (outcomes[0] as Sent).id, by);
  await store.desk.erasePerson(sample(kind, 1).email, by);
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

eachKind("erases and exports replies with their person, and caps no receipt for them: %s", async (kind, { store }) => {
  const { email } = sample(kind, 1);
  const reference = await acceptReference(store, sample(kind, 1));
  for (let count = 0; count < 3; count += 1) await reply(store, { reference });
  const facts = await collect(store.desk.readPerson(wholeScope, email));
  expect(facts.filter(({ kind: of }) => of === "reply")).toMatchObject(
    Array.from({ length: 3 }, () => ({ reference, reply: { author: eva.operator, text } })),
  );
  const { mails } = await accept(store, sample(kind, 2, { email }));
  expect(mails.map(({ kind: of }) => of)).toContain(`${kind}-receipt`);
  await store.desk.erasePerson(email, by);
  expect(await allMails(store)).toEqual([]);
  expect(JSON.stringify((await store.desk.listAudit({})).rows)).not.toContain("Thank you");
});

eachKind("sends a reply again with its words: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const { id } = await reply(store, { reference });
  const claimed = await claimDue(store);
  const mail = claimed.find((one) => one.kind === `${kind}-reply`)!;
  await settle(store, { sent: [mail] }, { at: due, owner: "other" });
  expect(await sendAgain(store, wholeScope, mail.id, by)).toBe("due");
  expect((await claimDue(store)).map(({ about }) => about)).toEqual([mail.about]);
  expect((await detailOf(store, reference)).mails.filter((one) => one.reply === id)).toHaveLength(2);
});

/** All mails of submissions are sent: the receipt, the notice, a reply and the copy of it. */
async function withSentMails(store: Store, ...submissions: readonly SubmissionRecord[]) {
  const references = await Promise.all(submissions.map((one) => acceptReference(store, one)));
  const replies = references.map((reference) => ({ reference, text }));
  await store.replies.send(wholeScope, replies, true, by);
  await store.mails.claim(due, 100, { owner: "other", until: due + minute });
  const mails = await allMails(store);
  for (const owner of [lease.owner, "other"]) await settle(store, { sent: mails }, { at: due, owner });
  return { reference: references[0]!, mails };
}

const dayMs = 24 * 60 * minute;

eachKind(
  "sends a reply, a notice or a copy of a reply again 3 times a day, whichever of its mails is named: %s",
  async (kind, { store }) => {
    const { reference, mails } = await withSentMails(store, sample(kind, 1));
    const ours = mails.filter(({ kind: of }) => !of.endsWith("-receipt"));
    expect(ours).toHaveLength(3);
    for (const mail of ours) {
      let { id } = mail;
      for (let times = 0; times < 3; times += 1) {
        expect(await sendAgain(store, wholeScope, id, by)).toBe("due");
        const [again] = await store.mails.claim(by.at, 10, { owner: "other", until: due + minute });
        expect(again).toMatchObject({ kind: mail.kind });
        await settle(store, { sent: [again!] }, { at: due, owner: "other" });
        id = again!.id;
      }
      for (const one of [mail.id, id]) expect(await sendAgain(store, wholeScope, one, by)).toBe("capped");
    }
    expect((await detailOf(store, reference)).mails).toHaveLength(4 + 9);
    for (const { id } of ours) expect(await sendAgain(store, wholeScope, id, { ...by, at: by.at + dayMs })).toBe("due");
  },
);

test("counts replies and notices that are sent again among the operator's replies of an hour, and receipts not", async ({
  store,
}) => {
  const { reference, mails } = await withSentMails(store, inquiry(1), application(2));
  const later = { ...by, at: by.at + repliesMs };
  const ids = (suffix: string) => mails.filter(({ kind }) => kind.endsWith(suffix));
  const others = [...ids("-reply"), ...ids("-notice")];
  expect(others).toHaveLength(6);
  const fresh = Array.from({ length: repliesMax - 4 }, () => ({ reference, text }));
  await store.replies.send(wholeScope, fresh, false, later);
  const retryAt = later.at + repliesMs;
  // At once, so that none is counted too late.
  const results = await Promise.all(others.map(({ id }) => sendAgain(store, wholeScope, id, later)));
  expect(results.filter((result) => result === "due")).toHaveLength(4);
  expect(results.filter((result) => result !== "due")).toEqual([{ retryAt }, { retryAt }]);
  expect(await store.replies.send(wholeScope, [{ reference, text }], false, later)).toEqual({ retryAt });
  expect((await detailOf(store, reference)).replies).toHaveLength(1 + fresh.length);
  expect(await sendAgain(store, wholeScope, ids("-receipt")[0]!.id, later)).toBe("due");
  const ben = { ...later, operator: "ben@example.org" };
  expect(await sendAgain(store, wholeScope, others[0]!.id, ben)).toBe("due");
  expect(await sendAgain(store, wholeScope, others[1]!.id, { ...later, at: retryAt })).toBe("due");
});

eachKind("counts no reply or notice that was not sent: %s", async (kind, { store }) => {
  const { mails } = await withSentMails(store, sample(kind, 1));
  const { id } = mails.find((one) => one.kind === `${kind}-reply`)!;
  await sendAgain(store, wholeScope, id, by);
  for (let times = 0; times < 5; times += 1) {
    const [again] = await store.mails.claim(by.at, 10, { owner: "other", until: due + minute });
    await settle(store, { failed: [again!] }, { at: due, owner: "other" });
    expect(await sendAgain(store, wholeScope, again!.id, by)).toBe("due");
  }
});

type Fate = { readonly [What in "sent" | "failed" | "in-doubt" | "late" | "copy" | "again" | "waits"]?: true };

const fates: readonly (readonly [string, Fate])[] = [
  ["its mail was sent", { sent: true }],
  ["its mail has failed", { failed: true }],
  ["its mail may have been sent", { "in-doubt": true }],
  ["its mail has failed and is due again", { failed: true, again: true }],
  ["its mail was sent and goes out again", { sent: true, again: true }],
  ["its mail was sent, and the one that goes out again waits", { sent: true, again: true, waits: true }],
  ["its copy was sent and its mail waits", { sent: true, copy: true }],
  ["ten seconds have passed, although nothing was tried", { late: true }],
];

test.for(fates.flatMap((fate) => submissionKinds.map((kind) => [...fate, kind] as const)))(
  "takes no reply back once %s: $2",
  async ([_when, { late, copy, again, waits, ...ended }, kind], { store }) => {
    const reference = await acceptReference(store, sample(kind, 1));
    await store.replies.send(only(kind), [{ reference, text, doneAt: 1 }], true, by);
    const stored = (await detailOf(store, reference)).mails.filter(({ reply: of }) => of !== undefined && of !== null);
    const id = stored[0]!.reply!;
    const [mail] = stored.filter((one) => one.kind === (copy === true ? `${kind}-notice` : `${kind}-reply`));
    if (late !== true) {
      // By a process whose clock is ahead, so that ten seconds have not passed here.
      await store.mails.claim(due, 10, { owner: "other", until: due + minute });
      const [result] = Object.keys(ended) as ("sent" | "failed" | "in-doubt")[];
      await settle(store, { [result!]: [mail!] }, { at: by.at, owner: "other" });
      const others = stored.filter((one) => one !== mail);
      await giveBack(store, others as never, { owner: "other", until: due }, by.at);
      if (again === true) expect(await sendAgain(store, only(kind), mail!.id, by)).toBe("due");
      if (again === true && waits !== true) await store.mails.claim(by.at, 10, { owner: "third", until: due + minute });
    }
    const before = await detailOf(store, reference);
    const at = late === true ? due : due - 1;
    expect(await store.replies.undo(only(kind), id, { ...by, at })).toBe(false);
    expect(await detailOf(store, reference)).toEqual(before);
    expect(before).toMatchObject({ replies: [{ id, text }], submission: { status: "done" } });
  },
);

test("a reply that is taken back while its mail is claimed or sent again is gone with its mail, or stays with it", async ({
  store,
  tested,
}) => {
  const other = await tested.openAgain();
  for (let round = 0; round < 10; round += 1) {
    const reference = await acceptReference(store, inTurn(round));
    const { id } = await reply(store, { reference });
    const mail = (await detailOf(store, reference)).mails.find((one) => one.reply === id)!;
    const [undone, claimed] = await Promise.all([
      store.replies.undo(wholeScope, id, by),
      other.mails.claim(due, 100, { owner: "other", until: due + minute }),
      sendAgain(other, wholeScope, mail.id, by),
    ]);
    const isOnItsWay = claimed.some((one) => one.id === mail.id);
    const { replies, mails } = await detailOf(store, reference);
    expect(undone && isOnItsWay).toBe(false);
    expect([replies.length, mails.some((one) => one.reply === id)]).toEqual(undone ? [0, false] : [1, true]);
    await settle(store, { sent: claimed }, { at: due, owner: "other" });
  }
});

test("keeps saved answers of the kinds that the scope holds", async ({ store }) => {
  const answer = { kind: "inquiry", title: "Thanks", text: "Hello {name}", language: "de" } as const;
  const letter = { kind: "application", title: "No", text: "Sorry", language: null } as const;
  expect(await store.replies.changeSavedAnswer(sales, { id: null, ...answer }, by)).toBe(true);
  expect(await store.replies.changeSavedAnswer(sales, { id: null, ...letter }, by)).toBe(false);
  expect(await store.replies.changeSavedAnswer(recruiting, { id: null, ...letter }, by)).toBe(true);
  const [theirs] = await store.replies.listSavedAnswers(recruiting);
  expect(theirs).toEqual({ id: theirs!.id, ...letter });
  expect(await store.replies.changeSavedAnswer(sales, { removed: theirs!.id }, by)).toBe(false);
  expect(await store.replies.changeSavedAnswer(sales, { ...answer, id: theirs!.id }, by)).toBe(false);
  expect(await store.replies.changeSavedAnswer(wholeScope, { ...theirs!, title: "Not now" }, by)).toBe(true);
  expect((await store.replies.listSavedAnswers(wholeScope)).map(({ title }) => title)).toEqual(["Not now", "Thanks"]);
  expect(await store.replies.changeSavedAnswer(recruiting, { removed: theirs!.id }, by)).toBe(true);
  expect(await store.replies.listSavedAnswers(wholeScope)).toMatchObject([answer]);
  const entries = (await store.desk.listAudit({})).rows.map(({ action, subject }) => [action, subject]);
  const saved = ["Not now", "No", "Thanks"].map((title) => ["answer.save", title]);
  expect(entries).toEqual([["answer.remove", "Not now"], ...saved]);
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
