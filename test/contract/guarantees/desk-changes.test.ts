// What the port promises about what operators change, and about the audit log.
import type { Note } from "@submissions/shared/console";
import { expect } from "vitest";
import { notesMax, wholeScope } from "../../../server/src/storage/desk-store.ts";
import {
  accept,
  acceptMails,
  acceptReference,
  application,
  collectPages,
  eva,
  except,
  findSubmission,
  firstStage,
  indexAll,
  inquiry,
  inTurn,
  lease,
  marketing,
  minute,
  noon,
  only,
  recruiting,
  resume,
  sales,
  sample,
  sendAgain,
  settle,
  subscription,
  triage,
  wake,
  wakeAll,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";
import { release } from "../../../server/src/desk/mails.ts";
import type { LeasedMail } from "../../../server/src/storage/records.ts";

const ben = { operator: "ben@example.org", at: noon + 2 * minute };

test("shows everything about one submission, and nothing outside the scope", async ({ store }) => {
  const twin = await acceptReference(store, application(1, { email: "other-1@example.org", resume: resume(1) }));
  const reference = await acceptReference(store, application(2));
  const again = await acceptReference(store, inquiry(3, { email: "ANA-2@example.org" }));
  await indexAll(store);
  await store.desk.addNote(wholeScope, reference, "Good voice.", eva);
  const detail = await store.desk.findDetail(wholeScope, reference);
  expect(detail).toMatchObject({
    submission: { ...application(2), reference },
    scan: "unscanned",
    mails: [
      { kind: "application-receipt", email: "ana-2@example.org" },
      { kind: "application-notice", email: "ana-2@example.org" },
    ],
    notes: [{ author: eva.operator, at: eva.at, text: "Good voice." }],
    history: [{ operator: eva.operator, at: eva.at, action: "note" }],
    duplicates: [
      { reference: again, kind: "inquiry", receivedAt: noon, status: "new" },
      { reference: twin, kind: "application" },
    ],
  });
  expect((await store.desk.findDetail(recruiting, reference))?.duplicates.map((one) => one.reference)).toEqual([twin]);
  expect(await store.desk.findDetail(sales, reference)).toBeNull();
  for (const other of [reference.replace("APP", "INQ"), "INQ-20251121-000000", "", "' OR 1=1 --"])
    expect(await store.desk.findDetail(wholeScope, other)).toBeNull();
});

eachKind(
  "changes what the operator saw, tells the second of the first, overwrites nothing: %s",
  async (kind, { store }) => {
    const reference = await acceptReference(store, sample(kind, 1));
    const first = await triage(store, reference, 1, { status: "open", assignee: eva.operator });
    expect(first).toEqual([{ reference, result: "changed", version: 2 }]);
    const second = await triage(store, reference, 1, { status: "done" }, ben);
    expect(second).toEqual([
      {
        reference,
        result: "conflict",
        version: 2,
        status: "open",
        stage: firstStage(kind),
        assignee: eva.operator,
        changedBy: eva.operator,
        changedAt: eva.at,
      },
    ]);
    expect(await findSubmission(store, reference)).toMatchObject({
      status: "open",
      assignee: eva.operator,
      version: 2,
    });
    expect(await triage(store, reference, 2, { assignee: null }, ben)).toMatchObject([{ version: 3 }]);
    expect(await findSubmission(store, reference)).toMatchObject({ status: "open", assignee: null, version: 3 });
    expect((await store.desk.findDetail(wholeScope, reference))?.history).toEqual([
      { ...eva, action: "status", detail: { from: "new", to: "open" } },
      { ...eva, action: "assignee", detail: { from: null, to: eva.operator } },
      { ...ben, action: "assignee", detail: { from: eva.operator, to: null } },
    ]);
  },
);

eachKind("tells an operator who names a submission twice that the change was theirs: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  await triage(store, reference, 1, { status: "open" });
  expect(await triage(store, [reference, reference], 2, { status: "done" }, ben)).toMatchObject([
    { result: "changed", version: 3 },
    { result: "conflict", version: 3, status: "done", changedBy: ben.operator, changedAt: ben.at },
  ]);
});

eachKind(
  "lets one of two operators win who change the same submission at the same time: %s",
  async (kind, { store, tested }) => {
    const other = await tested.openAgain();
    const reference = await acceptReference(store, sample(kind, 1));
    const outcomes = await Promise.all([
      triage(store, reference, 1, { status: "open" }),
      triage(other, reference, 1, { status: "done" }, ben),
    ]);
    const results = outcomes.flat().map(({ result }) => result);
    expect(results.toSorted()).toEqual(["changed", "conflict"]);
  },
);

