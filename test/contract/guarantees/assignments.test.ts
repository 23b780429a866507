// What the port promises about mails that tell operators what others assign to them.
import { expect } from "vitest";
import { type Actor, wholeScope } from "../../../server/src/storage/desk-store.ts";
import { assignmentWaitMs } from "../../../server/src/storage/sql/assignment-mails.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  acceptMails,
  acceptReference,
  allMails,
  findSubmission,
  kindsOf,
  marketing,
  minute,
  noon,
  only,
  sample,
  settle,
  triage,
  wakeAll,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const at = noon + minute;
const due = at + assignmentWaitMs;
const eva: Actor = { operator: "eva@example.org", at };
const ben: Actor = { operator: "ben@example.org", at };

async function addOperators({ access }: Store): Promise<void> {
  for (const { operator: email } of [eva, ben])
    await access.changeOperator(
      email,
      { role: "admin", invitationHash: email },
      { operator: "command line", at: noon },
    );
  await access.acceptInvitation(eva.operator, "phc", noon, "Eva Novák");
}

const assignmentsOf = async (store: Store) => (await allMails(store)).filter(({ kind }) => kind === "assignment");

const claimAt = async (store: Store, now: number) =>
  (await store.mails.claim(now, 10, { owner: "other", until: now + minute })).flatMap(({ id, kind, about }) =>
    kind === "assignment" && "assignment" in about ? [{ id, ...about.assignment }] : [],
  );

eachKind(
  "tell an operator once of all that others assigned until they were due: %s",
  async (kind, { store, tested }) => {
    await addOperators(store);
    const other = await tested.openAgain();
    const [one, two, three, four] = await Promise.all([
      acceptReference(store, sample(kind, 1)),
      acceptReference(store, sample(kind, 2)),
      acceptReference(store, sample(kind, 3)),
      acceptReference(store, sample(kind, 4)),
    ]);
    await Promise.all([
      triage(store, [one, two], 1, { assignee: ben.operator }, eva),
      triage(other, three, 1, { assignee: ben.operator }, eva),
    ]);
    await triage(store, four, 1, { assignee: ben.operator }, ben);
    // The same operator again changes nothing, and a change of status tells of nothing.
    await triage(store, one, 2, { assignee: ben.operator }, eva);
    await triage(store, two, 2, { status: "open" });
    expect(await assignmentsOf(store)).toMatchObject([{ reference: null, email: null, status: "queued", dueAt: due }]);
    expect(await claimAt(store, due - 1)).toEqual([]);
    const assigned = { [one]: "Eva Novák", [two]: "Eva Novák", [three]: "Eva Novák" };
    expect(await claimAt(store, due)).toEqual([{ id: expect.any(String), email: ben.operator, assigned }]);
  },
);

eachKind("leave out what was taken away, and are gone with the last: %s", async (kind, { store }) => {
  await addOperators(store);
  const [one, two] = [await acceptReference(store, sample(kind, 1)), await acceptReference(store, sample(kind, 2))];
  await triage(store, [one, two], 1, { assignee: ben.operator }, eva);
  await triage(store, one, 2, { assignee: eva.operator }, ben);
  expect(await assignmentsOf(store)).toMatchObject([{ status: "queued" }, { status: "queued" }]);
  await triage(store, two, 2, { assignee: null }, eva);
  expect(await claimAt(store, due)).toMatchObject([{ email: eva.operator, assigned: { [one]: ben.operator } }]);
  expect(await assignmentsOf(store)).toHaveLength(1);
});

eachKind(
  "are not stored where the operator does not want them, and go with the operator: %s",
  async (kind, { store }) => {
    await addOperators(store);
    const reference = await acceptReference(store, sample(kind, 1));
    await store.access.changeOperator(ben.operator, { mailAssigned: false }, ben);
    await triage(store, reference, 1, { assignee: ben.operator }, eva);
    expect(await assignmentsOf(store)).toEqual([]);
    await store.access.changeOperator(ben.operator, { mailAssigned: true }, ben);
    await triage(store, reference, 2, { assignee: null }, eva);
    await triage(store, reference, 3, { assignee: ben.operator }, eva);
    expect(await assignmentsOf(store)).toHaveLength(1);
    await store.access.changeOperator(ben.operator, { removed: true }, eva);
    expect(await assignmentsOf(store)).toEqual([]);
    expect(await claimAt(store, due)).toEqual([]);
  },
);

