// What the port promises about who is waited for: the lists, their counts, what others changed, and the overview.
import type { InboxFilter, TriageRequest } from "../../../shared/src/console.ts";
import { kinds } from "../../../shared/src/kinds.ts";
import { expect } from "vitest";
import { type Actor, wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  eva,
  except,
  findSubmission,
  inTurn,
  minute,
  noon,
  only,
  otherThan,
  sample,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";
import type { StoreUnderTest } from "../store-under-test.ts";

const text = "Thank you.";
const at = (minutes: number): Actor => ({ ...eva, at: noon + minutes * minute });
const later = Date.now() + 60 * minute;

async function reply(store: Store, reference: string, more: { seen?: number; doneAt?: number } = {}, by = at(1)) {
  const sent = await store.replies.send(wholeScope, [{ reference, text, ...more }], false, by);
  return "outcomes" in sent ? sent.outcomes[0]! : sent;
}

async function change(store: Store, reference: string, what: Omit<TriageRequest, "targets">, by = at(1)) {
  const { version } = (await findSubmission(store, reference))!;
  return store.desk.triage(wholeScope, { targets: [{ reference, version }], ...what }, by);
}

/** As a mail that the person has sent. */
const answer = ({ query }: StoreUnderTest, reference: string, when: number) =>
  query(`UPDATE submission SET last_answer_at = ${when} WHERE reference = '${reference}' RETURNING arrival`);

const listed = async (store: Store, filter: InboxFilter) =>
  (await store.desk.listSubmissions(wholeScope, filter, {})).rows.map(({ reference }) => reference);

const tabs = (store: Store, filter: InboxFilter = {}) => store.desk.countTabs(wholeScope, filter);

eachKind(
  "lists what waits for us, for the person, for none, and counts the tabs of a filter: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const company = "Voices";
    const fresh = await acceptReference(store, sample(kind, 1));
    const begun = await acceptReference(store, sample(kind, 2));
    const replied = await acceptReference(store, sample(otherThan(kind), 3, { company: null }));
    const answered = await acceptReference(store, sample(kind, 4, { company }));
    const done = await acceptReference(store, sample(kind, 5, { company }));
    await accept(store, sample(kind, 6), { spam: true });
    await change(store, begun, { status: "open" });
    for (const one of [replied, answered, done]) await reply(store, one);
    await change(store, done, { status: "done" });
    await answer(tested, answered, noon + 2 * minute);
    const us = [answered, begun, fresh];
    expect(await listed(store, { waiting: "us" })).toEqual(us);
    expect(await listed(store, { waiting: "us", order: "oldest", kind })).toEqual(us.toReversed());
    expect(await listed(store, { waiting: "them" })).toEqual([replied]);
    expect(await listed(store, { waiting: "us", status: "open" })).toEqual([answered, begun]);
    expect(await listed(store, { waiting: "them", status: "new" })).toEqual([]);
    const waitedFor = await Promise.all([...us, replied, done].map((one) => findSubmission(store, one)));
    expect(waitedFor.map((one) => one!.waitedFor)).toEqual(["us", "us", "us", "them", null]);
    expect(await tabs(store)).toEqual({ todo: 4, us: 3, them: 1, new: 1, open: 3, done: 1, spam: 1 });
    const ofKind = { todo: 3, us: 3, them: 0, new: 1, open: 2, done: 1, spam: 1 };
    // Of its own status the filter of a tab says nothing.
    expect(await tabs(store, { kind, status: "done" })).toEqual(ofKind);
    expect(await tabs(store, { assignee: eva.operator })).toMatchObject({ todo: 2, us: 1, them: 1, new: 0, done: 1 });
    expect(await tabs(store, { assignee: eva.operator, company })).toMatchObject({ todo: 1, done: 1 });
    expect(await store.desk.countTabs(except(kind), {})).toMatchObject({ todo: 1, us: 0, them: 1, spam: 0 });
  },
);

eachKind(
  "puts off what is snoozed until its time, or until it is no longer to be done: %s",
  async (kind, { store }) => {
    const references = [
      await acceptReference(store, sample(kind, 1)),
      await acceptReference(store, sample(kind, 2)),
    ] as const;
    const [first, second] = references;
    await change(store, second, { status: "open", assignee: eva.operator });
    for (const one of references) await change(store, one, { snoozedUntil: later });
    expect(await listed(store, { status: "todo" })).toEqual([]);
    expect([await listed(store, { waiting: "us" }), await listed(store, { status: "new" })]).toEqual([[], [first]]);
    expect(await tabs(store)).toMatchObject({ todo: 0, us: 0, new: 1, open: 1 });
    const counts = () => store.desk.countByStatus(only(kind), eva.operator);
    const none = { todo: 0, mine: 0, unassigned: 0, [kinds[kind].plural]: 0 };
    expect(await counts()).toMatchObject({ new: 1, open: 1, ...none });
    const { submission, history } = (await store.desk.findDetail(wholeScope, first))!;
    expect(submission).toMatchObject({ snoozedUntil: later, version: 2 });
    expect(history.at(-1)).toEqual({ ...at(1), action: "snooze", detail: { from: null, to: later } });
    expect((await store.desk.overview(wholeScope, later - 1)).waiting).toEqual([]);
    expect((await store.desk.overview(wholeScope, later)).waiting).toHaveLength(2);
    await change(store, first, { snoozedUntil: Date.now() - 1 });
    expect(await listed(store, { status: "todo" })).toEqual([first]);
    await change(store, second, { status: "done" });
    await change(store, second, { status: "open" });
    expect(await findSubmission(store, second)).toMatchObject({ snoozedUntil: null });
    expect(await counts()).toMatchObject({ todo: 2, mine: 1, unassigned: 1, [kinds[kind].plural]: 2 });
  },
);

