// Builds the OpenAPI 3.1 document from the schemas and meta of the router, and adds what trpc-to-openapi cannot know.
import { resumeField } from "@submissions/shared/application-fields";
import {
  altchaChallengePath,
  altchaField,
  consentPageField,
  consentTextField,
} from "@submissions/shared/hidden-fields";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import { languageField } from "@submissions/shared/language";
import { furtherFieldsMax, textLengthMax } from "@submissions/shared/limits";
import { generateOpenApiDocument } from "trpc-to-openapi";
import { appRouter } from "../../rpc/router.ts";
import { type Answer, everyAnswer, headers, type OpenApiDocument, type Operation, parameters } from "./components.ts";
import { rateLimit, refer, refusalSchemas, refusalsOf, retryAfter, type Schema } from "./components.ts";
import { examples, type OperationExamples } from "./examples.ts";
import { eventSchemas, webhooks } from "./webhooks.ts";

export interface DocumentOptions {
  /** Where callers reach the service, without a slash at the end. */
  readonly publicUrl: string;
  readonly version: string;
  readonly proofOfWork: boolean;
}

const taken = submissionKinds.map((kind) => kindOf(kind).words.en.plural.toLowerCase());

const description = `Takes ${taken.join(", ")} and newsletter subscriptions.

A \`200\` means that the submission and its mails are on stable storage. Every refusal has one body, \`Refusal\`: a message that is safe to show, a code for programs, the id of the request, and under \`issues\` all problems of the fields at once. A refused request leaves nothing behind.

Texts are trimmed and brought to Unicode's composed form (NFC). Lengths count code points, not bytes. An optional field that is blank counts as absent.

Further fields of a submission are kept as texts with it: at most ${furtherFieldsMax}, with names of at most ${textLengthMax.furtherName} letters, digits and \`_-.[]\` that do not begin with \`_\`, and values of at most ${textLengthMax.furtherValue.toLocaleString("en")} characters, numbers and booleans. The \`message\` counts first. What exceeds that is left out and never refused. A subscription ignores them.

A form that shows a privacy notice may send the texts \`${consentTextField}\`, the version of the notice, and \`${consentPageField}\`, the address of the page, beside the fields of any submission. They are kept with it and never refused.

The text \`${languageField}\` beside them is the language of the mails to the person: \`en\` (the default), \`de\` or another one that the service has. It is never refused.

The same operations are offered as typed RPC (tRPC) under \`/trpc\`, with the same rules and the same messages.

This document describes what programs get. A browser that posts a form and prefers \`text/html\` to JSON gets pages from the same addresses.`;

const proofDescription = `

Every submission needs a proof of work (ALTCHA). Get a challenge from \`${altchaChallengePath}\`, solve it, and send the solution as the text \`${altchaField}\` beside the fields of the operation, as ALTCHA's widget does. A challenge is good for one submission.`;

const tags = [
  { name: "Submissions", description: "What visitors send." },
  { name: "Health", description: "What orchestrators and load balancers ask." },
  {
    name: "Webhooks",
    description: "What this service sends to addresses that administrators add (Standard Webhooks).",
  },
];

/** Builds the document. It reads the router's schemas and never changes them. */
export function buildOpenApiDocument({ publicUrl, version, proofOfWork }: DocumentOptions) {
  const info = {
    title: "Submissions",
    version,
    description: proofOfWork ? description + proofDescription : description,
    license: { name: "MIT", identifier: "MIT" },
  };
  // Without `securitySchemes` the library would invent a bearer scheme.
  const generated = generateOpenApiDocument(appRouter, { ...info, baseUrl: publicUrl, securitySchemes: {} });
  const { openapi, paths } = generated as unknown as OpenApiDocument;
  const schemas: Record<string, Schema> = {};
  const submissions: Record<string, Record<string, Operation>> = {};
  for (const [path, methods] of Object.entries(paths)) {
    const operations = Object.entries(methods).map(([method, raw]) => [method, complete(raw, schemas, proofOfWork)]);
    submissions[path] = Object.fromEntries(operations);
  }
  return {
    openapi,
    info,
    servers: [{ url: publicUrl, description: "This service" }],
    externalDocs: { url: `${publicUrl}/docs`, description: "This document, to read and to try" },
    security: [],
    tags,
    paths: { ...submissions, ...healthPaths },
    webhooks,
    components: { schemas: { ...schemas, ...refusalSchemas, ...eventSchemas }, headers, parameters },
  };
}

