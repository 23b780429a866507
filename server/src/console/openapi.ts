// The OpenAPI document of what tokens may read, made from the console's router and its downloads: what has a rule that
// changes something, belongs to a session or needs none does not stand in it.
import { faults, type FaultName } from "@submissions/shared/faults";
import { z } from "zod";
import { byStatus, everyAnswer, headers, refer, retryAfter } from "../http/openapi/components.ts";
import { consoleDownloads, type ConsoleDownload } from "./downloads.ts";
import { inboxFilter, subscriberFilter } from "./inputs.ts";
import { answers, schemas, text } from "./openapi-schemas.ts";
import { consoleProcedures, type RuledProcedure } from "./router.ts";
import type { Rule } from "./role-rules.ts";

const description = `What a token of the console may read (Settings → Create token). It is sent as \`Authorization: Bearer …\`. A token reads what its role sees; what the role may not see answers 404, and what changes something 403.

Calls are typed RPC: POST with the input as JSON, or without a body where there is none; the answer stands under \`result.data\`, a refusal under \`error\`. Several calls fit into one request (\`?batch=1\`). Times are milliseconds since the epoch. Answers and rows may get new fields.`;

/** Whether tokens may call what has this rule. */
const isForTokens = (rule: Rule): boolean => rule !== "anyone" && !rule.changes && rule.beforeFactor !== true;

const json = "application/json";

const refusal = (names: readonly FaultName[], schema: string) =>
  byStatus(names, (status, same) => ({
    description: same.map((name) => faults[name].message).join(" Or: "),
    headers: { ...everyAnswer, ...([429, 503].includes(status) && retryAfter) },
    content: { [json]: { schema: refer("schemas", schema) } },
  }));

const everyRefusal: readonly FaultName[] = [
  "fieldsInvalid",
  "signedOut",
  "tokenReadsOnly",
  "notFound",
  "tooManyRequests",
  "internal",
  "storageUnavailable",
];

/** Of what is sent in a body. */
const bodyRefusals: readonly FaultName[] = [
  "bodyMalformed",
  "requestTimedOut",
  "bodyTooLarge",
  "contentTypeUnsupported",
];

const inputSchema = (input: z.ZodType): object => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
};

const forRoles = (rule: Rule): string => (rule === "anyone" ? "" : `For the roles ${rule.roles.join(", ")}.`);

function callOf({ path, rule, input }: RuledProcedure) {
  const result = { type: "object", properties: { data: answers[path] ?? {} }, required: ["data"] };
  return {
    operationId: path,
    summary: path,
    description: forRoles(rule),
    tags: ["Calls"],
    ...(input !== null && {
      requestBody: {
        required: !input.safeParse(undefined).success,
        content: { [json]: { schema: inputSchema(input) } },
      },
    }),
    responses: {
      200: {
        description: "The answer.",
        headers: everyAnswer,
        content: { [json]: { schema: { type: "object", properties: { result }, required: ["result"] } } },
      },
      ...refusal([...everyRefusal, ...bodyRefusals], "CallRefusal"),
    },
  };
}

const query = (name: string, about: string) => {
  return { name, in: "query", required: false, description: about, schema: text };
};
const goOn = [
  query("after", "Only what came behind this `arrival` (of the audit log: this `id`)."),
  query("since", "Only what came at or after this day (`2026-11-01`), instant, or time in milliseconds."),
];

/** Fastify's pattern of a path as OpenAPI writes it: `/:file(^.+\.ndjson$)` is `/{file}`. */
const templateOf = (url: string) => url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, "{$1}");

function downloadOf({ method, url, rule, isExport }: ConsoleDownload) {
  const names = Array.from(url.matchAll(/:(\w+)/g), ([, name = ""]) => name);
  const isList = url.startsWith("/console/exports/");
  const listType = url.endsWith(".csv") ? "text/csv" : "application/x-ndjson";
  const type = isExport ? listType : "application/octet-stream";
  const filter = url.includes("subscribers") ? subscriberFilter : inboxFilter;
  const others: readonly FaultName[] = method === "POST" ? bodyRefusals : isExport ? [] : ["resumeInfected"];
  const body = (schema: object) => {
    return { schema: { type: "object", properties: { filter: schema }, additionalProperties: false } };
  };
  const byFilter = {
    "application/x-www-form-urlencoded": body({ ...text, contentMediaType: json, contentSchema: inputSchema(filter) }),
    [json]: body(inputSchema(filter)),
  };
  return {
    operationId: `${method === "GET" ? "download" : "filter"} ${url.replace("/console/", "")}`,
    summary: method === "GET" ? "Everything" : "What a filter shows",
    description: forRoles(rule),
    tags: ["Downloads"],
    parameters: [...names.map((name) => ({ name, in: "path", required: true, schema: text })), ...(isList ? goOn : [])],
    ...(method === "POST" && {
      requestBody: { required: false, content: byFilter },
    }),
    responses: {
      200: { description: "The file.", headers: everyAnswer, content: { [type]: { schema: text } } },
      ...refusal([...everyRefusal, ...others], "Refusal"),
    },
  };
}

/** @param publicUrl without a slash at the end */
export function consoleDocument(publicUrl: string, version: string) {
  const calls = consoleProcedures.filter(({ rule }) => isForTokens(rule));
  const downloads = consoleDownloads.filter(({ rule }) => isForTokens(rule));
  const paths: Record<string, Record<string, object>> = {};
  for (const one of calls) paths[`/console/trpc/${one.path}`] = { post: callOf(one) };
  for (const one of downloads) (paths[templateOf(one.url)] ??= {})[one.method.toLowerCase()] = downloadOf(one);
  return {
    openapi: "3.1.0",
    info: {
      title: "Submissions: what tokens may read",
      version,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl, description: "This service" }],
    security: [{ token: [] }],
    tags: [
      { name: "Calls", description: "Typed RPC." },
      { name: "Downloads", description: "Files, which may be large." },
    ],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      headers: { RequestId: headers.RequestId, RetryAfter: headers.RetryAfter },
      schemas,
    },
  };
}
