// Submissions for tests, every field filled, and what most tests do with them. Nothing here is random but tokens.
import { randomUUID } from "node:crypto";
import type { Page, PageRequest, TriageRequest } from "../../shared/src/console.ts";
import { listMails, release as releaseSpam, retryMails, wakeMail } from "../../server/src/desk/mails.ts";
import { exampleOf } from "../../shared/src/field-table.ts";
import { kindOf, kinds, submissionKinds } from "../../shared/src/kinds.ts";
import { valuesOf } from "../../server/src/field-values.ts";
import { ofKinds } from "../../server/src/kinds.ts";
import type {
  Digest,
  LeasedMail,
  MailSettlement,
  ResumeRecord,
  StoredSubscriber,
  SubmissionKind,
  SubmissionRecord,
  SubscriptionRecord,
  StoredSubmission,
} from "../../server/src/storage/records.ts";
import { type Actor, type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import type { Acceptance, Accepted, Entry, Lease, Store } from "../../server/src/storage/store.ts";

export const noon = Date.UTC(2026, 10, 21, 12);
export const day = 20261121;
export const minute = 60_000;

export const lease: Lease = { owner: "this-process", until: noon + minute };

/** Another process, whose lease begins when the first one's has ended. */
export const otherLease: Lease = { owner: "other-process", until: noon + 2 * minute };
export const afterLease = lease.until + 1;

/** What the forms of these submissions showed. */
export const consent = { text: "2026-11", page: "https://example.org/contact", at: noon };

/** An address of its own for each number: an address gets only a few automatic mails a day. */
export function inquiry(number: number, more: Partial<SubmissionRecord<"inquiry">> = {}): SubmissionRecord<"inquiry"> {
  return {
    kind: "inquiry",
    receivedAt: noon,
    door: "rest",
    requestId: `request-${number}`,
    language: "en",
    ...valuesOf("inquiry", {
      name: "Ann Buyer",
      company: "Voices Ltd",
      email: `ann-${number}@example.org`,
      selectedPackageIds: ["en-GB-scottish", "de-AT"],
    }),
    resume: null,
    consent,
    more: null,
    ...more,
  };
}

export function resume(number: number, more: Partial<ResumeRecord> = {}): ResumeRecord {
  return {
    key: `2026/11/21/${String(number).padStart(32, "0")}`,
    filename: "Résumé (final).pdf",
    kind: "pdf",
    size: 5_242_880,
    sha256: "ab".repeat(32),
    ...more,
  };
}

export function application(
  number: number,
  more: Partial<SubmissionRecord<"application">> = {},
): SubmissionRecord<"application"> {
  return {
    kind: "application",
    receivedAt: noon,
    door: "rpc",
    requestId: `request-${number}`,
    language: "de",
    ...valuesOf("application", {
      fullName: "Ana Souza",
      email: `ana-${number}@example.org`,
      position: "Accent annotator",
      phone: "+351 912 345 678",
      company: "Estúdio",
      availability: "From May",
      accent: "Açores",
      portfolioUrl: "https://example.org/ana",
      resumeUrl: "https://example.org/ana.pdf",
      coverLetter: "Dear team,\n\n\tI would like to join.",
    }),
    resume: resume(number),
    consent,
    more: { message: "Line one\nsecond line", constructor: "5", "utm[source]": "Frühling" },
    ...more,
  };
}

const made: { readonly [Kind in SubmissionKind]?: (number: number, more: object) => SubmissionRecord } = {
  inquiry,
  application,
};

/** One of a kind, for cases that mean any submission. */
export function sample(kind: SubmissionKind, number: number, more: Partial<SubmissionRecord> = {}): SubmissionRecord {
  const make = made[kind];
  if (make !== undefined) return make(number, more);
  // A kind without any of its own here: the values of its examples.
  const values = valuesOf(kind, { ...exampleOf(kindOf(kind).fields), email: `${kind}-${number}@example.org` } as never);
  const { kind: _kind, selectedPackageIds: _ids, ...others } = inquiry(number);
  return { ...others, ...values, name: others.name, kind, ...more } as SubmissionRecord;
}

/** One of the kinds in turn, for cases that mean many submissions. */
export const inTurn = (number: number, more: Partial<SubmissionRecord> = {}): SubmissionRecord =>
  sample(submissionKinds[number % submissionKinds.length]!, number, more);

/** Counts by the plurals of the kinds. */
export const noneOfEach = Object.fromEntries(submissionKinds.map((kind) => [kinds[kind].plural, 0]));

/** The stage of an untouched one. */
export const firstStage = (kind: SubmissionKind) => (kinds[kind].staged ? "received" : null);

export function subscription(more: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  const { receivedAt = noon } = more;
  return {
    kind: "subscription",
    receivedAt,
    door: "rest",
    requestId: "request",
    language: "de",
    email: "Reader@example.org",
    source: "footer",
    consent,
    optIn: "double",
    confirm: { ...token(), expiresAt: receivedAt + 7 * 24 * 60 * minute },
    unsubscribe: token(),
    ...more,
  };
}

const token = () => ({ token: randomUUID(), hash: (randomUUID() + randomUUID()).replaceAll("-", "") });

export const entry = (submission: Entry["submission"], more: Partial<Entry> = {}): Entry => ({
  submission,
  spam: false,
  key: null,
  challenge: null,
  lease,
  deadline: performance.now() + minute,
  ...more,
});

export const offer = (store: Store, submission: Entry["submission"], more: Partial<Entry> = {}): Promise<Acceptance> =>
  store.accept(entry(submission, more));

/** Stores a submission. Fails when the store does not accept it. */
export async function accept(
  store: Store,
  submission: Entry["submission"],
  more: Partial<Entry> = {},
): Promise<Accepted> {
  const acceptance = await offer(store, submission, more);
  if (acceptance.result !== "accepted") throw new Error(acceptance.result);
  return acceptance;
}

export async function acceptReference(
  store: Store,
  submission: SubmissionRecord,
  more: Partial<Entry> = {},
): Promise<string> {
  return (await accept(store, submission, more)).reference ?? "";
}

export async function acceptMails(store: Store, submission: SubmissionRecord): Promise<[LeasedMail, LeasedMail]> {
  const [receipt, notice] = (await accept(store, submission)).mails;
  if (receipt === undefined || notice === undefined) throw new Error("A mail is missing.");
  return [receipt, notice];
}

export const kindsOf = (mails: readonly { readonly kind: string }[]): string[] => mails.map(({ kind }) => kind);
export const idsOf = (mails: readonly { readonly id: string }[]): string[] => mails.map(({ id }) => id);

/** Says in the name of this process, unless another one is named, what became of mails. */
export const settle = (
  store: Store,
  ended: { readonly [Result in "sent" | "failed" | "in-doubt"]?: readonly { readonly id: string }[] },
  { owner = lease.owner, at = noon, ...more }: { owner?: string; at?: number } & Partial<MailSettlement> = {},
): Promise<void> =>
  store.mails.settle(
    Object.entries(ended).flatMap(([result, mails]) => {
      const why = result === "sent" ? { providerId: "p" } : { error: "e", denials: null };
      return mails.map(({ id }) => ({ id, result, at, ...why, ...more }) as MailSettlement);
    }),
    owner,
  );

/** A try of a mail that has to be repeated. */
export const tryAgain = ({ id }: { readonly id: string }, dueAt: number, more: object = {}): MailSettlement => ({
  id,
  result: "later",
  at: noon,
  dueAt,
  error: "x",
  denials: null,
  tried: true,
  ...more,
});

/** Gives mails back as a process does that stops in good order: they are due at once, and certainly not sent. */
export const giveBack = (store: Store, mails: readonly LeasedMail[], { owner }: Lease, now: number): Promise<void> =>
  store.mails.settle(
    mails.map(({ id, createdAt }) => {
      const dueAt = Math.min(createdAt, now);
      return { id, at: now, result: "later", dueAt, error: "not tried", denials: null, tried: false };
    }),
    owner,
  );

/** Releases spam. Answers how many mails that stored. */
export async function release(store: Store, reference: string, at: number) {
  const count = async () => (await store.desk.findDetail(wholeScope, reference))?.mails.length ?? 0;
  const before = await count();
  const result = await releaseSpam(store.desk, wholeScope, reference, { operator: "eva@example.org", at });
  return result === "released" ? { result, mails: (await count()) - before } : { result };
}

/** As the console sends a mail again. */
export const sendAgain = (store: Store, scope: Scope, id: string, actor: Actor) =>
  store.desk.sendAgain(scope, id, ["failed", "in-doubt", "sent"], actor);

/** As the command line wakes a mail. */
export const wake = (store: Store, id: string, at: number) =>
  wakeMail(store.desk, id, { operator: "command line", at });

export const wakeAll = (store: Store, status: "failed" | "in-doubt", at: number) =>
  retryMails(store.desk, status, { operator: "command line", at });

/** Changes submissions that all are of this version, as an operator who sees them so. */
export const triage = (
  store: Store,
  references: string | readonly string[],
  version: number,
  change: Omit<TriageRequest, "targets">,
  by: Actor = eva,
) => {
  const targets = [references].flat().map((reference) => ({ reference, version }));
  return store.desk.triage(wholeScope, { targets, ...change }, by);
};

/** All rows of a list, read in pages of so many. */
export async function readPages<Row>(limit: number, read: (page: PageRequest) => Promise<Page<Row>>): Promise<Row[]> {
  const all: Row[] = [];
  for (let after: number | null | undefined; after !== null;) {
    const { rows, next } = await read({ limit, ...(after !== undefined && { after }) });
    all.push(...rows);
    after = next;
  }
  return all;
}

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

export const collectPages = async <T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> =>
  (await collect(pages)).flat();

export const findSubmission = async (store: Store, reference: string): Promise<StoredSubmission | null> =>
  (await store.desk.findDetail(wholeScope, reference))?.submission ?? null;

/** The resume of an application, and what the scanner said of it; null: there is none. */
export async function findResume(store: Store, reference: string) {
  const detail = await store.desk.findDetail(wholeScope, reference);
  if (detail?.submission.kind !== "application" || detail.submission.resume === null) return null;
  return { ...detail.submission.resume, scan: detail.scan };
}

export const submissions = <Of extends SubmissionKind>(store: Store, kind: Of) => collectPages(store.readAll(kind, {}));
export const inquiries = (store: Store) => submissions(store, "inquiry");
export const applications = (store: Store) => submissions(store, "application");
export const subscribers = (store: Store) => collectPages(store.readAll("subscriber", {}));

export async function onlySubscriber(store: Store): Promise<StoredSubscriber | undefined> {
  const all = await subscribers(store);
  return all.length === 1 ? all[0] : undefined;
}

export const allMails = (store: Store) => listMails(store.desk, { limit: 10_000 });

/** Who sees one kind, and who sees all but that. */
export const only = (kind: SubmissionKind): Scope => ({ kinds: [kind], subscribers: false });
export const except = (kind: SubmissionKind): Scope => ({
  kinds: submissionKinds.filter((one) => one !== kind),
  subscribers: false,
});
/** Another kind. */
export const otherThan = (kind: SubmissionKind): SubmissionKind => submissionKinds.find((one) => one !== kind)!;
export const sales = only("inquiry");
export const recruiting = only("application");
export const marketing: Scope = { kinds: [], subscribers: true };
/** An operator, a minute later. */
export const eva: Actor = { operator: "eva@example.org", at: noon + minute };

export async function indexAll(store: Store): Promise<void> {
  while ((await store.desk.indexNext(2, (email) => email.endsWith("@throw-away.example"))).more);
}

export const digest: Digest = {
  day: "2026-11-21",
  ...ofKinds(() => ({ new: 0, open: 0 })),
  inquiry: { new: 2, open: 1 },
  mails: { failed: 1, inDoubt: 0 },
  longest: [{ kind: "inquiry", reference: "INQ-20261120-042137", receivedAt: noon - minute }],
};
