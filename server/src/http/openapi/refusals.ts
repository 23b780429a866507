// The refusals of each operation in the OpenAPI document: which faults of the table it can answer with, and how.
import { resumeField } from "@submissions/shared/application-fields";
import { faults, type FaultBody, type FaultName, type Issue } from "@submissions/shared/faults";
import { altchaField } from "@submissions/shared/hidden-fields";
import {
  type Answer,
  everyAnswer,
  type Example,
  exampleRequestId,
  rateLimit,
  refer,
  retryAfter,
} from "./components.ts";

/** What must be known of an operation to say how it refuses: whether it takes a submission, whether it takes a resume, … */
interface Refusing {
  readonly submission: boolean;
  readonly file: boolean;
  readonly reference: boolean;
  readonly proofOfWork: boolean;
  /** The true issues of a body with mistakes. */
  readonly issues: readonly Issue[];
}

const always = () => true;
const submitting = ({ submission }: Refusing) => submission;

/** Which operations meet a fault. What does not stand here is of the console, another door, or before any operation. */
const meets = {
  fieldsInvalid: submitting,
  bodyNotObject: submitting,
  proofOfWorkInvalid: ({ proofOfWork }) => proofOfWork,
  idempotencyKeyInvalid: submitting,
  bodyMalformed: submitting,
  boundaryMissing: submitting,
  bodyEmpty: submitting,
  crossSiteForbidden: submitting,
  requestTimedOut: always,
  idempotencyConflict: submitting,
  bodyTooLarge: submitting,
  fieldTooLarge: ({ file }) => file,
  resumeTooLarge: ({ file }) => file,
  contentTypeUnsupported: submitting,
  resumeKindUnsupported: ({ file }) => file,
  idempotencyKeyReused: submitting,
  rateLimited: submitting,
  headersTooLarge: always,
  internal: submitting,
  storageUnavailable: submitting,
  referencesExhausted: ({ reference }) => reference,
  draining: submitting,
  overloaded: submitting,
} satisfies Partial<Record<FaultName, (operation: Refusing) => boolean>>;

type Met = keyof typeof meets;

export function refusalsOf(operation: Refusing): Record<string, Answer> {
  const names = (Object.keys(meets) as Met[]).filter((name) => meets[name](operation));
  const byStatus = Map.groupBy(names, (name) => faults[name].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, ofStatus]) => [String(status), refusal(status, ofStatus, operation.issues)]),
  );
}

const refusal = (status: number, names: readonly Met[], issues: readonly Issue[]): Answer => ({
  description: names.map((name) => faults[name].when).join(" Or: "),
  headers: {
    ...everyAnswer,
    ...([409, 429, 503].includes(status) && retryAfter),
    ...(status === 429 && rateLimit),
  },
  content: {
    "application/json": {
      schema: refer("schemas", "Refusal"),
      examples: Object.fromEntries(names.map((name) => [name, exampleOf(name, issues)])),
    },
  },
});

function exampleOf(name: FaultName, ofFields: readonly Issue[]): Example {
  const { message, code } = faults[name];
  const issues = name === "fieldsInvalid" ? ofFields : otherIssues[name];
  const value: FaultBody = { message, code, requestId: exampleRequestId, ...(issues && { issues }) };
  return { summary: message, value };
}

// In the words of the code that refuses.
const otherIssues: Partial<Record<FaultName, readonly Issue[]>> = {
  proofOfWorkInvalid: [{ path: [altchaField], message: "This solution was used before. Please get a new challenge." }],
  fieldTooLarge: [{ path: ["coverLetter"], message: "This field is too long." }],
  resumeTooLarge: [{ path: [resumeField], message: faults.resumeTooLarge.message }],
  resumeKindUnsupported: [{ path: [resumeField], message: "Only PDF, DOC or DOCX files are accepted." }],
};