// The schemas move to the components, so that generated clients have names for them.
function complete(raw: Operation, schemas: Record<string, Schema>, proofOfWork: boolean): Operation {
  const { operationId } = raw;
  const shown = examples[operationId];
  const receipt = raw.responses[200]?.content["application/json"]?.schema;
  const content = raw.requestBody?.content ?? {};
  const type = multipart in content ? multipart : json;
  const body = content[type]?.schema;
  if (shown === undefined || receipt === undefined || body === undefined)
    throw new Error(`${operationId} lacks its body, its receipt or its examples.`);
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const reference = Object.keys(receipt.properties ?? {}).some((field) => field.endsWith("Id"));
  const request = withExamples(body, shown);
  const beside = { ...request.properties, ...besideFields, ...(reference && { message }) };
  schemas[`${name}Request`] = { ...request, properties: beside, ...(reference && furtherFields) };
  // Answers may get new fields (docs/upgrading.md), so no reader may refuse them.
  const { additionalProperties: _, ...open } = receipt;
  schemas[`${name}Receipt`] = open;
  const file = type === multipart;
  return {
    operationId,
    summary: raw.summary,
    description: file ? raw.description + otherBodies(shown) : raw.description,
    tags: ["Submissions"],
    security: [],
    parameters: [refer("parameters", "IdempotencyKey")],
    requestBody: {
      required: true,
      content: {
        [type]: {
          schema: refer("schemas", `${name}Request`),
          examples: {
            complete: { summary: "Every field", value: shown.complete },
            minimal: { summary: "Required fields only", value: shown.minimal },
          },
          ...(file && { encoding: { [resumeField]: { contentType: resumeTypes } } }),
        },
      },
    },
    responses: {
      200: {
        description: "Accepted, and committed to stable storage.",
        headers: { ...everyAnswer, "idempotency-replayed": refer("headers", "IdempotencyReplayed"), ...rateLimit },
        content: {
          [json]: {
            schema: refer("schemas", `${name}Receipt`),
            examples: { accepted: { summary: "Accepted", value: shown.receipt } },
          },
        },
      },
      ...refusalsOf({ submission: true, file, reference, proofOfWork, issues: shown.issues }),
    },
  };
}

const text = (words: string, maxLength: number, example: string): Schema => {
  return { type: "string", description: words, maxLength, examples: [example] };
};

/** What may stand beside the fields of any submission. What breaks a rule counts as absent, and is never refused. */
const besideFields: Readonly<Record<string, Schema>> = {
  [languageField]: text(
    "The language of the mails to the person: `en` (the default), `de` or another one that the service has.",
    35,
    "en",
  ),
  [consentTextField]: text("The version of the privacy notice that was shown.", textLengthMax.consentText, "2026-11"),
  [consentPageField]: text(
    "The address of the page that showed it.",
    textLengthMax.url,
    "https://www.example.org/contact",
  ),
};

const message = text(
  "What the person writes. A further field that the team is shown first.",
  textLengthMax.furtherValue,
  "We need 40 hours of telephone speech.",
);

const furtherFields = {
  additionalProperties: { description: "A further field: a text, or a number or boolean, which becomes its text." },
};

const json = "application/json";
const multipart = "multipart/form-data";
const resumeTypes =
  "application/pdf, application/msword, application/vnd.openxmlformats-officedocument.wordprocessingml.document";

// Told in words only: a client generated from several media types sends the first, or JSON, and loses the file.
const otherBodies = ({ minimal }: OperationExamples): string => `

Without a resume the same fields may also be sent as \`application/json\`:

\`\`\`json
${JSON.stringify(minimal, null, 2)}
\`\`\`

or as \`application/x-www-form-urlencoded\`:

\`\`\`
${new URLSearchParams(minimal as Record<string, string>).toString()}
\`\`\``;

// zod writes no examples for optional fields, and its own words for files.
function withExamples(schema: Schema, { complete: values }: OperationExamples): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    name === resumeField
      ? { type: "string", format: "binary", description: property.description }
      : { examples: [values[name]], ...property },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

const vault: Schema = {
  type: "string",
  description: "Whether resumes can be kept. Otherwise uploads alone are refused.",
  enum: ["ready", "unavailable"],
};

// The health paths are plain routes, so nothing generates them.
const healthPaths: OpenApiDocument["paths"] = {
  "/healthz": {
    get: health("isAlive", "Is the process alive?", "Answers as long as the process runs. Looks at nothing else.", {
      200: status("The process is alive.", ["ok"]),
    }),
  },
  "/readyz": {
    get: health("isReady", "Are submissions accepted?", "Asks the database and the resume store. For load balancers.", {
      200: status("Submissions are accepted; those with a resume only where the vault is ready.", ["ready"], { vault }),
      503: status(
        "Submissions are not accepted: the database is unusable, or the process is shutting down.",
        ["unavailable", "draining"],
        { failed: { type: "array", description: "What is unusable.", items: { type: "string" } }, vault },
      ),
    }),
  },
};

function health(operationId: string, summary: string, words: string, answers: Record<string, Answer>): Operation {
  const refusals = refusalsOf({ submission: false, file: false, reference: false, proofOfWork: false, issues: [] });
  const responses = { ...refusals, ...answers };
  return { operationId, summary, description: words, tags: ["Health"], security: [], responses };
}

function status(words: string, values: readonly string[], more: Readonly<Record<string, Schema>> = {}): Answer {
  const properties = { status: { type: "string", enum: values }, ...more };
  return {
    description: words,
    headers: { ...everyAnswer, ...(values.includes("draining") && retryAfter) },
    content: {
      [json]: {
        schema: { type: "object", required: ["status"], properties },
        examples: Object.fromEntries(values.map((value) => [value, { value: { status: value } }])),
      },
    },
  };
}
