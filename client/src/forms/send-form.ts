// Sends what was filled in, again and again within reason, and knows how far it has come. The key makes sure that it
// arrives once. It works with the SDK's parts and not with the SDK: a form that a person fills in needs no typed calls.
import { altchaField } from "@submissions/shared/altcha";
import { packageIdsOf, type FormName } from "@submissions/shared/forms/form-fields";
import { applicationForm } from "../sdk/application-form.ts";
import { repeat, systemTempo, type RetryPolicy } from "../sdk/retry.ts";
import { SubmissionError } from "../sdk/submission-error.ts";
import { keyHeader, send } from "../sdk/transport.ts";
import { byMeasuredUpload } from "../sdk/upload-progress.ts";

/** What the service answers to a submission that it took. */
export interface ReceiptDetail {
  /** Safe to show to the person. */
  readonly message: string;
  readonly inquiryId?: string;
  readonly applicationId?: string;
  readonly confirmationEmailSent?: boolean;
}

interface Sending {
  readonly endpoint: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** The solution of a challenge, where the service asks for one. */
  readonly proof: string | undefined;
  /** Told how much of a resume is on its way, in percent. */
  readonly onProgress: (percent: number) => void;
}

const procedures: Readonly<Record<FormName, string>> = {
  inquiry: "marketplace.inquiry",
  newsletter: "newsletter.subscribe",
  application: "applications.submit",
};

// A person is waiting, and can press the button again.
const patience: RetryPolicy = { tries: 3, firstWaitMs: 500, longestWaitMs: 4_000, giveUpAfterMs: 15_000 };

/** Rejects with a SubmissionError, or with the reason of the signal. */
export function sendForm(form: FormName, values: FormData, sending: Sending): Promise<ReceiptDetail> {
  const { endpoint, key, signal, proof, onProgress } = sending;
  const body = bodyOf(form, values, proof);
  // For texts too, which are on their way at once: one way of sending is less to load than two.
  const exchange = byMeasuredUpload(({ loaded, total }) => onProgress(total > 0 ? (100 * loaded) / total : 0));
  const outgoing = {
    url: `${endpoint}/trpc/${procedures[form]}`,
    headers: { [keyHeader]: key, ...(typeof body === "string" && { "content-type": "application/json" }) },
    body,
    signal,
  };
  const once = () => send(exchange, outgoing) as Promise<ReceiptDetail>;
  if (navigator.onLine) return repeat(once, patience, systemTempo, signal);
  // Browsers may be wrong about being offline, so it is tried; but not for long.
  return once().catch((error: unknown) => {
    if (!(error instanceof SubmissionError && error.code === "NETWORK")) throw error;
    const { code, message, cause } = error;
    throw new SubmissionError({ code, message, cause, idempotencyKey: key, mayHaveArrived: false });
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
