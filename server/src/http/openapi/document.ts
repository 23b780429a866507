// Builds the OpenAPI 3.1 document: trpc-to-openapi turns the router's schemas and meta into operations, and what it cannot
// know (the true refusals, headers, examples, files) is put in here. Knows nothing of serving it.
import { altchaChallengePath, altchaField } from "@submissions/shared/altcha";
import { resumeField } from "@submissions/shared/application";
import { bytesMax } from "@submissions/shared/limits";
import { generateOpenApiDocument } from "trpc-to-openapi";
import { appRouter } from "../../rpc/router.ts";
import { answerHeaders, errorSchemas, everyAnswersHeaders, rateLimitHeaders, refusalsOf } from "./refusals.ts";
import { examplesOf, multipartExamples, type OperationExamples } from "./examples.ts";
import { healthPaths } from "./health-paths.ts";
import type { Answer, MediaType, OpenApiDocument, Operation, Schema } from "./document-types.ts";

export interface DocumentOptions {
  /** Where callers reach the service, without a slash at the end. */
  readonly publicUrl: string;
  /** The version of the service. */
  readonly version: string;
  /** Whether submissions need a proof of work; not, if left out. */
  readonly proofOfWork?: boolean;
}

const description = `Takes inquiries about dataset packages, newsletter subscriptions and job applications.

A \`200\` means that the submission and its mails are on stable storage. Every refusal has one body, \`Error\`: a message that is safe to show, a code for programs, the id of the request, and under \`issues\` all problems of the fields at once. A refused request leaves nothing behind.

Texts are trimmed and brought to Unicode's composed form (NFC); lengths count code points, not bytes. An optional field that is blank counts as absent. Fields that are not documented are ignored.

The same operations are offered as typed RPC (tRPC) under \`/trpc\`, with the same rules and the same words.

This is what programs get. A browser that posts a form, and would rather read \`text/html\` than JSON, is answered with pages by the same addresses.`;

const proofDescription = `

Every submission needs a proof of work (ALTCHA): get a challenge from \`${altchaChallengePath}\`, solve it, and send the solution as the text \`${altchaField}\` beside the fields of the operation, as ALTCHA's widget does. A challenge is good for one submission.`;

const tags = [
  { name: "Submissions", description: "What visitors send." },
  { name: "Health", description: "What orchestrators and load balancers ask." },
];

/** Builds the document. The schemas of the router are read, never changed. */
export function buildOpenApiDocument({ publicUrl, version, proofOfWork = false }: DocumentOptions): OpenApiDocument {
  const words = proofOfWork ? description + proofDescription : description;
  const info = { title: "Submissions", version, description: words, license: { name: "MIT", identifier: "MIT" } };
  const generated = generateOpenApiDocument(appRouter, {
    ...info,
    baseUrl: publicUrl,
    // Left out, a bearer scheme would be made up.
    securitySchemes: {},
  }) as unknown as Pick<OpenApiDocument, "openapi" | "paths">;
  const schemas: Record<string, Schema> = {};
  const paths = Object.entries(generated.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, raw]) => [method, complete(raw, schemas, proofOfWork)])),
  ]);
  return {
    openapi: generated.openapi,
    info,
    servers: [{ url: publicUrl, description: "This service" }],
    externalDocs: { url: `${publicUrl}/docs`, description: "This document, for reading" },
    security: [],
    tags,
    paths: { ...Object.fromEntries(paths), ...healthPaths },
    components: { schemas: { ...schemas, ...errorSchemas }, headers: answerHeaders },
  };
}

// The generated operation with everything of ours. Its schemas move to the components, so that generated clients have
// names for them.
function complete(raw: Operation, schemas: Record<string, Schema>, proofOfWork: boolean): Operation {
  const { operationId } = raw;
  const examples = examplesOf(operationId);
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const content = Object.entries(raw.requestBody?.content ?? {});
  const body = content.map(([type, { schema }]) => [
    type,
    type === "multipart/form-data"
      ? multipart(reference(schemas, `${name}Form`, filled(schema, examples)), examples)
      : {
          schema: reference(schemas, `${name}Request`, filled(withoutFile(schema), examples)),
          examples: examples.bodies,
        },
  ]);
  const { parameters = [], ...rest } = raw;
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    security: [],
    requestBody: { required: true, content: Object.fromEntries(body) },
    responses: {
      200: accepted(raw, reference.bind(null, schemas, `${name}Receipt`), examples),
      ...refusalsOf({ operationId, contentTypes: content.map(([type]) => type), issues: examples.issues, proofOfWork }),
    },
  };
}

function reference(schemas: Record<string, Schema>, name: string, schema: Schema): Schema {
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

function accepted(raw: Operation, name: (schema: Schema) => Schema, { receipt }: OperationExamples): Answer {
  const { headers, content } = raw.responses[200] ?? {};
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${raw.operationId} answers with nothing.`);
  return {
    description: "Accepted, and committed to stable storage.",
    headers: { ...headers, ...everyAnswersHeaders, ...rateLimitHeaders },
    content: {
      "application/json": {
        schema: name(schema),
        ...(receipt === undefined ? {} : { examples: { accepted: { summary: "Accepted", value: receipt } } }),
      },
    },
  };
}

// Only multipart carries files, so the other two kinds of body do not know the field.
function withoutFile(schema: Schema): Schema {
  const { [resumeField]: _file, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function multipart(schema: Schema, examples: OperationExamples): MediaType {
  return {
    schema,
    examples: multipartExamples(examples),
    encoding: {
      [resumeField]: {
        contentType:
          "application/pdf, application/msword, application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      },
    },
  };
}

// zod writes no examples for optional fields, and its own words for files.
function filled(schema: Schema, { bodies }: OperationExamples): Schema {
  const [first] = Object.values(bodies);
  const values = (first?.value ?? {}) as Readonly<Record<string, unknown>>;
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (name === resumeField) return [name, file(property)];
    return [name, name in values ? { examples: [values[name]], ...property } : property];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

// OpenAPI 3.1 reads a string without `contentEncoding` as the bytes themselves, and `maxLength` as their number.
// `format` is for the many tools that still look for it.
function file({ description: words }: Schema): Schema {
  return {
    type: "string",
    ...(words === undefined ? {} : { description: words }),
    format: "binary",
    contentMediaType: "application/octet-stream",
    maxLength: bytesMax.resume,
  };
}
