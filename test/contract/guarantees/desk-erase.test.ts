// What the port promises about erasing persons and outdated submissions, and about telling a person what is known.
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";
import { kinds } from "../../../shared/src/kinds.ts";
import { type Outdated, wholeScope } from "../../../server/src/storage/desk-store.ts";
import { personMax } from "../../../server/src/storage/sql/belongings.ts";
import { erasedAtOnce as batch } from "../../../server/src/storage/sqlite/sqlite-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  collect,
  eva,
  findSubmission,
  indexAll,
  inquiry,
  marketing,
  minute,
  noon,
  otherThan,
  release,
  resume,
  sales,
  sample,
  subscribers,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const retention = { operator: "retention", at: noon };
const email = "Ana@example.org";
const key = { procedure: "marketplace.inquiry", keyHash: "a1", fingerprint: "f", createdAt: noon };
const ofNewsletter = { ...key, procedure: "newsletter.subscribe" };

async function erase({ desk }: Store, what: string | Outdated) {
  const sum = { submissions: 0, subscriptions: 0, resumes: 0 };
  for (let more = true; more;) {
    const erased = await (typeof what === "string" ? desk.erasePerson(what, eva) : desk.eraseOutdated(what, eva));
    ({ more } = erased);
    sum.submissions += erased.submissions;
    sum.subscriptions += erased.subscriptions;
    sum.resumes += erased.resumes;
  }
  return sum;
}

async function acceptPerson(store: Store): Promise<string> {
  const reference = await acceptReference(store, inquiry(1, { email }), { key });
  await acceptReference(store, application(2, { email: email.toUpperCase() }));
  await accept(store, subscription({ email }), { key: ofNewsletter });
  await acceptReference(store, inquiry(3));
  await store.desk.addNote(wholeScope, reference, "Call back.", eva);
  return reference;
}

test("erases everything of a person, and nothing of others", async ({ store }) => {
  const reference = await acceptPerson(store);
  await indexAll(store);
  expect(await erase(store, "ana@EXAMPLE.org")).toEqual({ submissions: 2, subscriptions: 1, resumes: 1 });
  expect(await findSubmission(store, reference)).toBeNull();
  expect(await store.desk.findPerson(wholeScope, email)).toBeNull();
  expect(await collect(store.desk.readPerson(wholeScope, email))).toEqual([]);
  expect(await subscribers(store)).toEqual([]);
  for (const forgotten of [key, ofNewsletter]) expect(await store.findEarlier(forgotten)).toBeNull();
  expect((await allMails(store)).map((mail) => mail.email)).toEqual(["ann-3@example.org", "ann-3@example.org"]);
  const { rows } = await store.desk.listSubmissions(wholeScope, { search: "an" }, {});
  expect(rows.map((row) => row.email)).toEqual(["ann-3@example.org"]);
  expect((await store.desk.listSubmissions(wholeScope, { letter: "team" }, {})).rows).toEqual([]);
});

test("erases the key of a subscription that was spam, and tells of it before", async ({ tested }) => {
  const { store } = tested;
  await accept(store, subscription({ email }), { spam: true, key });
  const told = await collect(store.desk.readPerson(wholeScope, email));
  expect(told).toEqual([{ kind: "idempotency", procedure: key.procedure, createdAt: noon }]);
  await erase(store, email);
  expect(await store.findEarlier(key)).toBeNull();
  expect(await tested.query("SELECT key_hash FROM idempotency")).toEqual([]);
});

test("leaves an entry in the audit log without the address, and erases again without one", async ({ store }) => {
  await acceptPerson(store);
  await erase(store, email);
  const before = (await store.desk.listAudit({})).rows;
  expect(before[0]).toMatchObject({ ...eva, action: "erase", subject: "person" });
  expect(JSON.stringify(before).toLowerCase()).not.toContain("ana@");
  expect(await erase(store, email)).toEqual({ submissions: 0, subscriptions: 0, resumes: 0 });
  expect((await store.desk.listAudit({})).rows).toEqual(before);
});

