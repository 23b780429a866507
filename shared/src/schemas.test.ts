// What holds of all schemas at once: nothing without a maximum, nothing undocumented.
import { expect, test } from "vitest";
import { z } from "zod";
import { applicationInput, applicationReceipt } from "./application.ts";
import { inquiryInput, inquiryReceipt } from "./inquiry.ts";
import { subscribeInput, subscribeReceipt } from "./subscription.ts";

const schemas = {
  inquiryInput,
  inquiryReceipt,
  subscribeInput,
  subscribeReceipt,
  applicationInput,
  applicationReceipt,
};

interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

function* walk(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  yield [path, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* walk(property, `${path}.${name}`);
  if (schema.items) yield* walk(schema.items, `${path}[]`);
}

const all = Object.entries(schemas).flatMap(([name, schema]) => [
  ...walk(z.toJSONSchema(schema, { io: "input" }) as JsonSchema, name),
]);

test("every string and list has a maximum", () => {
  const unbounded = all.filter(
    ([, { type, format, maxLength, maxItems }]) =>
      (type === "string" && format !== "binary" && maxLength === undefined) ||
      (type === "array" && maxItems === undefined),
  );
  expect(unbounded.map(([path]) => path)).toEqual([]);
  expect(all.filter(([, { type }]) => type === "string").length).toBeGreaterThan(15);
});

test("every field is described", () => {
  const fields = all.filter(([path]) => path.includes(".") && !path.endsWith("[]"));
  expect(fields.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
});
