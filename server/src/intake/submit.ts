// The one path of a submission, whichever door it came through. Read from top to bottom: repeated? → keep the resume →
// store everything in one commit → deliver the mails → receipt. What differs from kind to kind is in `Feature`.
import { hash } from "node:crypto";
import { resumeField } from "@submissions/shared/application-fields";
import type { Issue } from "@submissions/shared/faults";
import { emailKey } from "@submissions/shared/fields";
import type { KnownLanguages } from "@submissions/shared/language";
import { type Clock, dayMs } from "../clock.ts";
import type { PackageTitles } from "../config/catalogue.ts";
import type { Openings } from "../config/openings.ts";
import { reached } from "../failpoint.ts";
import { Fault } from "../fault.ts";
import type { Outbox } from "../mail/outbox.ts";
import { type Vault, VaultUnavailable } from "../resumes/vault.ts";
import type {
  EarlierSubmission,
  IdempotencyRecord,
  MailKind,
  OptIn,
  Received,
  ResumeRecord,
  SubmissionRecord,
  SubscriptionRecord,
} from "../storage/records.ts";
import { StorageUnavailable, type Acceptance, type Accepted, type Store } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { FurtherFields } from "./further-fields.ts";
import { type ProofOfWork, proofRefused } from "./proof-of-work.ts";

/** Keys whose receipts were sent within the last seconds, at a thousand a second. Some 100 bytes each. */
const keysConfirmedMax = 5_000;

/** What accepting a submission needs beside the submission itself. Built once, by the composition root. */
export interface Intake {
  readonly clock: Clock;
  readonly store: Pick<Store, "accept" | "findEarlier">;
  readonly vault: Pick<Vault, "keep" | "discard">;
  readonly outbox: Pick<Outbox, "lease" | "deliver"> & { readonly callers: Pick<Outbox["callers"], "imitate"> };
  /** The keys that this process is working on, `procedure` and hash. Other processes are kept apart by the store. */
  readonly keysInFlight: Set<string>;
  /** The latest of these keys whose receipt was sent. The store learns of it only with its next commit. */
  readonly keysConfirmed: Set<string>;
  /** Null: submissions need no proof of work. */
  readonly proofOfWork: ProofOfWork | null;
  /** Null: any identifier is a package. */
  readonly packageTitles: PackageTitles | null;
  /** Those of mails to persons. */
  readonly languages: KnownLanguages;
  /** Null: any text is a position. */
  readonly openings: Openings | null;
  readonly newsletterOptIn: OptIn;
  /** Told of each mail that was left out, because its addressee has had enough or must not be mailed. */
  readonly mailCapped: (kind: MailKind, requestId: string) => void;
  /** Told of an error after the commit: the submission is stored, so the caller is answered all the same. */
  readonly failedAfterCommit: (error: unknown) => void;
}

export interface Feature<Input extends { readonly email: string }, Receipt> {
  /** `marketplace.inquiry`; keys are kept apart by it and shared by both doors. */
  readonly procedure: string;
  /** What of the input, which was sent as `raw`, the configuration of this service refuses. Absent: nothing. */
  readonly refusals?: (intake: Intake, input: Input, raw: object) => readonly Issue[];
  readonly record: (input: Input, facts: Facts) => SubmissionRecord | SubscriptionRecord;
  /** Whether the answer waits for the receipt to be sent; `untold`: nothing in the answer may depend on the mail. */
  readonly delivery: "awaited" | "untold";
  readonly receipt: (answer: Answer) => Receipt;
}

interface Facts {
  readonly intake: Pick<Intake, "openings">;
  readonly received: Received;
  readonly resume: ResumeRecord | null;
  readonly more: FurtherFields | null;
}

interface Answer {
  /** Empty for a subscription. */
  readonly reference: string;
  /** Whether the provider took the receipt before this answer. */
  readonly confirmationEmailSent: boolean;
}

/** When this resolves, the submission is on stable storage with its mails. @throws Fault, StorageUnavailable, VaultUnavailable */
export async function submit<Input extends { readonly email: string }, Receipt>(
  intake: Intake,
  feature: Feature<Input, Receipt>,
  input: Input,
  call: Call,
): Promise<Receipt> {
  reached("body-read");
  const receivedAt = intake.clock.now();
  const key = keyRecord(feature.procedure, input, call, receivedAt);
  using _held = holdKey(intake, key);
  const earlier = key === null ? null : await intake.store.findEarlier(key);
  if (earlier !== null) return repeat(intake, feature, earlier, key, call);

  const issues = feature.refusals?.(intake, input, call.value) ?? [];
  if (issues.length > 0) throw new Fault("fieldsInvalid", { issues });
  const challenge = intake.proofOfWork === null ? null : await intake.proofOfWork.check(call.solution, receivedAt);
  call.watch.ended("validate");

  const resume = await keepResume(intake, call);
  if (resume !== null) call.watch.ended("resume");
  const { door, requestId, language, spam, deadline } = call;
  const consent = call.consent && { ...call.consent, at: receivedAt };
  const received = { receivedAt, door, requestId, language, email: input.email, consent };
  const submission = feature.record(input, { intake, received, resume, more: call.more });
  const lease = intake.outbox.lease();
  const stored = intake.store.accept({ submission, spam, key, challenge, lease, deadline });
  const acceptance = resume === null ? await stored : await discardingUnlessStored(intake, resume.key, stored);
  call.watch.ended("store");
  if (acceptance.result === "repeated") return repeat(intake, feature, acceptance.earlier, key, call);
  if (acceptance.result === "challenge-spent") throw proofRefused("spent");
  if (acceptance.result === "left-out") throw new Error("A submission of a form was left out.");
  if (acceptance.result === "references-exhausted") {
    throw new Fault("referencesExhausted", { retryAfterSeconds: secondsToMidnight(receivedAt) });
  }

  call.watch.stored(acceptance.reference, spam ? "spam" : "accepted");
  reached("after-commit");
  const confirmationEmailSent = await deliver(intake, feature.delivery, acceptance, call);
  call.watch.ended("mail");
  if (key !== null && confirmationEmailSent) rememberConfirmed(intake, key);
  reached("before-answer");
  return feature.receipt({ reference: acceptance.reference ?? "", confirmationEmailSent });
}

