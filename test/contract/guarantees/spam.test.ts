// What the port promises about submissions that are kept as spam, and about releasing them.
import { expect } from "vitest";
import { submissionKinds } from "../../../shared/src/kinds.ts";
import {
  accept,
  acceptReference,
  allMails,
  eva,
  findSubmission,
  kindsOf,
  minute,
  noon,
  release,
  sample,
  settle,
  submissions,
  triage,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const spam = { spam: true };
const day = 24 * 60 * minute;

eachKind("keeps spam as it was given, with that status and without mails: %s", async (kind, { store }) => {
  expect(await accept(store, sample(kind, 1), spam)).toMatchObject({ mails: [], capped: [] });
  expect(await submissions(store, kind)).toMatchObject([{ ...sample(kind, 1), status: "spam" }]);
  expect(await allMails(store)).toEqual([]);
});

eachKind("releases once, and nothing that is no spam: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), spam);
  const answers = await Promise.all([1, 2].map(() => release(store, reference, noon)));
  expect(answers.map(({ result }) => result).toSorted()).toEqual(["not-spam", "released"]);
  expect((await store.desk.listAudit({})).rows).toMatchObject([
    {
      operator: "eva@example.org",
      at: noon,
      action: "status",
      subject: reference,
      detail: { from: "spam", to: "new" },
    },
  ]);
  const other = await acceptReference(store, sample(kind, 2));
  expect(await release(store, other, noon)).toEqual({ result: "not-spam" });
  expect(await release(store, "INQ-20251121-000000", noon)).toEqual({ result: "unknown" });
  expect(await release(store, "no reference", noon)).toEqual({ result: "unknown" });
  expect(await allMails(store)).toHaveLength(4);
});

test.for(
  (["new", "open", "done"] as const).flatMap((status) => submissionKinds.map((kind) => [status, kind] as const)),
)("a change from spam to %s stores the mails: %s", async ([status, kind], { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), spam);
  const at = noon + minute;
  expect(await triage(store, reference, 1, { status }, { ...eva, at })).toEqual([
    { reference, result: "changed", version: 2 },
  ]);
  expect(await findSubmission(store, reference)).toMatchObject({ status, version: 2 });
  const claimed = await store.mails.claim(at, 10, { owner: "sender", until: at + minute });
  expect(kindsOf(claimed)).toEqual([`${kind}-receipt`, `${kind}-notice`]);
  for (const mail of claimed) {
    expect(mail).toMatchObject({ createdAt: at, denials: null, about: { submission: { reference, status } } });
  }
  expect((await store.desk.listAudit({})).rows).toMatchObject([
    { action: "status", subject: reference, detail: { from: "spam", to: status } },
  ]);
  expect(await release(store, reference, at)).toEqual({ result: "not-spam" });
});

eachKind("stores no mail when spam is assigned to an operator and stays spam: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), spam);
  await triage(store, reference, 1, { status: "spam", assignee: "ben@example.org" });
  expect(await findSubmission(store, reference)).toMatchObject({ status: "spam", assignee: "ben@example.org" });
  expect(await allMails(store)).toEqual([]);
});

eachKind(
  "stores mails once, however often a submission is spam, also when they are forgotten: %s",
  async (kind, { store }) => {
    const byHand = await accept(store, sample(kind, 1));
    const reference = byHand.reference ?? "";
    await settle(store, { sent: byHand.mails });
    await triage(store, reference, 1, { status: "spam" });
    await triage(store, reference, 2, { status: "open" });
    expect(await allMails(store)).toHaveLength(2);
    const later = noon + 365 * day;
    while ((await store.forgetExpired(later)).more);
    expect(await allMails(store)).toEqual([]);
    await triage(store, reference, 3, { status: "spam" }, { ...eva, at: later });
    await triage(store, reference, 4, { status: "new" }, { ...eva, at: later });
    await triage(store, reference, 5, { status: "spam" }, { ...eva, at: later });
    expect(await release(store, reference, later)).toEqual({ result: "released", mails: 0 });
    expect(await allMails(store)).toEqual([]);
  },
);

eachKind("counts receipts to one address also when many leave spam at once: %s", async (kind, { store }) => {
  const references: string[] = [];
  for (let number = 0; number < 5; number += 1)
    references.push(await acceptReference(store, sample(kind, number, { email: "ana@example.org" }), spam));
  await triage(store, references, 1, { status: "open" });
  const kinds = kindsOf(await allMails(store));
  expect(kinds.filter((one) => one === `${kind}-receipt`)).toHaveLength(3);
  expect(kinds.filter((one) => one === `${kind}-notice`)).toHaveLength(5);
});

eachKind("a change that meets a conflict stores nothing: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1), spam);
  const outcomes = await triage(store, [reference, reference], 1, { status: "open" });
  expect(outcomes.map(({ result }) => result)).toEqual(["changed", "conflict"]);
  expect(await allMails(store)).toHaveLength(2);
});
