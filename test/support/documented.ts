// Each answer of a door is held against the OpenAPI document: its status, its headers and the shape of its body.
import * as z from "zod";
import { buildOpenApiDocument } from "../../server/src/http/openapi/document.ts";
import type { Schema } from "../../server/src/http/openapi/components.ts";

const document = buildOpenApiDocument({ publicUrl: "https://submissions.test", version: "0.0.0", proofOfWork: true });
const { schemas, headers: known } = document.components;

/** With its references as zod reads them. */
const withDefinitions = (schema: Schema) =>
  JSON.parse(JSON.stringify({ ...schema, $defs: schemas }).replaceAll("#/components/schemas/", "#/$defs/")) as object;

const readers = new Map<Schema, z.ZodType>();

function readerOf(schema: Schema): z.ZodType {
  const reader = readers.get(schema) ?? z.fromJSONSchema(withDefinitions(schema) as never);
  readers.set(schema, reader);
  return reader;
}

/** Headers that the document must name where they are sent. */
const documented = ["retry-after", "idempotency-replayed", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

/** @throws Error where an answer of a REST path differs from what the document says of it */
export function checkDocumented(path: string, status: number, headers: Headers, body: unknown): void {
  // A worker has no doors, and the document is of those that have.
  if (status === 404) return;
  const answer = document.paths[path]?.["post"]?.responses[status];
  const place = `POST ${path} answered ${status}`;
  if (answer === undefined) throw new Error(`${place}, which is not documented.`);
  const schema = answer.content["application/json"]?.schema;
  const parsed = readerOf(schema ?? {}).safeParse(body);
  if (!parsed.success) throw new Error(`${place} with another body: ${z.prettifyError(parsed.error)}`);
  for (const [name, { $ref }] of Object.entries(answer.headers)) {
    const header = known[$ref.slice("#/components/headers/".length) as keyof typeof known] as { required?: boolean };
    if (header.required === true && !headers.has(name)) throw new Error(`${place} without ${name}.`);
  }
  for (const name of documented) {
    if (headers.has(name) && !(name in answer.headers)) throw new Error(`${place} with ${name}, undocumented.`);
  }
}
