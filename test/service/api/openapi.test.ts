// The OpenAPI document says exactly what the schemas and the fault table say.
import { Validator } from "@seriousme/openapi-schema-validator";
import { applicationFields, resumeField } from "@submissions/shared/application-fields";
import { faults, type FaultEntry, type FaultName } from "@submissions/shared/faults";
import { consentPageField, consentTextField } from "@submissions/shared/hidden-fields";
import { languageField } from "@submissions/shared/language";
import { textLengthMax } from "@submissions/shared/limits";
import { kindOf, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { subscribeInput, subscribeReceipt } from "@submissions/shared/subscription";
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { buildOpenApiDocument } from "../../../server/src/http/openapi/document.ts";
import type { Example, MediaType, Operation, Schema } from "../../../server/src/http/openapi/components.ts";
import { featureOf } from "../../../server/src/intake/submission.ts";
import type { Intake } from "../../../server/src/intake/submit.ts";
import { openApiRoutes } from "../../../server/src/http/openapi/routes.ts";
import { serverKindOf, serverKinds } from "../../../server/src/kinds.ts";

const options = { publicUrl: "https://submissions.test", version: "1.2.3", proofOfWork: false };
const document = buildOpenApiDocument(options);

const resolveSchema = (schema: Schema): Schema =>
  document.components.schemas[schema.$ref?.replace("#/components/schemas/", "") ?? ""] ?? schema;

const contracts: Readonly<Record<string, { input: z.ZodType; receipt: z.ZodType }>> = {
  ...Object.fromEntries(
    submissionKinds.map(serverKindOf).map(({ operation, ...schemas }) => [operation.operationId, schemas]),
  ),
  subscribeToNewsletter: { input: subscribeInput, receipt: subscribeReceipt },
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const submissions = operations.flatMap(({ operation }) => {
  const contract = contracts[operation.operationId];
  return contract === undefined ? [] : [{ name: operation.operationId, operation, ...contract }];
});
/** What may stand beside the fields of any submission. */
const beside: ReadonlySet<string> = new Set([languageField, consentTextField, consentPageField, "message"]);
const contentOf = (operation: Operation): [string, MediaType][] => Object.entries(operation.requestBody?.content ?? {});
const propertiesOf = ({ schema }: MediaType) => resolveSchema(schema).properties ?? {};
const examplesIn = (operation: Operation, status: number): [string, Example][] =>
  Object.entries(operation.responses[status]?.content["application/json"]?.examples ?? {});

test("is a valid OpenAPI 3.1 document", async () => {
  expect(await new Validator().validate(structuredClone(document) as never)).toMatchObject({ valid: true });
  expect(document.openapi).toBe("3.1.0");
});

test("says when each webhook is sent", () => {
  const silent = Object.entries(document.webhooks).filter(
    ([, { post }]) => !/^[A-Z].*\.$/.test(post.description ?? ""),
  );
  expect(silent.map(([event]) => event)).toEqual([]);
});

test("names what may stand beside the fields of any submission", () => {
  for (const name of [consentTextField, consentPageField, languageField])
    expect(document.info.description).toContain(`\`${name}\``);
});

test("does not name the honeypot", () => {
  expect(JSON.stringify(document)).not.toContain('"website"');
});

test("documents these paths, bodies and statuses, and no others", () => {
  const outline = operations.map(
    ({ path, method, operation }) =>
      `${method.toUpperCase()} ${path} [${contentOf(operation)
        .map(([type]) => type)
        .join(", ")}] ${Object.keys(operation.responses).join(" ")}`,
  );
  expect(outline).toMatchInlineSnapshot(`
    [
      "POST /api/marketplace/inquiry [application/json] 200 400 403 408 409 413 415 422 429 431 500 503",
      "POST /api/applications/submit [multipart/form-data] 200 400 403 408 409 413 415 422 429 431 500 503",
      "POST /api/newsletter/subscribe [application/json] 200 400 403 408 409 413 415 422 429 431 500 503",
      "GET /healthz [] 200 408 431",
      "GET /readyz [] 200 408 431 503",
    ]
  `);
});

describe.each(submissions)("$name", ({ operation, input, receipt }) => {
  test("shows bodies that are accepted as they stand", () => {
    for (const [type, media] of contentOf(operation)) {
      const examples = Object.values(media.examples ?? {});
      expect(examples.length).toBeGreaterThan(1);
      for (const { value } of examples) expect(input.safeParse(asSent(type, value)).error).toBeUndefined();
    }
  });

  // Text in place of a file would be offered to be sent as text.
  test("shows one body with every field but the file", () => {
    for (const [, media] of contentOf(operation)) {
      const [first] = Object.values(media.examples ?? {});
      const names = Object.keys(propertiesOf(media)).filter((name) => name !== resumeField && !beside.has(name));
      expect(new Set(Object.keys(first?.value as object))).toEqual(new Set(names));
    }
  });

  test("takes an Idempotency-Key, without an example that readers would send", () => {
    expect(operation.parameters).toEqual([{ $ref: "#/components/parameters/IdempotencyKey" }]);
    const { IdempotencyKey } = document.components.parameters;
    expect(IdempotencyKey).toMatchObject({ name: "Idempotency-Key", in: "header", required: false });
    expect(IdempotencyKey?.schema).toMatchObject({ type: "string", minLength: 1, maxLength: 255 });
    expect(JSON.stringify(IdempotencyKey)).not.toMatch(/"examples?"/);
  });

  test("shows the receipt as it is, and lets it have new fields", () => {
    const [example] = examplesIn(operation, 200);
    expect(receipt.parse(example?.[1].value)).toEqual(example?.[1].value);
    const schema = operation.responses[200]?.content["application/json"]?.schema ?? {};
    expect(resolveSchema(schema)).not.toHaveProperty("additionalProperties");
  });

  test("has properties for what may stand beside the fields", () => {
    for (const [, media] of contentOf(operation)) {
      const expected = ["lang", "consentText", "consentPage", ...("message" in propertiesOf(media) ? ["message"] : [])];
      expect(Object.keys(propertiesOf(media))).toEqual(expect.arrayContaining(expected));
      expect("message" in propertiesOf(media)).toBe(!receipt.safeParse({ message: "" }).success);
    }
  });

  test("takes fields that are not documented, and says what becomes of them", () => {
    for (const [, { schema }] of contentOf(operation)) {
      const { additionalProperties } = resolveSchema(schema);
      // A subscription has no reference, and keeps none.
      expect(additionalProperties !== undefined).toBe(!receipt.safeParse({ message: "" }).success);
    }
  });

  test("describes and bounds every field that it takes or answers, and gives an example of those that it takes", () => {
    const taken = contentOf(operation).map(([, media]) => media);
    for (const media of [...taken, operation.responses[200]!.content["application/json"]!]) {
      for (const [name, property] of Object.entries(propertiesOf(media))) {
        expect(property.description, name).toBeTruthy();
        // Generators of zod schemas make a check of a text of it, which no file passes.
        if (name === resumeField) expect(property.maxLength).toBeUndefined();
        else if (property["type"] !== "boolean")
          expect(property.maxLength ?? property.maxItems, name).toBeGreaterThan(0);
        if (name !== resumeField && taken.includes(media)) expect(property.examples?.length, name).toBeGreaterThan(0);
      }
    }
  });

  test("needs no credentials, and names no refusal of the console", () => {
    expect(operation.security).toEqual([]);
    const words = Object.values(operation.responses).map(({ description }) => description);
    expect(words.filter((text) => /\bconsole\b|\boperator\b/.test(text))).toEqual([]);
  });

  test("shows each refusal as the fault table has it, under its status", () => {
    const shown = Object.entries(operation.responses).filter(([status]) => status !== "200");
    for (const [status, answer] of shown) {
      expect(answer.content["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/Refusal" });
      for (const [name, { value }] of examplesIn(operation, Number(status))) {
        const { code, message, status: expected } = faults[name as FaultName];
        expect(value).toMatchObject({ code, message });
        expect(String(expected)).toBe(status);
      }
    }
  });

  test("leaves out only the faults that no submission can meet", () => {
    const shown = Object.keys(operation.responses).flatMap((status) =>
      examplesIn(operation, Number(status)).map(([name]) => name),
    );
    const missing = Object.entries<FaultEntry>(faults).filter(
      ([name, { console }]) => !shown.includes(name) && !console,
    );
    const never =
      "batchTooLarge hostUnknown methodNotSupported notFound requestMalformed tooManyAttempts unauthorised".split(" ");
    // Only where proofs of work are asked for.
    const optional = ["proofOfWorkInvalid"];
    const others: Record<string, string[]> = {
      submitInquiry: ["fieldTooLarge", "resumeKindUnsupported", "resumeTooLarge"],
      subscribeToNewsletter: ["fieldTooLarge", "referencesExhausted", "resumeKindUnsupported", "resumeTooLarge"],
    };
    const expected = [...never, ...optional, ...(others[operation.operationId] ?? [])];
    expect(missing.map(([name]) => name).toSorted()).toEqual(expected.toSorted());
  });

  test("names the request id on every answer, and Retry-After where waiting helps", () => {
    for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
      expect("x-request-id" in headers, status).toBe(true);
      expect("retry-after" in headers, status).toBe(["409", "429", "503"].includes(status));
      expect("ratelimit-reset" in headers, status).toBe(status !== "431");
    }
  });
});

test("the issues shown are those that the schema finds", () => {
  const shown = submissions.map(({ operation }) => {
    const [, example] = examplesIn(operation, 400).find(([name]) => name === "fieldsInvalid") ?? [];
    const { issues } = example!.value as { issues: { path: unknown[]; message: string }[] };
    return issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  });
  expect(shown).toEqual([
    ["email: Enter one e-mail address, like name@example.org.", "selectedPackageIds: Select at least one package."],
    ["fullName: This field is required.", "portfolioUrl: Enter a web address that starts with http:// or https://."],
    ["email: Enter one e-mail address, like name@example.org."],
  ]);
});

test("says of a file what generators of clients understand, and of the bodies without a file in words", () => {
  const { requestBody, description } = document.paths["/api/applications/submit"]!["post"]!;
  const form = requestBody?.content["multipart/form-data"];
  expect(form && propertiesOf(form)[resumeField]).toEqual({
    type: "string",
    description: expect.any(String) as string,
    format: "binary",
  });
  expect(form?.encoding?.[resumeField]?.contentType.split(", ")).toEqual([
    "application/pdf",
    "application/msword",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ]);
  for (const type of ["application/json", "application/x-www-form-urlencoded"])
    expect(description).toContain(`\`${type}\``);
  const [json, urlencoded] = [...description.matchAll(/```(?:json)?\n([^`]*)\n```/g)].map(([, sample]) => sample!);
  expect(serverKinds.application.input.safeParse(JSON.parse(json!)).success).toBe(true);
  expect(serverKinds.application.input.safeParse(Object.fromEntries(new URLSearchParams(urlencoded))).success).toBe(
    true,
  );
});

test("gives the limits that the fields really have", () => {
  const { SubmitInquiryRequest, SubmitApplicationRequest } = document.components.schemas;
  const [ofInquiry, ofApplication] = [SubmitInquiryRequest?.properties, SubmitApplicationRequest?.properties];
  expect(ofInquiry?.["name"]).toMatchObject({ minLength: 1, maxLength: textLengthMax.name });
  expect(ofInquiry?.["email"]).toMatchObject({ format: "email", maxLength: textLengthMax.email });
  expect(ofApplication?.["portfolioUrl"]).toMatchObject({ format: "uri", maxLength: textLengthMax.url });
  expect(ofApplication?.["coverLetter"]).toMatchObject({ maxLength: applicationFields.coverLetter.rule.lengthMax });
});

test("leaves the router's schemas as they were", () => {
  const before = describeSchemas();
  buildOpenApiDocument({ publicUrl: "https://other.test", version: "2.0.0", proofOfWork: true });
  expect(describeSchemas()).toEqual(before);
  const wrong = { message: "", inquiryId: "INQ-20261121-042137", confirmationEmailSent: "false" };
  expect(serverKinds.inquiry.receipt.safeParse(wrong).success).toBe(false);
});

test("shows receipts in the words of the service", () => {
  const answer = { confirmationEmailSent: true, intake: {} as Intake };
  const receipts = submissions.map(({ operation }) => examplesIn(operation, 200)[0]?.[1].value);
  const example = (kind: SubmissionKind) => `${kindOf(kind).prefix}-20261121-042137`;
  const told = submissionKinds.map((kind) => featureOf(kind).receipt({ ...answer, reference: example(kind) }));
  expect(receipts.slice(0, told.length)).toEqual(told);
});

test("over HTTP is JSON, and built once, when it is first asked for", async () => {
  const app = Fastify();
  let asked = 0;
  const publicUrl = () => `https://submissions.test/base${(asked += 1)}`;
  const site = { brand: "Example Speech", hasFrontPage: true, bundle: null };
  openApiRoutes(app, { ...options, site, publicUrl });
  expect(asked).toBe(0);
  const [first, second] = await Promise.all([app.inject("/openapi.json"), app.inject("/openapi.json")]);
  expect(first.statusCode).toBe(200);
  expect(first.headers["content-type"]).toBe("application/json; charset=utf-8");
  const expected = buildOpenApiDocument({ ...options, publicUrl: "https://submissions.test/base1" });
  expect(first.json()).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(second.body).toBe(first.body);
  await app.close();
});

/** A form carries text. */
function asSent(type: string, value: unknown): unknown {
  if (type === "application/json") return value;
  const body = new FormData();
  for (const [name, text] of Object.entries(value as Record<string, string>)) body.append(name, text);
  return body;
}

function describeSchemas(): unknown {
  return Object.values(contracts).map(({ input, receipt }) => [
    z.toJSONSchema(input, { io: "input", unrepresentable: "any" }),
    z.toJSONSchema(receipt),
    [{}, { email: 1 }, { email: "a@example.org", name: "", source: 7 }].map(
      (body) => input.safeParse(body).error?.issues,
    ),
  ]);
}