test("changes many at once, each by itself, and refuses more than 1,000", async ({ store }) => {
  const references: string[] = [];
  for (let number = 0; number < 120; number += 1) references.push(await acceptReference(store, inTurn(number)));
  const targets = references.map((reference, index) => ({ reference, version: index === 60 ? 7 : 1 }));
  targets.push({ reference: "INQ-20251121-000000", version: 1 });
  const outcomes = await store.desk.triage(wholeScope, { targets, status: "done" }, eva);
  const count = (result: string) => outcomes.filter((one) => one.result === result).length;
  expect([count("changed"), count("conflict"), count("unknown")]).toEqual([119, 1, 1]);
  expect(outcomes.map(({ reference }) => reference)).toEqual(targets.map(({ reference }) => reference));
  const tooMany = Array.from({ length: 1_001 }, () => ({ reference: "", version: 1 }));
  await expect(store.desk.triage(wholeScope, { targets: tooMany }, eva)).rejects.toThrow(RangeError);
});

test("a submission has at most 200 notes, also of those that are written at once", async ({ store, tested }) => {
  const [reference, other] = [await acceptReference(store, inTurn(1)), await acceptReference(store, inTurn(2))];
  const stores = [store, await tested.openAgain()];
  const write = (number: number) => stores[number % 2]!.desk.addNote(wholeScope, reference, `${number}`, eva);
  for (let number = 0; number < notesMax - 2; number += 1)
    expect(await write(number)).toMatchObject({ text: `${number}` });
  const last = await Promise.all([write(1), write(2), write(3), write(4)]);
  expect(last.filter((note) => note === "full")).toHaveLength(2);
  expect(await write(5)).toBe("full");
  const { notes, history } = (await store.desk.findDetail(wholeScope, reference))!;
  expect([notes.length, history.length]).toEqual([notesMax, 200]);
  expect(await store.desk.addNote(wholeScope, other, "text", eva)).toMatchObject({ text: "text" });
});

test("a note that is repeated by its author without having seen it is stored once", async ({ store }) => {
  const reference = await acceptReference(store, inTurn(1));
  const write = (actor: typeof eva, seen?: number) => store.desk.addNote(wholeScope, reference, "Called.", actor, seen);
  const [first, second] = await Promise.all([write(eva, 0), write(eva, 0)]);
  expect(second).toEqual(first);
  const { id } = first as Note;
  expect(await write(ben, 0)).not.toMatchObject({ id });
  expect(await write(eva, id)).not.toMatchObject({ id });
  expect(await write(eva)).not.toMatchObject({ id });
  const { notes, history } = (await store.desk.findDetail(wholeScope, reference))!;
  expect([notes.length, history.length]).toEqual([4, 4]);
});

eachKind("a change outside the scope is one of something unknown: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const spam = await acceptReference(store, sample(kind, 2), { spam: true });
  const [mail] = (await store.desk.listMails(wholeScope, undefined, {})).rows;
  const request = { targets: [{ reference, version: 1 }], status: "done" } as const;
  expect(await store.desk.triage(except(kind), request, eva)).toEqual([{ reference, result: "unknown" }]);
  expect(await store.desk.addNote(except(kind), reference, "text", eva)).toBeNull();
  expect(await release(store.desk, except(kind), spam, eva)).toBe("unknown");
  expect(await sendAgain(store, except(kind), mail?.id ?? "", eva)).toBeNull();
  expect((await store.desk.listAudit({})).rows).toEqual([]);
});

eachKind("a change that changes nothing leaves version and audit log alone: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const unchanged = await triage(store, reference, 1, { status: "new", assignee: null });
  expect(unchanged).toEqual([{ reference, result: "changed", version: 1 }]);
  expect((await store.desk.listAudit({})).rows).toEqual([]);
});

