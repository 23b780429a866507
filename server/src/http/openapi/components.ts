// Types and shared parts of the OpenAPI document, and which faults of the table each operation can answer with.
import { resumeField } from "@submissions/shared/application-fields";
import { faults, type FaultBody, type FaultName, type Issue } from "@submissions/shared/faults";
import { altchaField } from "@submissions/shared/hidden-fields";

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly [keyword: string]: unknown;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, Example>>;
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

type Content = Readonly<Record<string, MediaType>>;

export type Reference = { readonly $ref: string };

export interface Answer {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly [];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const exampleRequestId = "5e0f3a52-94c1-4f0e-8b0d-3f4c9c1d7a26";

const aboutRequestId = "Names this request in the service's log. Quote it when you ask for help.";

export const refer = (kind: "schemas" | "headers" | "parameters", name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

const number = (description: string, minimum: number, example: number) => ({
  description,
  schema: { type: "integer", minimum, examples: [example] },
});

export const headers = {
  RequestId: {
    description: aboutRequestId,
    required: true,
    schema: { type: "string", examples: [exampleRequestId] },
  },
  IdempotencyReplayed: {
    description: "`true`: this is the answer to an earlier submission with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  Accept: {
    description: "The media types that are accepted here.",
    schema: { type: "string", examples: ["application/json"] },
  },
  RetryAfter: number("When to try again, in seconds.", 0, 5),
  RateLimitLimit: number("How many submissions of one client are accepted in a window.", 1, 60),
  RateLimitRemaining: number("How many are left in this window.", 0, 59),
  RateLimitReset: number("When the window ends, in seconds.", 1, 60),
};

export const everyAnswer = { "x-request-id": refer("headers", "RequestId") };

export const retryAfter = { "retry-after": refer("headers", "RetryAfter") };

export const rateLimit = {
  "ratelimit-limit": refer("headers", "RateLimitLimit"),
  "ratelimit-remaining": refer("headers", "RateLimitRemaining"),
  "ratelimit-reset": refer("headers", "RateLimitReset"),
};

/** The key has no example: readers of the document would send it with every try, and the second would be refused. */
export const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "A text of your choice that names this submission, for example a UUID. " +
      "For 24 hours a repeated submission with the same key and content gets the same answer and is stored once.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
  },
};

export const refusalSchemas: Readonly<Record<string, Schema>> = {
  Refusal: {
    type: "object",
    description: "The body of every refusal.",
    properties: {
      message: { type: "string", description: "Safe to show to the person.", examples: [faults.fieldsInvalid.message] },
      code: {
        type: "string",
        description: "The kind of refusal, for programs.",
        enum: [...new Set(Object.values(faults).map(({ code }) => code))],
      },
      requestId: { type: "string", description: aboutRequestId, examples: [exampleRequestId] },
      issues: {
        type: "array",
        description: "Every problem of the fields, if the fields are refused.",
        items: refer("schemas", "Issue"),
      },
    },
    required: ["message", "code", "requestId"],
  },
  Issue: {
    type: "object",
    description: "One problem of a request.",
    properties: {
      path: {
        type: "array",
        description: "Where it is: the name of the field, then the position in a list.",
        items: { anyOf: [{ type: "string" }, { type: "integer", minimum: 0 }] },
        examples: [["selectedPackageIds", 0]],
      },
      message: { type: "string", description: "What to do about it, for the person." },
    },
    required: ["path", "message"],
  },
};

interface Refusing {
  readonly submission: boolean;
  readonly file: boolean;
  readonly reference: boolean;
  readonly proofOfWork: boolean;
  readonly issues: readonly Issue[];
}

const always = () => true;
const submitting = ({ submission }: Refusing) => submission;

/** Which operations meet a fault. What does not stand here is of the console, another door, or before any operation. */
const meets = {
  fieldsInvalid: submitting,
  bodyNotObject: submitting,
  namesTooMany: submitting,
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
  return byStatus(names, (status, ofStatus) => refusal(status, ofStatus, operation));
}

/** The answers of faults by their status, several of one status in one. */
export const byStatus = <Name extends FaultName, One>(
  names: readonly Name[],
  answer: (status: number, names: readonly Name[]) => One,
): Record<string, One> => {
  const groups = Map.groupBy(names, (name) => faults[name].status);
  return Object.fromEntries(Array.from(groups, ([status, same]) => [String(status), answer(status, same)]));
};

const refusal = (status: number, names: readonly Met[], { submission, issues }: Refusing): Answer => ({
  description: names.map((name) => faults[name].when).join(" Or: "),
  headers: {
    ...everyAnswer,
    ...([409, 429, 503].includes(status) && retryAfter),
    ...(status === 415 && { accept: refer("headers", "Accept") }),
    // Headers that are too large are refused before anything is counted.
    ...(submission && status !== 431 && rateLimit),
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