test("keeps the keys of erased resumes until their bytes are discarded", async ({ store }) => {
  await acceptReference(store, application(1, { email, resume: resume(1) }));
  await acceptReference(store, application(2, { email, resume: null }));
  await erase(store, email);
  expect(await store.desk.resumesToDiscard(10, [])).toEqual([resume(1).key]);
  // Known to a sweep, which would set them aside where nothing finds them, and to nothing else.
  const known = async (orErased: boolean) => [...(await store.knownResumeKeys([resume(1).key], orErased))];
  expect([await known(true), await known(false)]).toEqual([[resume(1).key], []]);
  expect(await store.desk.resumesToDiscard(10, [resume(1).key])).toEqual([]);
  expect(await known(true)).toEqual([]);
});

eachKind(
  "erases a person with many submissions in batches, those before they are searchable, too: %s",
  async (kind, { store }) => {
    for (let number = 0; number < 9; number += 1) await acceptReference(store, sample(kind, number, { email }));
    await store.desk.indexNext(5, () => false);
    expect(await erase(store, email)).toMatchObject({ submissions: 9 });
    await acceptReference(store, sample(kind, 10));
    await indexAll(store);
    expect((await store.desk.listSubmissions(wholeScope, { search: "an" }, {})).rows).toHaveLength(1);
  },
);

eachKind(
  "an erased address that is not to be mailed still is not, by a hash of it: %s",
  async (kind, { store, tested }) => {
    await acceptReference(store, sample(kind, 1, { email }));
    await store.suppress({ email, reason: "complained", at: noon });
    await erase(store, email);
    expect((await accept(store, sample(kind, 2, { email }))).capped).toEqual([`${kind}-receipt`]);
    expect((await accept(store, subscription({ email }))).mails).toEqual([]);
    const spam = await acceptReference(store, sample(kind, 3, { email }), { spam: true });
    expect(await release(store, spam, noon)).toEqual({ result: "released", mails: 1 });
    expect(await store.desk.findPerson(wholeScope, email)).toMatchObject({ suppressed: "complained" });
    expect(await store.suppress({ email, reason: "bounced", at: noon + minute })).toBe(false);
    expect(JSON.stringify(await tested.query("SELECT email_key FROM suppression"))).toMatch(/sha256:[0-9a-f]{64}/);
    expect(JSON.stringify(await tested.query("SELECT email_key FROM suppression"))).not.toContain("ana@");
  },
);

eachKind(
  "news lifts the hash of an erased address, and a lifted suppression leaves none: %s",
  async (kind, { store, tested }) => {
    await store.suppress({ email, reason: "bounced", at: noon });
    await erase(store, email);
    expect(await store.suppress({ email, reason: null, at: noon + minute })).toBe(true);
    expect((await accept(store, sample(kind, 1, { email }))).capped).toEqual([]);
    await store.suppress({ email: "ben@example.org", reason: "manual", at: noon });
    await store.suppress({ email: "ben@example.org", reason: null, at: noon + minute });
    await erase(store, "ben@example.org");
    expect(await tested.query("SELECT email_key FROM suppression WHERE reason IS NOT NULL")).toEqual([]);
  },
);

eachKind("erases what is outdated by kind, spam apart from the others: %s", async (kind, { store }) => {
  const other = otherThan(kind);
  const spam = { spam: true };
  for (let number = 1; number <= 6; number += 1) {
    await accept(store, sample(kind, number, { receivedAt: noon + number }), number % 2 === 0 ? spam : {});
  }
  await accept(store, sample(other, 7, { receivedAt: noon }));
  await indexAll(store);
  expect(await store.desk.countOutdated({ kind, before: noon + 5 })).toEqual({ outdated: 2, stored: 3 });
  expect(await store.desk.countOutdated({ kind: "spam", before: noon + 5 })).toEqual({ outdated: 2, stored: 3 });
  expect(await erase(store, { kind, before: noon + 5 })).toMatchObject({ submissions: 2 });
  expect(await erase(store, { kind: "spam", before: noon + 5 })).toMatchObject({ submissions: 2 });
  expect(await erase(store, { kind: other, before: noon })).toMatchObject({ submissions: 0 });
  const { rows } = await store.desk.listSubmissions(wholeScope, {}, {});
  expect(rows.map((row) => row.email)).toEqual([sample(other, 7).email, sample(kind, 5).email]);
});