eachKind(
  "sends a failed mail again, stores a sent one anew, and leaves a queued one alone: %s",
  async (kind, { store }) => {
    const [receipt, notice] = await acceptMails(store, sample(kind, 1));
    expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("left");
    await settle(store, { sent: [receipt], failed: [notice] });
    expect(await sendAgain(store, only(kind), receipt.id, eva)).toBe("due");
    expect(await sendAgain(store, only(kind), notice.id, eva)).toBe("due");
    expect((await store.desk.listMails(wholeScope, "queued", {})).rows).toMatchObject([
      { kind: `${kind}-receipt`, createdAt: eva.at, dueAt: eva.at },
      { id: notice.id, dueAt: eva.at },
    ]);
    const claimed = await store.mails.claim(eva.at, 10, { owner: "sender", until: eva.at + minute });
    expect(claimed).toHaveLength(2);
    expect((await store.desk.listAudit({})).rows).toMatchObject([
      { action: "mail.again", detail: { mail: `${kind}-notice`, was: "failed" } },
      { action: "mail.again", detail: { mail: `${kind}-receipt`, was: "sent" } },
    ]);
  },
);

eachKind(
  "sends nothing again to a suppressed address, and no welcome mail without its links: %s",
  async (kind, { store }) => {
    const [receipt] = await acceptMails(store, sample(kind, 1));
    const [welcome] = (await accept(store, subscription())).mails;
    await settle(store, { sent: [receipt, welcome!] });
    await store.suppress({ email: sample(kind, 1).email, reason: "complained", at: noon });
    expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("suppressed");
    expect(await sendAgain(store, marketing, welcome?.id ?? "", eva)).toBe("not-sendable");
    expect(await sendAgain(store, wholeScope, "1-abc", eva)).toBeNull();
    expect(await sendAgain(store, wholeScope, "no id", eva)).toBeNull();
  },
);

eachKind("counts what is sent again against the cap, and a mail that never left once: %s", async (kind, { store }) => {
  const day = 24 * 60 * minute;
  const [receipt] = await acceptMails(store, sample(kind, 1));
  await settle(store, { failed: [receipt] });
  for (let n = 0; n < 5; n += 1) {
    expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("due");
    await store.mails.claim(eva.at, 10, { ...lease, until: eva.at + minute });
    await settle(store, { [n < 4 ? "failed" : "sent"]: [receipt] }, { at: eva.at });
  }
  expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("due");
  expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("due");
  expect(await sendAgain(store, wholeScope, receipt.id, eva)).toBe("capped");
  // Nor does a submission earn another one.
  const next = await accept(store, sample(kind, 2, { email: sample(kind, 1).email, receivedAt: eva.at }));
  expect(next.mails.map(({ kind: of }) => of)).toEqual([`${kind}-notice`]);
  expect(await sendAgain(store, wholeScope, receipt.id, { ...eva, at: eva.at + day })).toBe("due");
});

eachKind("mail retry keeps to the cap and to suppressed addresses: %s", async (kind, { store }) => {
  const failed: LeasedMail[] = [];
  for (const n of [1, 2, 3, 4]) {
    const receivedAt = noon + n * 25 * 60 * minute;
    failed.push((await acceptMails(store, sample(kind, n, { email: sample(kind, 1).email, receivedAt })))[0]);
  }
  const now = noon + 200 * 60 * minute;
  await settle(store, { failed }, { at: now });
  expect(await wakeAll(store, "failed", now)).toBe(3);
  expect(await wake(store, failed[3]!.id, now)).toBe("capped");
  await store.suppress({ email: sample(kind, 1).email, reason: "complained", at: now });
  expect(await wake(store, failed[3]!.id, now)).toBe("suppressed");
});

test("records views and exports, and reads the audit log in both directions", async ({ store }) => {
  for (const subject of ["inquiries", "applications", "subscribers"]) {
    await store.desk.audit({ action: "export", subject, detail: { rows: 1 } }, eva);
  }
  const page = await store.desk.listAudit({ limit: 2 });
  expect(page.rows.map(({ subject }) => subject)).toEqual(["subscribers", "applications"]);
  const rest = await store.desk.listAudit({ limit: 2, after: page.next ?? 0 });
  expect(rest).toMatchObject({ rows: [{ subject: "inquiries", detail: { rows: 1 } }], next: null });
  const all = await collectPages(store.readAll("audit", {}));
  expect(all.map(({ subject }) => subject)).toEqual(["inquiries", "applications", "subscribers"]);
  expect(await collectPages(store.readAll("audit", { after: all[1]?.id ?? 0 }))).toEqual(all.slice(2));
});

test("the database itself refuses to change or delete entries of the audit log", async ({ store, tested }) => {
  await store.desk.audit({ action: "export", subject: "inquiries" }, eva);
  for (const text of ["UPDATE audit SET operator = ''", "DELETE FROM audit"]) {
    await expect(tested.query(text)).rejects.toThrow("only added to");
  }
  expect((await store.desk.listAudit({})).rows).toHaveLength(1);
});
