// The parts of the OpenAPI document that all operations share: headers, the Idempotency-Key and the body of refusals.
import { faults } from "@submissions/shared/faults";
import type { OpenApiDocument, Reference } from "./document-types.ts";

export const exampleRequestId = "5e0f3a52-94c1-4f0e-8b0d-3f4c9c1d7a26";

const aboutRequestId = "Names this request in the service's log. Quote it when you ask for help.";

export const refer = (kind: keyof OpenApiDocument["components"], name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

export const headers: OpenApiDocument["components"]["headers"] = {
  RequestId: {
    description: aboutRequestId,
    required: true,
    schema: { type: "string", examples: [exampleRequestId] },
  },
  IdempotencyReplayed: {
    description: "`true`: this is the answer to an earlier submission with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  RetryAfter: {
    description: "When to try again, in seconds.",
    schema: { type: "integer", minimum: 0, examples: [5] },
  },
  RateLimitLimit: {
    description: "How many submissions of one client are accepted in a window.",
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

export const everyAnswer = { "x-request-id": refer("headers", "RequestId") };

/** Where waiting helps. */
export const retryAfter = { "retry-after": refer("headers", "RetryAfter") };

export const rateLimit = {
  "ratelimit-limit": refer("headers", "RateLimitLimit"),
  "ratelimit-remaining": refer("headers", "RateLimitRemaining"),
  "ratelimit-reset": refer("headers", "RateLimitReset"),
};

/** The key has no example: readers of the document would send it with every try, and the second would be refused. */
export const parameters: OpenApiDocument["components"]["parameters"] = {
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

export const refusalSchemas: OpenApiDocument["components"]["schemas"] = {
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
    additionalProperties: false,
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
    additionalProperties: false,
  },
};