eachKind("refuses a reply to what got another one, or an answer, that was not seen: %s", async (kind, { tested }) => {
  const { store } = tested;
  const reference = await acceptReference(store, sample(kind, 1));
  expect(await reply(store, reference, { seen: 0 })).toMatchObject({ result: "queued" });
  const overtaken = { reference, result: "overtaken", by: eva.operator, at: noon + minute };
  expect(await reply(store, reference, { seen: 0 }, at(2))).toEqual(overtaken);
  expect(await reply(store, reference, { seen: noon + minute }, at(2))).toMatchObject({ result: "queued" });
  await answer(tested, reference, noon + 3 * minute);
  const ofPerson = { reference, result: "overtaken", by: null, at: noon + 3 * minute };
  expect(await reply(store, reference, { seen: noon + 2 * minute }, at(4))).toEqual(ofPerson);
  expect((await store.desk.findDetail(wholeScope, reference))!.replies).toHaveLength(2);
  expect(await reply(store, reference, {}, at(4))).toMatchObject({ result: "queued" });
});

eachKind("leaves the status that a reply set where another reply has followed it: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const first = (await reply(store, reference)) as { id: number };
  await reply(store, reference, {}, { operator: "ben@example.org", at: noon + minute + 1 });
  expect(await store.replies.undo(wholeScope, first.id, at(1))).toBe(true);
  const facts = { status: "open", assignee: eva.operator, firstReplyAt: noon + minute + 1 };
  expect(await findSubmission(store, reference)).toMatchObject(facts);
});

eachKind("tells which submissions were changed behind an entry of the audit log: %s", async (kind, { store }) => {
  const [one, other] = [
    await acceptReference(store, sample(kind, 1)),
    await acceptReference(store, sample(otherThan(kind), 2)),
  ];
  const { change: before, changed } = await store.desk.since(wholeScope, 0);
  expect(changed).toEqual([]);
  await reply(store, one);
  await store.desk.addNote(wholeScope, other, "Call back.", eva);
  const news = await store.desk.since(wholeScope, 0, before);
  expect(news.changed.map(({ reference }) => reference).toSorted()).toEqual([one, other].toSorted());
  expect(news.changed.find(({ reference }) => reference === one)).toMatchObject({ status: "open", version: 2 });
  expect((await store.desk.since(only(kind), 0, before)).changed).toMatchObject([{ reference: one }]);
  expect((await store.desk.since(wholeScope, 0, news.change)).changed).toEqual([]);
});

eachKind("tells of what was erased, to those who could see it: %s", async (kind, { store }) => {
  const email = "gone@example.org";
  const gone = await acceptReference(store, sample(kind, 1, { email }));
  const other = await acceptReference(store, sample(otherThan(kind), 2, { email }));
  await acceptReference(store, sample(kind, 3));
  const { change: before } = await store.desk.since(wholeScope, 0);
  await store.desk.erasePerson(email, eva);
  const news = await store.desk.since(wholeScope, 0, before);
  expect(news).toMatchObject({ changed: [] });
  expect(new Set(news.gone)).toEqual(new Set([gone, other]));
  expect((await store.desk.since(only(kind), 0, before)).gone).toEqual([gone]);
  expect((await store.desk.since(wholeScope, 0, news.change)).gone).toEqual([]);
});

test("tells of a change behind a thousand entries that are about no submission", async ({ store }) => {
  const reference = await acceptReference(store, inTurn(1));
  const { change: before } = await store.desk.since(wholeScope, 0);
  for (let number = 0; number < 1_000; number += 1) await store.desk.audit({ action: "export", subject: "mails" }, eva);
  await reply(store, reference);
  const news = await store.desk.since(wholeScope, 0, before);
  expect(news.changed).toMatchObject([{ reference }]);
  expect(await store.desk.since(wholeScope, 0, news.change)).toMatchObject({ changed: [], change: news.change });
});

