// Idempotency: the same key with the same content is one submission with one answer, however often it is sent and
// wherever the connection broke. A key is taken in the transaction that stores the submission, so a refused request
// uses up nothing and a crash between commit and answer loses nothing.
import { createHash } from "node:crypto";
import { reached } from "../failpoint.ts";
import { Fault } from "../fault.ts";
import type { EarlierSubmission, IdempotencyRecord } from "../storage/records.ts";
import { idempotencyMs, type Store } from "../storage/store.ts";
import type { Call } from "./call.ts";
import { fingerprint } from "./fingerprint.ts";
import type { KeysInFlight } from "./keys-in-flight.ts";

interface Question<Receipt> {
  /** `marketplace.inquiry`; keys are kept apart by it and shared by both doors. */
  readonly procedure: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly receivedAt: number;
  /** The receipt of an earlier call with this key. */
  replay(earlier: EarlierSubmission): Receipt;
  /** Stores the submission and its key together; `repeated` when the store had taken the key before. */
  accept(idempotency: IdempotencyRecord | null): Promise<Receipt | "repeated">;
}

/** What storing a submission needs beside its input. */
export interface Circumstances {
  readonly call: Call;
  readonly receivedAt: number;
  readonly idempotency: IdempotencyRecord | null;
}

interface Memory {
  readonly store: Pick<Store, "findIdempotency">;
  readonly keysInFlight: KeysInFlight;
}

/**
 * Answers a call once.
 *
 * @throws Fault `idempotencyConflict` while the first call with the key is under way, `idempotencyKeyReused` when the
 * key stands for other content
 */
export async function answerOnce<Receipt>(memory: Memory, call: Call, question: Question<Receipt>): Promise<Receipt> {
  reached("body-read");
  if (call.idempotencyKey === null) return onlyReceipt(await question.accept(null));
  const { procedure, receivedAt } = question;
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
  const receipt = await question.accept(record);
  if (receipt !== "repeated") return onlyReceipt(receipt);
  // Another process took the key between the look and the commit; what it stored is there now.
  return onlyReceipt((await replayed()) ?? "repeated");
}

function onlyReceipt<Receipt>(receipt: Receipt | "repeated"): Receipt {
  if (receipt === "repeated") throw new Error("A key was taken and cannot be found.");
  reached("before-answer");
  return receipt;
}
