// The document of what tokens may read says what a token meets.
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { z } from "zod";
import { consoleProcedures } from "../../../server/src/console/router.ts";
import { operator, scriptOf, submitAll } from "../../support/console/operator.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { nightly } from "../../support/many-or-few.ts";

const service = shared(() => startService());

interface Operation {
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<"get" | "post", Operation | undefined>>>>;
  readonly components: { readonly schemas: object };
}

async function read(): Promise<Document> {
  const response = await fetch(`${service().url}/console/openapi.json`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  return (await response.json()) as Document;
}

function check({ components, paths }: Document, path: string, status: number, body: unknown): void {
  const schema = paths[path]?.post?.responses[status]?.content["application/json"]?.schema;
  expect(schema, `${path} ${status}`).toBeDefined();
  const whole = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  expect(z.fromJSONSchema(JSON.parse(whole) as never).safeParse(body).error, path).toBeUndefined();
}

test("is a valid OpenAPI 3.1 document", async () => {
  const document = await read();
  expect(document.openapi).toBe("3.1.0");
  expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
});

test("names each call that a token may make and no other, and what it takes", async () => {
  const document = await read();
  const script = await scriptOf(await operator(service(), "admin@example.org", "admin"), "admin");
  for (const { path } of consoleProcedures) {
    const operation = document.paths[`/console/trpc/${path}`]?.post;
    if (operation !== undefined && operation.requestBody?.required !== true) {
      const { status } = await script.fetch(`/console/trpc/${path}`, { method: "POST" });
      expect([path, status]).toEqual([path, 200]);
    }
    const answer = await script.call(path, operation?.requestBody && { beside: "the fields" });
    expect([path, answer.status === 403], path).toEqual([path, operation === undefined]);
    if (operation !== undefined) check(document, `/console/trpc/${path}`, answer.status, answer.body);
  }
});

nightly("tells how a body is refused, and that only tokens may leave it out", async () => {
  const document = await read();
  const admin = await operator(service(), "third@example.org", "admin");
  const script = await scriptOf(admin, "admin");
  const paths = Object.keys(document.paths).filter((path) => document.paths[path]?.post !== undefined);
  const refused = [
    { headers: { "content-type": "text/plain" }, body: "{}" },
    { headers: { "content-type": "application/json" }, body: "{" },
    { headers: { "content-type": "application/json" }, body: JSON.stringify("a".repeat(65_536)) },
  ];
  for (const path of paths) {
    const statuses = [];
    for (const init of refused) {
      const answer = await script.fetch(path, { method: "POST", ...init });
      const body = await answer.json();
      statuses.push(answer.status);
      check(document, path, answer.status, body);
      if (answer.status === 415) expect(JSON.stringify(body), path).toContain("Send application/json");
    }
    expect([path, ...statuses]).toEqual([path, 415, 400, 413]);
  }
  expect((await admin.fetch("/console/trpc/inbox.counts", { method: "POST" })).status).toBe(415);
});

test("tells what lists, a submission and exports answer", async () => {
  const { inquiry: reference } = await submitAll(service());
  const document = await read();
  const script = await scriptOf(await operator(service(), "second@example.org", "admin"), "admin");
  const asked = [
    ["inbox.list", { filter: {}, page: { limit: 1 } }],
    ["subscribers.list", { filter: {}, page: {} }],
    ["submission.get", { reference }],
  ] as const;
  for (const [path, input] of asked) {
    const answer = await script.call(path, input);
    expect(answer.status).toBe(200);
    check(document, `/console/trpc/${path}`, 200, answer.body);
  }
  for (const [path, operations] of Object.entries(document.paths)) {
    if (!path.startsWith("/console/exports/")) continue;
    const answer = await script.fetch(path);
    const type = answer.headers.get("content-type")?.split(";")[0];
    expect(Object.keys(operations.get?.responses[200]?.content ?? {}), path).toEqual([type]);
    await answer.text();
  }
});
