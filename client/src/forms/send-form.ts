// Sends what was filled in, with a proof of work where the service asks for one, again and again within reason. The key
// makes sure that it arrives once. It works with the SDK's parts and not with the SDK: a form that a person fills in needs
// no typed calls.
import { altchaField } from "@submissions/shared/altcha";
import { packageIdsOf, type FormName } from "@submissions/shared/forms/form-fields";
import { applicationForm } from "../sdk/application-form.ts";
import { repeat, systemTempo, type RetryPolicy } from "../sdk/retry.ts";
import { SubmissionError } from "../sdk/submission-error.ts";
import { keyHeader, send } from "../sdk/transport.ts";
import { byMeasuredUpload } from "../sdk/upload-progress.ts";
import { forgetConfig, formConfig } from "./form-config.ts";
import { proveWork } from "./prove-work.ts";

/** What the service answers to a submission that it took. */
export interface ReceiptDetail {
  /** Safe to show to the person. */
  readonly message: string;
  readonly inquiryId?: string;
  readonly applicationId?: string;
  readonly confirmationEmailSent?: boolean;
}

/** Where a form is sent, and who is told how it goes. */
export interface Sending {
  readonly endpoint: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** A challenge is being solved, or has been. */
  readonly onProof: (solving: boolean) => void;
  /** How much is on its way, in percent. */
  readonly onProgress: (percent: number) => void;
}

const procedures: Readonly<Record<FormName, string>> = {
  inquiry: "marketplace.inquiry",
  newsletter: "newsletter.subscribe",
  application: "applications.submit",
};

// A person is waiting, and can press the button again.
const patience: RetryPolicy = { tries: 3, firstWaitMs: 500, longestWaitMs: 4_000, giveUpAfterMs: 15_000 };

/** The service takes a minute at most to receive a form, and answers within seconds. After that nobody is there. */
const tryMsMax = 90_000;

/** Sends a form. Rejects with a SubmissionError, or with the reason of the signal. */
export async function sendForm(form: FormName, values: FormData, sending: Sending): Promise<ReceiptDetail> {
  const { endpoint, signal, onProof } = sending;
  const withProof = async () => {
    onProof(true);
    const proof = await proveWork(endpoint, signal);
    onProof(false);
    return deliver(form, values, sending, proof);
  };
  // Without an answer it is sent as it is: the service says itself what it wants.
  const config = await formConfig(endpoint).catch(() => null);
  if (config?.proofOfWork) return withProof();
  return deliver(form, values, sending).catch((error: unknown) => {
    if (!(error instanceof SubmissionError && error.issue(altchaField))) throw error;
    // It has asked for proofs only since.
    forgetConfig(endpoint);
    return withProof();
  });
}

function deliver(form: FormName, values: FormData, sending: Sending, proof?: string): Promise<ReceiptDetail> {
  const { endpoint, key, signal, onProgress } = sending;
  const body = bodyOf(form, values, proof);
  // For texts too, which are on their way at once: one way of sending is less to load than two.
  const exchange = byMeasuredUpload(({ loaded, total }) => onProgress(total > 0 ? (100 * loaded) / total : 0));
  const outgoing = {
    url: `${endpoint}/trpc/${procedures[form]}`,
    headers: { [keyHeader]: key, ...(typeof body === "string" && { "content-type": "application/json" }) },
    body,
  };
  const noAnswer = (error: unknown, mayHaveArrived: boolean) =>
    new SubmissionError({ code: "NETWORK", message: "No answer.", cause: error, idempotencyKey: key, mayHaveArrived });
  const once = async () => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), tryMsMax);
    try {
      const limited = AbortSignal.any([signal, limit.signal]);
      return (await send(exchange, { ...outgoing, signal: limited })) as ReceiptDetail;
    } catch (error) {
      if (limit.signal.aborted && !signal.aborted) throw noAnswer(error, true);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  if (navigator.onLine) return repeat(once, patience, systemTempo, signal);
  // Browsers may be wrong about being offline, so it is tried; but not for long.
  return once().catch((error: unknown) => {
    throw error instanceof SubmissionError && error.code === "NETWORK" ? noAnswer(error, false) : error;
  });
}

function bodyOf(form: FormName, values: FormData, proof: string | undefined): FormData | string {
  const whole = applicationForm(values);
  if (proof !== undefined) whole.set(altchaField, proof);
  if (form === "application") return whole;
  const fields: Record<string, unknown> = Object.fromEntries(whole);
  if (form === "inquiry") fields["selectedPackageIds"] = packageIdsOf(whole.getAll("selectedPackageIds").map(String));
  return JSON.stringify(fields);
}
