// Idempotency: the same key with the same content is one submission with one answer, however often it is sent and
// wherever the connection broke. A key is taken in the transaction that stores the submission, so a refused request
// uses up nothing and a crash between commit and answer loses nothing.
import { createHash } from "node:crypto";
import { reached } from "../failpoint.ts";
import { Fault } from "../fault.ts";
import type { ChallengeRecord, EarlierSubmission, IdempotencyRecord } from "../storage/records.ts";
import { idempotencyMs, type Store } from "../storage/store.ts";
import type { Call } from "./call.ts";
import { fingerprint } from "./fingerprint.ts";
import type { KeysInFlight } from "./keys-in-flight.ts";
import { proofRefused, type ProofOfWork } from "./proof-of-work.ts";

/** What a submission can be made with once only; it is stored with it. */
interface Once {
  readonly idempotency: IdempotencyRecord | null;
  readonly challenge: ChallengeRecord | null;
}

/** The store has taken the key, or the challenge, with an earlier submission. Nothing was stored. */
export type Used = "repeated" | "challenge-spent";

interface Question<Receipt> {
  /** `marketplace.inquiry`; keys are kept apart by it and shared by both doors. */
  readonly procedure: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly receivedAt: number;
  /** The receipt of an earlier call with this key. */
  replay(earlier: EarlierSubmission): Receipt | Promise<Receipt>;
  /** Stores the submission, its key and its challenge together. */
  accept(once: Once): Promise<Receipt | Used>;
}

/** What storing a submission needs beside its input. */
export interface Circumstances extends Once {
  readonly call: Call;
  readonly receivedAt: number;
}

interface Memory {
  readonly store: Pick<Store, "findIdempotency">;
  readonly keysInFlight: KeysInFlight;
  /** Null where no proof is asked for. */
  readonly proofOfWork: ProofOfWork | null;
}

/**
 * Answers a call once.
 *
 * @throws Fault `idempotencyConflict` while the first call with the key is under way, `idempotencyKeyReused` when the
 * key stands for other content, `proofOfWorkInvalid` when a new submission comes without what it should have cost
 */
export async function answerOnce<Receipt extends object>(
  memory: Memory,
  call: Call,
  question: Question<Receipt>,
): Promise<Receipt> {
  reached("body-read");
  const { procedure, receivedAt } = question;
  const accept = async (idempotency: IdempotencyRecord | null) => {
    const challenge = (await memory.proofOfWork?.check(call.solution, receivedAt)) ?? null;
    return question.accept({ idempotency, challenge });
  };
  if (call.idempotencyKey === null) return onlyReceipt(await accept(null));
  const keyHash = createHash("sha256").update(call.idempotencyKey).digest("hex");
  using held = memory.keysInFlight.hold(`${procedure} ${keyHash}`);
  if (held === null) throw new Fault("idempotencyConflict", { retryAfterSeconds: 1 });

  const record = { procedure, keyHash, fingerprint: fingerprint(question.input), createdAt: receivedAt };
  const replayed = async (): Promise<Receipt | undefined> => {
    const earlier = await memory.store.findIdempotency(procedure, keyHash, receivedAt - idempotencyMs);
    if (earlier === null) return undefined;
    if (earlier.fingerprint !== record.fingerprint) throw new Fault("idempotencyKeyReused");
    call.replayed();
    return question.replay(earlier);
  };
  const known = await replayed();
  if (known !== undefined) return known;
  const receipt = await accept(record);
  if (receipt !== "repeated") return onlyReceipt(receipt);
  // Another process took the key between the look and the commit; what it stored is there now.
  return onlyReceipt((await replayed()) ?? "repeated");
}

/** Whether there is no receipt, because nothing was stored. */
export const isUsed = (receipt: object | Used): receipt is Used => typeof receipt === "string";

function onlyReceipt<Receipt extends object>(receipt: Receipt | Used): Receipt {
  if (receipt === "challenge-spent") throw proofRefused("spent");
  if (isUsed(receipt)) throw new Error("A key was taken and cannot be found.");
  reached("before-answer");
  return receipt;
}