eachKind(
  "records each batch of what is outdated with it, and nothing where there is none: %s",
  async (kind, { store }) => {
    for (let number = 0; number < batch + 1; number += 1)
      await accept(store, sample(kind, number, { resume: number === 0 ? resume(1) : null }));
    const outdated = { kind, before: noon + 1 };
    const erased: number[] = [];
    const recorded: unknown[] = [];
    for (let more = true; more;) {
      const one = await store.desk.eraseOutdated(outdated, retention);
      ({ more } = one);
      // The last ones may only take erased words out of the search.
      if (one.submissions === 0) continue;
      erased.push(one.submissions);
      // Already now: a process that is killed before the next batch leaves nothing unrecorded.
      recorded.push((await store.desk.listAudit({})).rows[0]);
    }
    expect(erased.reduce((sum, count) => sum + count)).toBe(batch + 1);
    expect(recorded).toMatchObject(
      erased.map((submissions, index) => ({
        ...retention,
        action: "retention",
        subject: kinds[kind].plural,
        detail: { submissions, resumes: index === 0 ? 1 : 0 },
      })),
    );
    expect(await store.desk.eraseOutdated(outdated, retention)).toMatchObject({ submissions: 0, more: false });
    expect((await store.desk.listAudit({})).rows).toHaveLength(erased.length);
  },
);

eachKind("the last that is outdated of a suppressed address leaves a hash of it: %s", async (kind, { tested }) => {
  const { store } = tested;
  const other = otherThan(kind);
  const keys = async () => JSON.stringify(await tested.query("SELECT email_key FROM suppression"));
  await accept(store, sample(kind, 1, { email, receivedAt: noon }));
  await accept(store, sample(other, 2, { email, receivedAt: noon }));
  await store.suppress({ email, reason: "bounced", at: noon });
  await store.desk.eraseOutdated({ kind, before: noon + 1 }, eva);
  expect(await keys()).toContain("ana@example.org");
  await store.desk.eraseOutdated({ kind: other, before: noon + 1 }, eva);
  expect(await keys()).not.toContain("ana@");
  expect((await accept(store, sample(kind, 3, { email }))).capped).toEqual([`${kind}-receipt`]);
});

test("tells everything that is known of an address, as far as the scope goes", async ({ store }) => {
  const reference = await acceptPerson(store);
  await store.suppress({ email, reason: "manual", at: noon });
  const facts = await collect(store.desk.readPerson(wholeScope, email));
  const count = (kind: string) => facts.filter((fact) => fact.kind === kind).length;
  const told = ["submission", "note", "mail", "idempotency", "subscription", "suppression"];
  expect(told.map(count)).toEqual([2, 1, 5, 2, 1, 1]);
  expect(facts).toContainEqual({ kind: "note", reference, note: expect.objectContaining({ text: "Call back." }) });
  const ofSales = await collect(store.desk.readPerson(sales, email));
  expect(new Set(ofSales.map(({ kind }) => kind))).toEqual(
    new Set(["submission", "note", "mail", "idempotency", "suppression"]),
  );
  expect((await store.desk.findPerson(sales, email))?.submissions).toHaveLength(1);
  expect(await store.desk.findPerson(marketing, email)).toMatchObject({ submissions: [], suppressed: "manual" });
  expect(await store.desk.findPerson(wholeScope, "unknown@example.org")).toBeNull();
});

eachKind("serves others while a person with many submissions is read: %s", async (kind, { store }) => {
  const submissions = 20;
  for (let number = 1; number <= submissions; number += 1) await accept(store, sample(kind, number, { email }));
  const reading = collect(store.desk.readPerson(wholeScope, email));
  let turns = 0;
  while ((await Promise.race([reading, nextTurn()])) === undefined) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(submissions);
});

eachKind("says where a person has more submissions than are shown: %s", async (kind, { store }) => {
  await Promise.all(Array.from({ length: personMax }, (_, n) => accept(store, sample(kind, n, { email }))));
  expect(await store.desk.findPerson(wholeScope, email)).toMatchObject({ more: false });
  await accept(store, sample(kind, personMax, { email }));
  const person = await store.desk.findPerson(wholeScope, email);
  expect(person?.submissions).toHaveLength(personMax);
  expect(person?.more).toBe(true);
});
