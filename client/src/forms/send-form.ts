// Sends a form: solves a challenge where the service asks for one, repeats quietly, and waits while there is no
// connection. The key makes it one submission. It uses the SDK's parts and not the SDK, because a form needs no typed
// calls.
import { fieldOfKind } from "@submissions/shared/field-table";
import { forms, packageIdsOf, type FormName } from "@submissions/shared/forms/form-fields";
import { altchaField, altchaChallengePath } from "@submissions/shared/hidden-fields";
import type { IdName } from "@submissions/shared/kinds";
import { applicationForm } from "../sdk/application-form.ts";
import { repeat, systemClock, type RetryPolicy } from "../sdk/retry.ts";
import { SubmissionError } from "../sdk/submission-error.ts";
import { keyHeader, post } from "../sdk/transport.ts";
import { measuredUpload } from "../sdk/upload-progress.ts";
import { forgetConfig, formConfig } from "./form-config.ts";

/** The receipt of an accepted submission. Its reference has the name that the kind gives it. */
export interface ReceiptDetail extends Readonly<Partial<Record<IdName, string>>> {
  /** Safe to show to the person. */
  readonly message: string;
  readonly confirmationEmailSent?: boolean;
}

/** What a form is waiting for. */
export type Stage = "sending" | "checking" | "offline";

/** Where a form is sent, and what is called on the way. */
export interface Sending {
  readonly endpoint: string;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly onStage: (stage: Stage) => void;
  /** How much is uploaded, in percent. */
  readonly onProgress: (percent: number) => void;
}

/** A person waits 15 s without being asked to do anything. */
const patience: RetryPolicy = { tries: 20, firstWaitMs: 500, longestWaitMs: 3_000, giveUpAfterMs: 15_000 };

/**
 * Longest time in which nothing moves. A whole upload may take longer. The service answers within seconds, but the last bytes
 * may be on a slow line long after the browser has handed them over.
 */
const stillMsMax = 90_000;

/** The browser has no connection: trying again at once is useless. */
class Offline extends Error {}

/**
 * Sends a form.
 *
 * @throws SubmissionError, or the reason of the signal
 */
export async function sendForm(form: FormName, values: FormData, sending: Sending): Promise<ReceiptDetail> {
  const { endpoint, signal, onStage } = sending;
  let asksForProof = (await formConfig(endpoint).catch(() => null))?.proofOfWork ?? false;
  let proof: string | undefined;
  let renewed = false;
  const once = async (): Promise<ReceiptDetail> => {
    if (asksForProof && proof === undefined) {
      onStage("checking");
      proof = await proveWork(endpoint, signal);
    }
    onStage("sending");
    return deliver(form, values, sending, proof);
  };
  const tried = async (): Promise<ReceiptDetail> => {
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof SubmissionError)) throw error;
      if (error.code === "NETWORK" && !navigator.onLine) throw new Offline();
      // The service asks for proofs since the page was loaded; or this one has expired or was used, or the service has
      // another key now. A second refusal is final.
      if (!error.issue(altchaField) || renewed) throw error;
      renewed = true;
      asksForProof = true;
      proof = undefined;
      forgetConfig(endpoint);
      return once();
    }
  };
  for (;;) {
    try {
      return await repeat(tried, patience, systemClock, signal);
    } catch (error) {
      if (!(error instanceof Offline)) throw error;
      onStage("offline");
      await connection(signal);
    }
  }
}

/** Resolves when the browser is connected. Rejects with the reason of the signal. */
const connection = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (navigator.onLine) resolve();
    window.addEventListener("online", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** One try. */
async function deliver(
  form: FormName,
  values: FormData,
  { endpoint, key, signal, onProgress }: Sending,
  proof: string | undefined,
): Promise<ReceiptDetail> {
  const body = bodyOf(form, values, proof);
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const bytesMoved = () => {
    clearTimeout(timer);
    timer = setTimeout(() => limit.abort(), stillMsMax);
  };
  // For texts too: one way of sending is less to load than two.
  const upload = measuredUpload(({ loaded, total }) => {
    bytesMoved();
    onProgress(total > 0 ? (100 * loaded) / total : 0);
  });
  bytesMoved();
  try {
    const init = {
      headers: { [keyHeader]: key, ...(typeof body === "string" && { "content-type": "application/json" }) },
      body,
      signal: AbortSignal.any([signal, limit.signal]),
    };
    const { result } = await post(upload, `${endpoint}/trpc/${forms[form].procedure}`, init);
    return result.data as ReceiptDetail;
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    throw new SubmissionError({ code: "NETWORK", message: "No answer.", idempotencyKey: key, mayHaveArrived: true });
  } finally {
    clearTimeout(timer);
  }
}

function bodyOf(form: FormName, values: FormData, proof: string | undefined): FormData | string {
  const whole = applicationForm(values);
  if (proof !== undefined) whole.set(altchaField, proof);
  const { fields } = forms[form];
  if (fieldOfKind(fields, "file")) return whole;
  const sent: Record<string, unknown> = Object.fromEntries(whole);
  const packages = fieldOfKind(fields, "packages");
  if (packages) sent[packages] = packageIdsOf(whole.getAll(packages).map(String));
  return JSON.stringify(sent);
}

/**
 * A fresh solution, for one submission.
 *
 * @throws SubmissionError when there is no challenge, or the reason of the signal
 */
async function proveWork(endpoint: string, signal: AbortSignal): Promise<string> {
  const challenge = await freshChallenge(endpoint + altchaChallengePath, signal);
  const { solveChallenge } = await import("./solve-challenge.ts");
  return solveChallenge(challenge, signal);
}

async function freshChallenge(url: string, signal: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
  // No answer, not the whole of it in time, or one that the browser hides.
  const failed = (cause: unknown): never => {
    signal.throwIfAborted();
    throw notSent({ code: "NETWORK", cause });
  };
  const response = await fetch(url, { signal: limit }).catch(failed);
  if (!response.ok)
    throw notSent({
      code: "UNEXPECTED_RESPONSE",
      status: response.status,
      retryAfterSeconds: Number(response.headers.get("retry-after")) || undefined,
    });
  return response.json().catch(failed);
}

const notSent = (facts: Omit<ConstructorParameters<typeof SubmissionError>[0], "message">) =>
  new SubmissionError({ ...facts, message: "There is no challenge.", mayHaveArrived: false });
