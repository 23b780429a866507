// The health paths in the OpenAPI document: they are plain routes, not procedures, so nothing generates them.
import { everyAnswersHeaders, refusalsOf } from "./refusals.ts";
import type { Answer, OpenApiDocument, Operation, Schema } from "./document-types.ts";

const statusOf = (...values: readonly string[]): Schema =>
  values.length === 1 ? { type: "string", const: values[0] } : { type: "string", enum: values };

function answer(description: string, schema: Schema, examples: Readonly<Record<string, unknown>>): Answer {
  return {
    description,
    headers: everyAnswersHeaders,
    content: {
      "application/json": {
        schema: { type: "object", required: ["status"], additionalProperties: false, ...schema },
        examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
      },
    },
  };
}

function get(operationId: string, words: readonly [string, string], answers: Record<string, Answer>): Operation {
  const [summary, description] = words;
  const refusals = refusalsOf({ operationId, contentTypes: [], issues: [], proofOfWork: false });
  return {
    operationId,
    summary,
    description,
    tags: ["Health"],
    security: [],
    responses: { ...answers, ...refusals },
  };
}

const alive = answer("The process is alive.", { properties: { status: statusOf("ok") } }, { alive: { status: "ok" } });

const ready = answer(
  "Submissions are taken.",
  { properties: { status: statusOf("ready") } },
  { ready: { status: "ready" } },
);

const notReady: Answer = {
  ...answer(
    "Submissions are not taken: something they need is unusable, or the process is shutting down.",
    {
      properties: {
        status: statusOf("unavailable", "draining"),
        failed: { type: "array", description: "What is unusable.", items: { type: "string" } },
      },
    },
    { unavailable: { status: "unavailable", failed: ["store"] }, draining: { status: "draining" } },
  ),
  headers: { ...everyAnswersHeaders, "retry-after": { $ref: "#/components/headers/RetryAfter" } },
};

/** The health paths. */
export const healthPaths: OpenApiDocument["paths"] = {
  "/healthz": {
    get: get("isAlive", ["Is the process alive?", "Answers as long as the process runs; looks at nothing else."], {
      200: alive,
    }),
  },
  "/readyz": {
    get: get("isReady", ["Are submissions taken?", "Asks the database and the store of resumes. For load balancers."], {
      200: ready,
      503: notReady,
    }),
  },
};