eachKind(
  "are not added to once claimed, count for no cap, and only those who see all see them: %s",
  async (kind, { store }) => {
    await addOperators(store);
    for (const number of [1, 2, 3, 4]) {
      const reference = await acceptReference(store, sample(kind, number));
      await triage(store, reference, 1, { assignee: ben.operator }, eva);
      expect(await claimAt(store, due)).toMatchObject([{ assigned: { [reference]: "Eva Novák" } }]);
    }
    expect(kindsOf(await acceptMails(store, sample(kind, 5, { email: ben.operator })))).toEqual([
      `${kind}-receipt`,
      `${kind}-notice`,
    ]);
    const kinds = async (scope: typeof wholeScope) =>
      new Set(kindsOf((await store.desk.listMails(scope, undefined, {})).rows));
    expect(await kinds(wholeScope)).toContain("assignment");
    expect(await kinds(only(kind))).not.toContain("assignment");
    expect(await kinds(marketing)).not.toContain("assignment");
  },
);

eachKind(
  "leave the address of their operator alone when it is refused, and are sent again: %s",
  async (kind, { store }) => {
    await addOperators(store);
    await triage(store, await acceptReference(store, sample(kind, 1)), 1, { assignee: ben.operator }, eva);
    const [mail] = await claimAt(store, due);
    const id = mail?.id ?? "";
    await settle(store, { failed: [{ id }] }, { at: due, inactiveRecipient: true, owner: "other" });
    expect(await assignmentsOf(store)).toMatchObject([{ status: "failed" }]);
    expect(kindsOf(await acceptMails(store, sample(kind, 5, { email: ben.operator })))).toContain(`${kind}-receipt`);
    expect(await wakeAll(store, "failed", due + minute)).toBe(1);
    expect(await claimAt(store, due + minute)).toMatchObject([{ id, email: ben.operator }]);
  },
);

eachKind("leave other mails alone that wait for the same operator: %s", async (kind, { store }) => {
  await addOperators(store);
  const invitation = { role: "admin", invitationHash: "again", token: "token" } as const;
  await store.access.changeOperator(ben.operator, invitation, { operator: "command line", at: noon });
  const [one, two] = [await acceptReference(store, sample(kind, 1)), await acceptReference(store, sample(kind, 2))];
  const [first, second] = [await findSubmission(store, one), await findSubmission(store, two)];
  await triage(store, one, 1, { assignee: ben.operator }, ben);
  const about = { submission: first!.arrival, sender: "person", fromKeys: [], teamKeys: [], files: [] } as const;
  const mail = { identity: "1", at, messageId: null, senderAddress: "", senderName: "", subject: "", text: "Yes." };
  await store.inbound.file({ ...mail, reply: null, ...about });
  const others = async () => kindsOf(await allMails(store)).filter((of) => of === "answer" || of === "invitation");
  expect(await others()).toEqual(["answer", "invitation"]);
  // Assigned, and taken away again.
  const assigned = await triage(store, two, second!.version, { assignee: ben.operator }, eva);
  expect(assigned).toMatchObject([{ result: "changed" }]);
  expect(await assignmentsOf(store)).toMatchObject([{ dueAt: due }]);
  await triage(store, two, second!.version + 1, { assignee: null }, eva);
  await triage(store, one, 3, { assignee: null }, eva);
  expect([await assignmentsOf(store), await others()]).toEqual([[], ["answer", "invitation"]]);
  const claimed = await store.mails.claim(due, 10, { owner: "other", until: due + minute });
  expect(claimed.find(({ kind: of }) => of === "invitation")?.about).toMatchObject({ invitation: { token: "token" } });
  expect(claimed.find(({ kind: of }) => of === "answer")?.about).toMatchObject({ answered: { to: ben.operator } });
});

eachKind("the news of an answer goes to the team where its operator is removed before: %s", async (kind, { store }) => {
  await addOperators(store);
  const reference = await acceptReference(store, sample(kind, 1));
  await triage(store, reference, 1, { assignee: ben.operator }, ben);
  const { arrival: submission } = (await findSubmission(store, reference))!;
  const mail = { identity: "1", at, messageId: null, senderAddress: "", senderName: "", subject: "", text: "Yes." };
  const about = { submission, sender: "person", fromKeys: [], teamKeys: [], files: [], reply: null } as const;
  await store.inbound.file({ ...mail, ...about });
  await store.access.changeOperator(ben.operator, { removed: true }, eva);
  const claimed = await store.mails.claim(due, 10, { owner: "other", until: due + minute });
  expect(claimed.filter(({ kind: of }) => of === "answer")).toMatchObject([{ about: { answered: { to: null } } }]);
});

test.for(["null", "{", "{}"])("are handed over as refused where they hold %j", async (text, { store, tested }) => {
  await addOperators(store);
  await triage(store, await acceptReference(store, sample("inquiry", 1)), 1, { assignee: ben.operator }, eva);
  await tested.query(`UPDATE mail SET digest = '${text}' WHERE kind = 'assignment'`);
  const claimed = await store.mails.claim(due, 10, { owner: "other", until: due + minute });
  expect(claimed.at(-1)).toMatchObject({ kind: "assignment", about: { refused: "unreadable row" } });
});
