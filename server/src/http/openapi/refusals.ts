// The refusals of the OpenAPI document: which faults of the table an operation can answer with, under which status, with
// which headers and with which example body. Says nothing that the table does not say.
import { altchaField } from "@submissions/shared/altcha";
import { faults, type FaultBody, type FaultCode, type FaultName, type Issue } from "@submissions/shared/faults";
import { resumeField } from "@submissions/shared/application";
import type { Answer, Example, Header, Schema } from "./document-types.ts";

/** The request id of every example. */
const exampleRequestId = "5e0f3a52-94c1-4f0e-8b0d-3f4c9c1d7a26";

/** The headers that answers name, for the document's components. */
export const answerHeaders: Readonly<Record<string, Header>> = {
  RequestId: {
    description: "Names this request in the log of the service. Quote it when asking for help.",
    required: true,
    schema: { type: "string", examples: [exampleRequestId] },
  },
  RetryAfter: {
    description: "When to try again, in seconds.",
    schema: { type: "integer", minimum: 0, examples: [5] },
  },
  RateLimitLimit: {
    description: "How many submissions of a client are taken in a window.",
    schema: { type: "integer", minimum: 1, examples: [60] },
  },
  RateLimitRemaining: {
    description: "How many are left in this window.",
    schema: { type: "integer", minimum: 0, examples: [59] },
  },
  RateLimitReset: {
    description: "When the window ends, in seconds.",
    schema: { type: "integer", minimum: 1, examples: [60] },
  },
};

const requestId: Header = { $ref: "#/components/headers/RequestId" };
const retryAfter: Header = { $ref: "#/components/headers/RetryAfter" };

/** How much of the limit is left. */
export const rateLimitHeaders: Readonly<Record<string, Header>> = {
  "ratelimit-limit": { $ref: "#/components/headers/RateLimitLimit" },
  "ratelimit-remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "ratelimit-reset": { $ref: "#/components/headers/RateLimitReset" },
};

/** The headers of an answer that is no refusal. */
export const everyAnswersHeaders = { "x-request-id": requestId };

/** The body of every refusal, for the document's components. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: {
    type: "object",
    description: "The body of every refusal.",
    properties: {
      message: { type: "string", description: "Safe to show to the person.", examples: [faults.fieldsInvalid.message] },
      code: {
        type: "string",
        description: "What kind of refusal it is, for programs.",
        enum: [...new Set(Object.values(faults).map(({ code }): FaultCode => code))],
      },
      requestId: {
        type: "string",
        description: "Names this request in the log of the service. Quote it when asking for help.",
        examples: [exampleRequestId],
      },
      issues: {
        type: "array",
        description: "Every problem of the fields, if it is the fields that are refused.",
        items: { $ref: "#/components/schemas/Issue" },
      },
    },
    required: ["message", "code", "requestId"],
    additionalProperties: false,
  },
  Issue: {
    type: "object",
    description: "One problem of a request.",
    properties: {
      path: {
        type: "array",
        description: "Where it is: the name of the field, and the position in a list, outermost first.",
        items: { anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
        examples: [["selectedPackageIds", 0]],
      },
      message: { type: "string", description: "What to do about it, for the person." },
    },
    required: ["path", "message"],
    additionalProperties: false,
  },
};

/** What must be known of an operation to say how it refuses. */
interface Refusing {
  readonly operationId: string;
  /** The media types of its body; none if it takes no body. */
  readonly contentTypes: readonly string[];
  /** The true issues of a body with mistakes. */
  readonly issues: readonly Issue[];
  /** Whether submissions need a proof of work. */
  readonly proofOfWork: boolean;
}

// Answered before there is an operation: no path was understood, or another door was knocked at.
const neverOfAnOperation: readonly FaultName[] = [
  "requestMalformed",
  "unauthorised",
  "notFound",
  "methodNotSupported",
  "batchTooLarge",
];
// Answered below the routes, to whatever was asked, on a connection that is then closed.
const ofTheConnection: readonly FaultName[] = ["requestTimedOut", "headersTooLarge"];
const ofMultipart: readonly FaultName[] = ["fieldTooLarge", "resumeTooLarge", "resumeKindUnsupported"];
const ofReferences: readonly FaultName[] = ["referencesExhausted"];
const withoutReference = ["subscribeToNewsletter"];

/** The faults that an operation can answer with. A fault new to the table is taken to concern every submission. */
function faultsOf({ operationId, contentTypes, proofOfWork }: Omit<Refusing, "issues">): FaultName[] {
  return (Object.keys(faults) as FaultName[]).filter((name) => {
    if (neverOfAnOperation.includes(name)) return false;
    if (contentTypes.length === 0) return ofTheConnection.includes(name);
    if (name === "proofOfWorkInvalid") return proofOfWork;
    if (ofMultipart.includes(name)) return contentTypes.includes("multipart/form-data");
    return !(ofReferences.includes(name) && withoutReference.includes(operationId));
  });
}

/** The refusals of an operation, by status. */
export function refusalsOf(operation: Refusing): Record<string, Answer> {
  const byStatus = Map.groupBy(faultsOf(operation), (name) => faults[name].status);
  const answers = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    answers.map(([status, names]) => [String(status), refusal(status, names, operation.issues)]),
  );
}

function refusal(status: number, names: readonly FaultName[], issues: readonly Issue[]): Answer {
  return {
    description: names.map((name) => faults[name].when).join(" Or: "),
    headers: headersOf(status),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(names.map((name) => [name, exampleOf(name, issues)])),
      },
    },
  };
}

const retryStatuses = [409, 429, 503];

function headersOf(status: number): Record<string, Header> {
  return {
    ...everyAnswersHeaders,
    ...(retryStatuses.includes(status) ? { "retry-after": retryAfter } : {}),
    ...(status === faults.rateLimited.status ? rateLimitHeaders : {}),
  };
}

/** The refusal as a caller sees it. */
function exampleOf(name: FaultName, issues: readonly Issue[]): Example {
  const { message, code, when } = faults[name];
  const shown = name === "fieldsInvalid" ? issues : issuesOf[name];
  const value: FaultBody = { message, code, requestId: exampleRequestId, ...(shown ? { issues: shown } : {}) };
  return { summary: message, description: when, value };
}

// As those word them who refuse.
const issuesOf: Partial<Record<FaultName, readonly Issue[]>> = {
  proofOfWorkInvalid: [{ path: [altchaField], message: "This solution was used before. Please get a new challenge." }],
  fieldTooLarge: [{ path: ["coverLetter"], message: "This field is too long." }],
  resumeTooLarge: [{ path: [resumeField], message: faults.resumeTooLarge.message }],
  resumeKindUnsupported: [{ path: [resumeField], message: "Only PDF, DOC or DOCX files are accepted." }],
};