eachKind("tells of each mail that came in, from any sender: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const { arrival } = (await findSubmission(store, reference))!;
  for (const sender of ["person", "unverified", "automatic"] as const) {
    const { change: before } = await store.desk.since(wholeScope, 0);
    const mail = { identity: sender, at: noon, messageId: null, senderAddress: "", senderName: "", subject: "", text };
    const of = { submission: arrival, sender, fromKeys: [], teamKeys: [] };
    expect(await store.inbound.file({ ...mail, ...of, reply: null, files: [] })).toMatchObject({ result: "filed" });
    expect((await store.desk.since(wholeScope, 0, before)).changed).toMatchObject([{ reference }]);
  }
});

eachKind("sends no notice of a mail to its sender, be it a team or the assignee: %s", async (of, { store }) => {
  const reference = await acceptReference(store, sample(of, 1));
  const { arrival } = (await findSubmission(store, reference))!;
  await change(store, reference, { assignee: "Eva@example.org" });
  const kept = { messageId: null, senderName: "", subject: "", text, reply: null };
  const teamKeys = ["sales@desk.example"];
  const notices = async () =>
    (await store.desk.findDetail(wholeScope, reference))!.mails.filter(({ kind }) => kind === "answer").length;
  const file = async (identity: string, fromKeys: readonly string[]) => {
    const mail = { ...kept, identity, at: noon, senderAddress: fromKeys[0]!, submission: arrival, files: [] };
    const { result } = await store.inbound.file({ ...mail, sender: "unverified", fromKeys, teamKeys });
    return [result, await notices()];
  };
  expect(await file("1", ["eva@example.org"])).toEqual(["filed", 0]);
  expect(await file("2", ["bob@example.org", "sales@desk.example"])).toEqual(["filed", 0]);
  const mail = { ...kept, identity: "3", at: noon, senderAddress: "Sales@desk.example" };
  await store.inbound.keepUnmatched({ ...mail, automatic: false, fileNames: [] });
  const { id } = (await store.inbound.listUnmatched({})).rows[0]!;
  expect(await store.inbound.fileUnmatched(wholeScope, id, reference, eva, teamKeys)).toBe(true);
  expect(await notices()).toBe(0);
  // None of them has begun the ten minutes in which no other is told of.
  expect(await file("4", ["bob@example.org"])).toEqual(["filed", 1]);
});

test("tells of many changed submissions in several answers", async ({ store }) => {
  const references: string[] = [];
  for (let number = 1; number <= 120; number += 1) references.push(await acceptReference(store, inTurn(number)));
  const targets = references.map((reference) => ({ reference, version: 1 }));
  await store.desk.triage(wholeScope, { targets, status: "open" }, at(1));
  const told = new Set<string>();
  for (let next = 0, turn = 0; turn < 3; turn += 1) {
    const { change: end, changed } = await store.desk.since(wholeScope, 0, next);
    for (const { reference } of changed) told.add(reference);
    next = end;
  }
  expect(told).toEqual(new Set(references));
});

eachKind(
  "measures the first reply or done without one, never spam, and names what waits for us longest: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const references: string[] = [];
    for (let number = 1; number <= 5; number += 1) references.push(await acceptReference(store, sample(kind, number)));
    const [replied, done, spam, opened, fresh] = references as [string, string, string, string, string];
    await reply(store, replied, {}, at(10));
    await change(store, done, { status: "done" }, at(20));
    await change(store, spam, { status: "spam" }, at(30));
    await change(store, opened, { status: "open" }, at(40));
    const overview = () => store.desk.overview(wholeScope, noon + 60 * minute);
    expect(await overview()).toMatchObject({ firstResponseMs: 15 * minute });
    const waiting = async () => (await overview()).waiting.map(({ reference }) => reference);
    expect(await waiting()).toEqual([opened, fresh]);
    await answer(tested, replied, noon + 45 * minute);
    expect(await waiting()).toEqual([opened, fresh, replied]);
    await change(store, done, { status: "open" }, at(50));
    expect(await overview()).toMatchObject({ firstResponseMs: 10 * minute });
    await change(store, replied, { status: "spam" }, at(55));
    expect(await overview()).toMatchObject({ firstResponseMs: null });
  },
);

eachKind("lets the author of a note change its words: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const note = await store.desk.addNote(wholeScope, reference, "Call bakc.", at(1));
  const { id } = note as { id: number };
  const edit = (actor: Actor, scope = wholeScope) => store.desk.editNote(scope, reference, id, "Call back.", actor);
  expect(await edit({ operator: "ben@example.org", at: at(2).at })).toBeNull();
  expect(await edit(at(2), except(kind))).toBeNull();
  const edited = { id, author: eva.operator, at: at(1).at, text: "Call back.", editedAt: at(2).at };
  expect(await edit(at(2))).toEqual(edited);
  const { notes, history } = (await store.desk.findDetail(wholeScope, reference))!;
  expect(notes).toEqual([edited]);
  expect(history.map(({ action, detail }) => [action, detail])).toEqual([
    ["note", { note: id }],
    ["note.edit", { note: id }],
  ]);
});
