// What the port promises about tags, the filters of what a form sent, and what webhooks are told of changes and erasures.
import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { tagsMax, type InboxFilter, type WebhookEvent } from "../../../shared/src/console.ts";
import { type Scope, wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  application,
  eva,
  except,
  inquiry,
  inTurn,
  marketing,
  minute,
  noon,
  only,
  otherThan,
  readPages,
  recruiting,
  release,
  resume,
  sales,
  sample,
  subscription,
  triage,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString("base64")}`;

const tagsOf = async (store: Store, reference: string) =>
  (await store.desk.findDetail(wholeScope, reference))?.submission.tags;

const listed = async (store: Store, filter: InboxFilter, scope = wholeScope) =>
  (await store.desk.listSubmissions(scope, filter, {})).rows.map(({ reference }) => reference);

async function told(store: Store, events: readonly WebhookEvent[], act: () => Promise<unknown>) {
  const url = "https://hooks.example.org/";
  await store.webhooks.add({ url, events, secret }, eva);
  await act();
  const claimed = await store.deliveries.claim(
    noon + 60 * minute,
    100,
    { owner: "one", until: noon + 90 * minute },
    { underWay: [] },
  );
  return claimed.map(({ event, about }) => ({ event, about }));
}

eachKind(
  "adds and removes tags of what the scope holds, several at once, and reads them: %s",
  async (kind, { store }) => {
    const one = await acceptReference(store, sample(kind, 1));
    const two = await acceptReference(store, sample(otherThan(kind), 2));
    const change = (request: object, scope = wholeScope) =>
      store.desk.changeTags(scope, { references: [one, two, "INQ-20261121-000000"], ...request }, eva);
    expect(await change({ add: "hot" })).toBe(2);
    expect(await change({ add: "hot" })).toBe(0);
    expect(await change({ add: "Ärger" }, only(kind))).toBe(1);
    expect(await change({ remove: "hot" }, except(kind))).toBe(1);
    expect(await change({ add: "no" }, marketing)).toBe(0);
    const changes = async (reference: string) =>
      (await store.desk.findDetail(wholeScope, reference))?.history.map(({ action, detail }) => [action, detail]);
    expect(await changes(one)).toEqual([
      ["tags", { added: "hot" }],
      ["tags", { added: "Ärger" }],
    ]);
    expect(await changes(two)).toEqual([
      ["tags", { added: "hot" }],
      ["tags", { removed: "hot" }],
    ]);
    expect([await tagsOf(store, one), await tagsOf(store, two)]).toEqual([["Ärger", "hot"], []]);
    const { rows } = await store.desk.listSubmissions(wholeScope, { tag: "hot" }, {});
    expect(rows).toMatchObject([{ reference: one, tags: ["Ärger", "hot"], version: 1 }]);
    expect((await store.desk.listSubmissions(wholeScope, { tag: "Ärger" }, {})).rows).toMatchObject([
      { reference: one },
    ]);
    expect(await listed(store, { tag: "hot" }, except(kind))).toEqual([]);
  },
);

test("suggests the tags of what a role sees, and each one once", async ({ store }) => {
  const one = await acceptReference(store, inquiry(1));
  const more = await acceptReference(store, inquiry(2));
  const two = await acceptReference(store, application(3));
  await store.desk.changeTags(wholeScope, { references: [one, more, two], add: "both" }, eva);
  await store.desk.changeTags(wholeScope, { references: [one, more], add: "deal" }, eva);
  await store.desk.changeTags(wholeScope, { references: [two], add: "stage 1" }, eva);
  const lists = [wholeScope, sales, recruiting, marketing].map((scope) => store.desk.listTags(scope));
  expect(await Promise.all(lists)).toEqual([["both", "deal", "stage 1"], ["both", "deal"], ["both", "stage 1"], []]);
});

eachKind("a submission with as many tags as it may have gets no other one: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  for (let count = 0; count < tagsMax; count += 1)
    await store.desk.changeTags(wholeScope, { references: [reference], add: `tag ${count}` }, eva);
  expect(await store.desk.changeTags(wholeScope, { references: [reference], add: "one more" }, eva)).toBe(0);
  expect(await tagsOf(store, reference)).toHaveLength(tagsMax);
  expect(await store.desk.listTags(wholeScope)).toHaveLength(tagsMax);
});

test("renames a tag everywhere, also into one that is there", async ({ store }) => {
  const one = await acceptReference(store, inquiry(1));
  const two = await acceptReference(store, application(2));
  await store.desk.changeTags(wholeScope, { references: [one, two], add: "new" }, eva);
  await store.desk.changeTags(wholeScope, { references: [two], add: "fresh" }, eva);
  expect(await store.desk.changeTags(wholeScope, { from: "new", to: "fresh" }, eva)).toBe(2);
  expect([await tagsOf(store, one), await tagsOf(store, two)]).toEqual([["fresh"], ["fresh"]]);
  expect(await store.desk.listTags(wholeScope)).toEqual(["fresh"]);
  expect(await store.desk.changeTags(wholeScope, { from: "fresh", to: "fresh" }, eva)).toBe(0);
});

eachKind(
  "adds and finds a tag as it is in use in other case, and removes one everywhere: %s",
  async (kind, { store }) => {
    const one = await acceptReference(store, sample(kind, 1));
    const two = await acceptReference(store, sample(otherThan(kind), 2));
    const add = (reference: string, word: string, scope = wholeScope) =>
      store.desk.changeTags(scope, { references: [reference], add: word }, eva);
    await add(one, "Ärger");
    expect(await add(two, "ÄRGER")).toBe(1);
    expect(await add(one, "ärger")).toBe(0);
    expect(await store.desk.listTags(wholeScope)).toEqual(["Ärger"]);
    expect(await listed(store, { tag: " äRGER" })).toEqual([two, one]);
    expect(await listed(store, { tag: "ÄRGER" }, only(kind))).toEqual([one]);
    expect(await store.desk.countTabs(wholeScope, { tag: "ärger" })).toMatchObject({ new: 2 });
    await add(one, "calm");
    expect(await store.desk.changeTags(wholeScope, { from: "Ärger" }, eva)).toBe(2);
    expect([await tagsOf(store, one), await tagsOf(store, two)]).toEqual([["calm"], []]);
    expect(await listed(store, { tag: "Ärger" })).toEqual([]);
    // Not as it is in use where the one who adds it, or looks for it, sees nothing of it.
    expect(await add(two, "CALM", except(kind))).toBe(1);
    expect(await tagsOf(store, two)).toEqual(["CALM"]);
    expect(await listed(store, { tag: "Calm" }, except(kind))).toEqual([two]);
    expect(await listed(store, { tag: "Calm" }, only(kind))).toEqual([one]);
  },
);

eachKind(
  "erases tags with their submission, and writes none of them into the audit log: %s",
  async (kind, { store, tested }) => {
    const reference = await acceptReference(store, sample(kind, 1, { email: "ann-1@example.org" }));
    await store.desk.changeTags(wholeScope, { references: [reference], add: "cousin of Ann" }, eva);
    await store.desk.changeTags(wholeScope, { from: "cousin of Ann", to: "cousin" }, eva);
    const facts = await Array.fromAsync(store.desk.readPerson(wholeScope, "ann-1@example.org"));
    expect(facts.filter(({ kind: of }) => of === "tags")).toMatchObject([
      { reference, added: "cousin of Ann", removed: null },
      { reference, added: "cousin", removed: "cousin of Ann" },
    ]);
    await store.desk.erasePerson("ann-1@example.org", eva);
    expect(await store.desk.listTags(wholeScope)).toEqual([]);
    expect(await tested.query("SELECT word FROM tag")).toEqual([]);
    expect(await tested.query("SELECT added FROM tag_change")).toEqual([]);
    const { rows } = await store.desk.listAudit({});
    const tagged = { action: "tags", subject: reference, operator: eva.operator, detail: {} };
    expect(rows).toMatchObject([{ action: "erase" }, tagged, tagged]);
    expect(JSON.stringify(rows)).not.toContain("cousin");
  },
);

test("finds by package, position, company and source, exactly", async ({ store }) => {
  const packages = ["a", 'b"c', "d"];
  const odd = { company: 'A "B" \\ C,\n', selectedPackageIds: packages, more: { utm_source: "spring", x: "a" } };
  const one = await acceptReference(store, inquiry(1, { ...odd, company: 'A "B" \\ C' }));
  const decoy = `"d","utm_source":"spring","position":"Editor","company":"A"`;
  const two = await acceptReference(store, application(2, { position: "Editor", coverLetter: decoy, company: null }));
  const found = async (filter: InboxFilter) => listed(store, filter);
  for (const id of packages) expect(await found({ package: id }), id).toEqual([one]);
  expect(await found({ package: "c" })).toEqual([]);
  expect(await found({ company: 'A "B" \\ C' })).toEqual([one]);
  expect(await found({ company: "A" })).toEqual([]);
  expect(await found({ position: "Editor" })).toEqual([two]);
  expect(await found({ source: "spring" })).toEqual([one]);
  expect(await found({ source: "spring", position: "Editor" })).toEqual([]);
});

test("finds by opening, and counts openings of one title apart", async ({ store }) => {
  const position = "Annotator";
  const more = { opening: "porto", language: "de" };
  const shared = { position, company: null, resume: null };
  const lisbon = await acceptReference(store, application(1, { ...shared, opening: "lisbon", more }));
  const german = { ...shared, opening: "porto", language: "de", resume: resume(2) } as const;
  const porto = await acceptReference(store, application(2, german));
  await acceptReference(store, application(3, { ...shared, opening: "porto" }));
  const cook = await acceptReference(store, application(4, { position: "Cook", company: null, opening: 'c"1' }));
  // A form of a stranger names a field of its own like that.
  const claimed = await acceptReference(store, application(5, { ...shared, more }));
  await acceptReference(store, inquiry(6, { company: null, more }));
  expect(await listed(store, { opening: "lisbon" })).toEqual([lisbon]);
  expect(await listed(store, { opening: "porto" })).toContain(porto);
  expect(await listed(store, { opening: "porto" })).toHaveLength(2);
  expect(await listed(store, { opening: "porto", position: "Cook" })).toEqual([]);
  expect(await listed(store, { opening: 'c"1', stage: "received", status: "todo" })).toEqual([cook]);
  expect(await listed(store, { position })).toContain(claimed);
  const shares = [
    { word: "porto", title: "Annotator (porto)", count: 2 },
    { word: 'c"1', title: "Cook", count: 1 },
    { word: "lisbon", title: "Annotator (lisbon)", count: 1 },
  ];
  const choices = await store.desk.choices(recruiting);
  expect(choices.filter(({ part }) => part === "opening").map(({ part: _part, ...one }) => one)).toEqual(shares);
  expect(await store.desk.choices(sales)).not.toContainEqual(expect.objectContaining({ part: "opening" }));
  expect((await store.desk.overview(recruiting, noon + minute)).shares.opening).toEqual(shares);
  expect((await store.desk.countByStage(recruiting, { kind: "application", opening: "porto" })).received).toBe(2);
});

test("says what a filter can be set to, the most frequent first, of what the scope holds", async ({ store }) => {
  const packages = (...selectedPackageIds: string[]) => ({ selectedPackageIds, company: null });
  const one = await acceptReference(store, inquiry(1, { ...packages("a", "b"), more: { utm_source: "spring" } }));
  await acceptReference(store, inquiry(2, { ...packages("b"), company: "Kalomi" }));
  await acceptReference(store, application(3, { position: "Editor", company: null }));
  const spam = await acceptReference(store, inquiry(4, packages("c")));
  await triage(store, spam, 1, { status: "spam" });
  await store.desk.changeTags(wholeScope, { references: [one], add: "hot" }, eva);
  const shown = async (scope: Scope) => (await store.desk.choices(scope)).map((it) => [it.part, it.word, it.count]);
  const ofInquiries = [
    ["company", "Kalomi", 1],
    ["package", "b", 2],
    ["package", "a", 1],
    ["source", "spring", 1],
    ["tag", "hot", 1],
  ];
  const sorted = (rows: unknown[][]) =>
    rows.toSorted((x, y) => (String(x[0]) < String(y[0]) ? -1 : x[0] === y[0] ? 0 : 1));
  expect(sorted(await shown(sales))).toEqual(ofInquiries);
  expect(await shown(recruiting)).toEqual([["position", "Editor", 1]]);
  expect(await shown(marketing)).toEqual([]);
});

test("what is to be done is what is new and what is open, in the order of arrival", async ({ store }) => {
  const references: string[] = [];
  for (let number = 0; number < 8; number += 1) references.push(await acceptReference(store, inTurn(number)));
  const statuses = ["new", "open", "done", "open", "spam", "new", "open", "new"] as const;
  for (const [at, status] of statuses.entries()) await triage(store, references[at]!, 1, { status });
  const todo = [7, 6, 5, 3, 1, 0].map((at) => references[at]);
  expect(await listed(store, { status: "todo" })).toEqual(todo);
  expect(await listed(store, { status: "todo", order: "oldest" })).toEqual(todo.toReversed());
  const rows = await readPages(2, (page) => store.desk.listSubmissions(wholeScope, { status: "todo" }, page));
  expect(rows.map(({ reference }) => reference)).toEqual(todo);
});

eachKind("a webhook is told what changed of a submission, never of spam: %s", async (kind, { store }) => {
  const one = await acceptReference(store, sample(kind, 1));
  const two = await acceptReference(store, sample(kind, 2));
  const news = await told(store, ["submission.changed"], async () => {
    await triage(store, one, 1, { status: "open", assignee: eva.operator });
    await triage(store, one, 2, { status: "open" });
    await triage(store, two, 1, { status: "spam" });
    await store.desk.changeTags(wholeScope, { references: [one, two], add: "hot" }, eva);
    await release(store, two, eva.at);
  });
  expect(news).toMatchObject([
    { event: "submission.changed", about: { submission: { reference: one }, changed: ["status", "assignee"] } },
    { event: "submission.changed", about: { submission: { reference: one, tags: ["hot"] }, changed: ["tags"] } },
  ]);
});

eachKind(
  "a webhook is told which submissions were erased, and a hash of the address: %s",
  async (kind, { store, tested }) => {
    const references: string[] = [];
    const email = "ann-1@example.org";
    for (let number = 0; number < 9; number += 1)
      references.push(await acceptReference(store, sample(kind, number, { email })));
    await accept(store, subscription({ email: "Ann-1@example.org" }));
    const news = await told(store, ["person.erased"], async () => {
      while ((await store.desk.erasePerson("ANN-1@example.org", eva)).more);
      await store.desk.erasePerson("nobody@example.org", eva);
    });
    const hash = createHmac("sha256", key).update("ann-1@example.org").digest("hex");
    const [said] = news.map(({ about }) => (about as { told: { references: string[]; hash: string } }).told);
    expect(news).toHaveLength(1);
    expect([said?.references.toSorted(), said?.hash]).toEqual([references.toSorted(), hash]);
    expect(JSON.stringify(await tested.query("SELECT detail FROM webhook_delivery"))).not.toContain("ann-1");
  },
);

test.for(["{spoilt", "7", '["a",7]', "{}"])(
  "a column that holds %j costs no other row",
  async (by, { store, tested }) => {
    const [one, other] = [await acceptReference(store, inquiry(1)), await acceptReference(store, inquiry(2))];
    await store.desk.changeTags(wholeScope, { references: [one], add: "hot" }, eva);
    const mail = { at: noon, senderAddress: "bob@example.org", senderName: "", subject: "", text: "", reply: "" };
    const named = { ...mail, identity: "1", messageId: null, automatic: false, fileNames: ["a.pdf"] };
    await store.inbound.keepUnmatched(named);
    const erase = () => store.desk.erasePerson(inquiry(1).email, eva);
    await tested.spoil("submission", "tags", by);
    await tested.spoil("unmatched", "files", by);
    const tags = by.startsWith("[") ? ["a"] : [];
    expect((await listed(store, {})).toSorted()).toEqual([one, other].toSorted());
    expect(await tagsOf(store, one)).toEqual(tags);
    expect(await store.desk.changeTags(wholeScope, { references: [one, other], add: "new" }, eva)).toBe(2);
    expect(await tagsOf(store, one)).toEqual([...tags, "new"]);
    const { rows } = await store.inbound.listUnmatched({});
    expect(rows).toMatchObject([{ fileNames: tags }]);
    expect(await store.inbound.fileUnmatched(wholeScope, rows[0]!.id, other, eva, [])).toBe(true);
    await told(store, ["person.erased"], async () => {
      await erase();
      await tested.spoil("webhook_delivery", "detail", by);
      await acceptReference(store, inquiry(1));
      expect(await erase()).toMatchObject({ submissions: 1 });
    });
  },
);

test("a webhook is tried with a test delivery, and its latest delivery is in the list", async ({ store }) => {
  const url = "https://hooks.example.org/";
  const id = await store.webhooks.add({ url, events: ["inquiry.received"], secret }, eva);
  if (id === "too-many") throw new Error(id);
  expect(await store.webhooks.list()).toMatchObject([{ id, last: null }]);
  expect(await store.webhooks.change(id, { tested: true }, eva)).toBe(true);
  expect(await store.webhooks.change(id + 1, { tested: true }, eva)).toBe(false);
  expect(await store.webhooks.list()).toMatchObject([
    { last: { status: "queued", createdAt: eva.at, lastAnswer: null } },
  ]);
  const { rows } = await store.webhooks.listDeliveries(id, {});
  expect(rows).toMatchObject([{ event: "webhook.test", reference: null }]);
});