function keyRecord(procedure: string, input: object, { key, resume, more }: Call, createdAt: number) {
  if (key === null) return null;
  // A file counts by its own SHA-256 and not by its name.
  const content = { ...input, [resumeField]: resume?.sha256, more: more && Object.entries(more).toSorted(byName) };
  return { procedure, keyHash: hash("sha256", key), fingerprint: fingerprint(content), createdAt };
}

// A hash of the parsed fields: their order, white space and the boundaries of multipart make no difference.
function fingerprint(input: object): string {
  const fields = Object.entries(input as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, name === "email" && typeof value === "string" ? emailKey(value) : value])
    .toSorted(byName);
  return hash("sha256", JSON.stringify(fields));
}

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1);

const nameOf = ({ procedure, keyHash }: IdempotencyRecord) => `${procedure} ${keyHash}`;

function rememberConfirmed({ keysConfirmed }: Intake, key: IdempotencyRecord): void {
  const [oldest] = keysConfirmed;
  if (oldest !== undefined && keysConfirmed.size >= keysConfirmedMax) keysConfirmed.delete(oldest);
  keysConfirmed.add(nameOf(key));
}

/** @throws Fault `idempotencyConflict` while a call with the same key is under way */
function holdKey({ keysInFlight }: Intake, key: IdempotencyRecord | null): Disposable | null {
  if (key === null) return null;
  const name = nameOf(key);
  if (keysInFlight.has(name)) throw new Fault("idempotencyConflict", { retryAfterSeconds: 1 });
  keysInFlight.add(name);
  return { [Symbol.dispose]: () => void keysInFlight.delete(name) };
}

/** @throws Fault `idempotencyKeyReused` when the key stands for other content */
function repeat<Receipt>(
  intake: Intake,
  feature: { readonly receipt: (answer: Answer) => Receipt },
  earlier: EarlierSubmission,
  key: IdempotencyRecord | null,
  call: Call,
): Receipt {
  if (earlier.fingerprint !== key?.fingerprint) throw new Fault("idempotencyKeyReused");
  call.watch.stored(earlier.reference, "repeated");
  // Spam was answered like a success. A repetition that said otherwise would give the honeypot away.
  const confirmationEmailSent = earlier.receiptSent || earlier.spam || intake.keysConfirmed.has(nameOf(key));
  return feature.receipt({ reference: earlier.reference ?? "", confirmationEmailSent });
}

async function keepResume({ vault }: Intake, { resume, deadline }: Call): Promise<ResumeRecord | null> {
  if (resume === null) return null;
  const { filename, kind, size, sha256 } = resume;
  return { key: await vault.keep(resume, { deadline }), filename, kind, size, sha256 };
}

/** Takes the resume back if, and only if, its application is certainly not stored. */
async function discardingUnlessStored(intake: Intake, key: string, stored: Promise<Acceptance>): Promise<Acceptance> {
  try {
    const acceptance = await stored;
    if (acceptance.result !== "accepted") await discard(intake, key);
    return acceptance;
  } catch (error) {
    // Any other error may have come after the commit. A file without an application is swept later.
    if (error instanceof StorageUnavailable && error.outcome === "not-stored") await discard(intake, key);
    throw error;
  }
}

async function discard({ vault }: Intake, key: string): Promise<void> {
  await vault.discard(key).catch((error: unknown) => {
    // The sweep takes the file later; the caller gets the answer that is due.
    if (!(error instanceof VaultUnavailable)) throw error;
  });
}

/** Never rejects: the submission is stored, so the answer is a success whatever happens now. */
async function deliver(
  intake: Intake,
  delivery: "awaited" | "untold",
  { mails, capped }: Accepted,
  { spam, watch, requestId }: Call,
): Promise<boolean> {
  try {
    for (const kind of capped) intake.mailCapped(kind, requestId);
    if (spam) return delivery === "awaited" && (await intake.outbox.callers.imitate());
    watch.mailed(mails);
    const sent = intake.outbox.deliver(mails);
    if (delivery === "awaited") return await sent;
    sent.catch(intake.failedAfterCommit);
  } catch (error) {
    intake.failedAfterCommit(error);
  }
  return false;
}

const secondsToMidnight = (epochMs: number) => Math.ceil((dayMs - (epochMs % dayMs)) / 1000);
