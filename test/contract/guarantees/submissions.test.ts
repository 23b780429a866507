// What the port promises about accepting inquiries and applications, and about their references.
import { expect } from "vitest";
import { submissionKinds } from "@submissions/shared/kinds";
import { valuesOf } from "../../../server/src/field-values.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  applications,
  entry,
  findResume,
  findSubmission,
  firstStage,
  idsOf,
  inquiries,
  inquiry,
  lease,
  noon,
  offer,
  otherThan,
  inTurn,
  sample,
  submissions,
} from "../records.ts";
import { applicant } from "../../support/doors.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const filed = {
  status: "new",
  assignee: null,
  version: 1,
  disposable: false,
  tags: [],
  decidedAt: null,
  declineReason: null,
  firstReplyAt: null,
  lastReplyAt: null,
  lastAnswerAt: null,
  snoozedUntil: null,
  waitedFor: "us",
  arrival: expect.any(Number),
  reference: expect.any(String),
};

const odd = "Zoë “Quote” O'Neil; DROP TABLE submission;-- 🎙️";

/** What may be absent is null. */
const bare = { ...valuesOf("application", applicant), resume: null };

const dayMs = 24 * 60 * 60_000;
/** A day of which no other test takes references. */
const receivedAt = Date.UTC(2026, 11, 31);

test.for([
  ["an inquiry", inquiry(1, { name: odd, selectedPackageIds: ["b", "a", '"', "\\"] })],
  ["an inquiry without what may be absent", inquiry(1, { company: null })],
  ["an application", application(1, { coverLetter: "🎙️ñ\n".repeat(5_000) })],
  ["an application without what may be absent", application(1, bare)],
] as const)("keeps every field of %s as it was given", async ([_what, given], { store }) => {
  await accept(store, given);
  const read = given.kind === "inquiry" ? inquiries : applications;
  expect(await read(store)).toEqual([{ ...given, ...filed, stage: firstStage(given.kind) }]);
});

test("reads what is left of a submission whose fields are unreadable, and the others whole", async ({ tested }) => {
  const { store } = tested;
  const [bad, worse, good] = [inquiry(1), application(2), inquiry(3)];
  const references = [await acceptReference(store, bad), await acceptReference(store, worse)];
  await accept(store, good);
  await tested.spoilFields(references[0] ?? "", '{"');
  await tested.spoilFields(references[1] ?? "", '{"position": 7}');
  expect(await inquiries(store)).toMatchObject([{ email: bad.email, selectedPackageIds: [] }, good]);
  expect(await applications(store)).toMatchObject([{ email: worse.email, position: "", resume: null }]);
  expect(await findSubmission(store, references[1] ?? "")).toMatchObject({ name: worse.name });
  expect(await findResume(store, references[1] ?? "")).toBeNull();
});

test.for([
  [inquiry(1), ["inquiry-receipt", "inquiry-notice"]],
  [application(1), ["application-receipt", "application-notice"]],
] as const)("stores receipt and notice with it, leased to the caller: %#", async ([given, kinds], { store }) => {
  const accepted = await accept(store, given);
  const { reference } = accepted;
  const submission = { ...given, ...filed, stage: firstStage(given.kind), reference };
  expect(accepted).toMatchObject({ capped: [] });
  expect(accepted.mails).toEqual(
    kinds.map((kind) => ({
      id: expect.any(String),
      kind,
      about: { submission },
      createdAt: noon,
      attempts: 0,
      denials: null,
      leasedUntil: lease.until,
    })),
  );
  const stored = await allMails(store);
  expect(new Set(idsOf(stored))).toEqual(new Set(idsOf(accepted.mails)));
  for (const mail of stored) expect(mail).toMatchObject({ reference, email: given.email, status: "queued" });
});

eachKind("lets no submission suffer from another that fails beside it: %s", async (kind, { store, tested }) => {
  await using _failing = await tested.failMailsOf(`${kind}-notice`);
  const other = otherThan(kind);
  const answers = await Promise.allSettled(
    Array.from({ length: 16 }, (_, number) => offer(store, sample(number === 7 ? kind : other, number))),
  );
  const rejected = answers.flatMap(({ status }, number) => (status === "rejected" ? [number] : []));
  expect(rejected).toEqual([7]);
  expect(await submissions(store, other)).toHaveLength(15);
  expect(await submissions(store, kind)).toEqual([]);
  expect(await allMails(store)).toHaveLength(30);
});

eachKind("refuses a submission whose caller has stopped waiting, as not stored: %s", async (kind, { store }) => {
  const late = store.accept(entry(sample(kind, 1), { deadline: performance.now() - 1 }));
  await expect(late).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(late).rejects.toMatchObject({ outcome: "not-stored" });
  expect(await submissions(store, kind)).toEqual([]);
  expect(await allMails(store)).toEqual([]);
});

eachKind(
  "never uses an arrival number, reference or mail id again, also of what was erased: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const erased = await accept(store, sample(kind, 1));
    const [stored] = await submissions(store, kind);
    await tested.deleteSubmission(erased.reference ?? "");
    expect(await submissions(store, kind)).toEqual([]);
    expect(await allMails(store)).toEqual([]);
    const next = await accept(await tested.openAgain(), sample(kind, 2));
    expect((await submissions(store, kind))[0]?.arrival).toBeGreaterThan(stored?.arrival ?? Infinity);
    expect(next.reference).not.toBe(erased.reference);
    for (const id of idsOf(next.mails)) expect(idsOf(erased.mails)).not.toContain(id);
  },
);

test("gives no reference twice, to many at once and through several processes", async ({ store, tested }) => {
  const stores = [store, await tested.openAgain()];
  const references = await Promise.all(
    Array.from({ length: 100 }, (_, n) => acceptReference(stores[(n >> 1) % 2] ?? store, inTurn(n))),
  );
  expect(new Set(references).size).toBe(100);
  for (const reference of references) {
    expect(await findSubmission(store, reference)).toMatchObject({ reference });
  }
});

eachKind(
  "uses all references of a day, and refuses only what comes after the last: %s",
  async (kind, { store, tested }) => {
    const key = { procedure: "p", keyHash: "k", fingerprint: "f", createdAt: receivedAt };
    const challenge = { hash: "c", expiresAt: receivedAt };
    await accept(store, sample(kind, 100, { receivedAt }), { key, challenge });
    await tested.setTaken(kind, 20261231, 999_990);
    const stores = [store, await tested.openAgain()];
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => offer(stores[n % 2]!, sample(kind, n, { receivedAt }))),
    );
    expect(answers.filter((answer) => answer.result === "references-exhausted")).toHaveLength(6);
    const stored = await submissions(store, kind);
    expect([stored.length, new Set(stored.map(({ reference }) => reference)).size]).toEqual([11, 11]);
    const other = { ...key, keyHash: "other" };
    expect(await offer(store, sample(kind, 9, { receivedAt }), { key: other })).toEqual({
      result: "references-exhausted",
    });
    expect(await store.findEarlier(other)).toBeNull();
    expect(await offer(store, sample(kind, 9, { receivedAt }), { key })).toMatchObject({ result: "repeated" });
    expect(await offer(store, sample(kind, 9, { receivedAt }), { challenge })).toEqual({ result: "challenge-spent" });
    // Every day and kind is counted by itself.
    for (const one of submissionKinds) if (one !== kind) await accept(store, sample(one, 2, { receivedAt }));
    await accept(store, sample(kind, 101, { receivedAt: receivedAt + dayMs }));
  },
);
