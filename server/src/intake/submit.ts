// The one path of a submission, whichever door it came through. Read from top to bottom: repeated? → keep the resume →
// store everything in one commit → deliver the mails → receipt. What differs from kind to kind is in `Feature`.
import { createHash } from "node:crypto";
import type { Issue } from "@submissions/shared/faults";
import { reached } from "../failpoint.ts";
import { Fault } from "../fault.ts";
import { StagedUpload } from "../resumes/staged-upload.ts";
import { VaultUnavailable } from "../resumes/vault.ts";
import type {
  ConsentRecord,
  EarlierSubmission,
  IdempotencyRecord,
  ResumeRecord,
  SubmissionRecord,
  SubscriptionRecord,
} from "../storage/records.ts";
import { StorageUnavailable, type Acceptance, type Accepted } from "../storage/store.ts";
import type { Call } from "./call.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Intake } from "./intake.ts";
import { proofRefused } from "./proof-of-work.ts";

/** Keys whose receipts were sent within the last seconds, at a thousand a second. Some 100 bytes each. */
const keysConfirmedMax = 5_000;

/** What a kind of submission adds to the path. */
export interface Feature<Input extends object, Receipt> {
  /** `marketplace.inquiry`; keys are kept apart by it and shared by both doors. */
  readonly procedure: string;
  /** What of the input the configuration of this service refuses. Absent: nothing. */
  readonly refusals?: (intake: Intake, input: Input) => readonly Issue[];
  /** What is stored. */
  readonly record: (input: Input, facts: Facts) => SubmissionRecord | SubscriptionRecord;
  /** How long it may wait for others to share its commit, in milliseconds. Absent: not at all. */
  readonly commitWaitMs?: number;
  /** Whether the answer waits for the receipt to be sent; `untold`: nothing in the answer may depend on the mail. */
  readonly delivery: "awaited" | "untold";
  readonly receipt: (answer: Answer) => Receipt;
}

/** What a record says beside the input. */
export interface Facts {
  readonly receivedAt: number;
  readonly door: Call["door"];
  readonly requestId: string;
  readonly language: Call["language"];
  readonly resume: ResumeRecord | null;
  readonly consent: ConsentRecord | null;
  readonly intake: Intake;
}

/** What a receipt is written from. */
export interface Answer {
  /** Empty for a subscription. */
  readonly reference: string;
  /** Whether the provider took the receipt before this answer. */
  readonly confirmationEmailSent: boolean;
  readonly intake: Intake;
}

/**
 * Accepts a submission. When this resolves, it is on stable storage with its mails.
 *
 * @throws Fault as `docs/errors.md` says; StorageUnavailable, VaultUnavailable
 */
export async function submit<Input extends object, Receipt>(
  intake: Intake,
  feature: Feature<Input, Receipt>,
  input: Input,
  call: Call,
): Promise<Receipt> {
  reached("body-read");
  const receivedAt = intake.clock.now();
  const key = call.key === null ? null : keyRecord(feature.procedure, call.key, input, receivedAt);
  using _held = holdKey(intake, key);
  const earlier = key === null ? null : await intake.store.findEarlier(key);
  if (earlier !== null) return repeat(intake, feature, earlier, key, call);

  const issues = feature.refusals?.(intake, input) ?? [];
  if (issues.length > 0) throw new Fault("fieldsInvalid", { issues });
  const challenge = intake.proofOfWork === null ? null : await intake.proofOfWork.check(call.solution, receivedAt);
  call.watch.ended("validate");

  const resume = await keepResume(intake, input, call.deadline);
  if (resume !== null) call.watch.ended("resume");
  const submission = feature.record(input, {
    receivedAt,
    door: call.door,
    requestId: call.requestId,
    language: call.language,
    resume,
    consent: call.consent && { ...call.consent, at: receivedAt },
    intake,
  });
  const lease = intake.outbox.lease();
  const { spam, deadline } = call;
  const waitMs = feature.commitWaitMs ?? 0;
  const stored = intake.store.accept({ submission, spam, key, challenge, lease, deadline, waitMs });
  const acceptance = resume === null ? await stored : await discardingUnlessStored(intake, resume.key, stored);
  call.watch.ended("store");
  if (acceptance.result === "repeated") return repeat(intake, feature, acceptance.earlier, key, call);
  if (acceptance.result === "challenge-spent") throw proofRefused("spent");
  if (acceptance.result === "references-exhausted") {
    throw new Fault("referencesExhausted", { retryAfterSeconds: secondsToMidnight(receivedAt) });
  }

  reached("after-commit");
  const confirmationEmailSent = await deliver(intake, feature, acceptance, call);
  call.watch.ended("mail");
  if (key !== null && confirmationEmailSent) rememberConfirmed(intake, key);
  reached("before-answer");
  return feature.receipt({ reference: acceptance.reference ?? "", confirmationEmailSent, intake });
}

function keyRecord(procedure: string, key: string, input: object, createdAt: number): IdempotencyRecord {
  const keyHash = createHash("sha256").update(key).digest("hex");
  return { procedure, keyHash, fingerprint: fingerprint(input), createdAt };
}

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
function repeat<Input extends object, Receipt>(
  intake: Intake,
  feature: Feature<Input, Receipt>,
  earlier: EarlierSubmission,
  key: IdempotencyRecord | null,
  call: Call,
): Receipt {
  if (earlier.fingerprint !== key?.fingerprint) throw new Fault("idempotencyKeyReused");
  call.replayed();
  // Spam was answered like a success. A repetition that said otherwise would give the honeypot away.
  const confirmationEmailSent = earlier.receiptSent || earlier.spam || intake.keysConfirmed.has(nameOf(key));
  return feature.receipt({ reference: earlier.reference ?? "", confirmationEmailSent, intake });
}

async function keepResume({ vault }: Intake, input: object, deadline: number): Promise<ResumeRecord | null> {
  const upload = Object.values(input).find((value): value is StagedUpload => value instanceof StagedUpload);
  if (upload === undefined) return null;
  const { filename, kind } = upload.inspected;
  const { size, sha256 } = upload.staged;
  return { key: await vault.keep(upload.staged, { deadline }), filename, kind, size, sha256 };
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
async function deliver<Input extends object, Receipt>(
  intake: Intake,
  { delivery }: Feature<Input, Receipt>,
  { mails, capped }: Accepted,
  { spam, watch }: Call,
): Promise<boolean> {
  try {
    for (const kind of capped) intake.mailCapped(kind);
    if (spam) return delivery === "awaited" && (await intake.outbox.imitateDelivery());
    watch.stored(mails);
    const sent = intake.outbox.deliver(mails);
    if (delivery === "awaited") return await sent;
    sent.catch(intake.failedAfterCommit);
  } catch (error) {
    intake.failedAfterCommit(error);
  }
  return false;
}

const secondsToMidnight = (epochMs: number) => Math.ceil((86_400_000 - (epochMs % 86_400_000)) / 1000);
