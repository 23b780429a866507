// The tables of fields and what is written out beside them: schemas and forms name the same fields.
import { expect, test } from "vitest";
import { z } from "zod";
import { applicationFields } from "./application-fields.ts";
import { applicationInput } from "./application.ts";
import type { FieldTable } from "./field-table.ts";
import { fieldsOf, forms, type FormName } from "./forms/form-fields.ts";
import { inquiryFields } from "./inquiry-fields.ts";
import { inquiryInput } from "./inquiry.ts";
import { subscriptionFields } from "./subscription-fields.ts";
import { subscribeInput } from "./subscription.ts";

interface JsonSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<
    Record<string, { description?: string; maxLength?: number; items?: JsonSchema & { maxLength?: number } }>
  >;
}

const kinds: readonly (readonly [FormName, FieldTable, z.ZodType])[] = [
  ["inquiry", inquiryFields, inquiryInput],
  ["newsletter", subscriptionFields, subscribeInput],
  ["application", applicationFields, applicationInput],
];

/** Not filled in by people: the page names it. */
const fromThePage = new Set(["source"]);

test.each(kinds)("the schema of the %s has its table's fields, in order, with limits and words", (_, table, schema) => {
  const { properties, required = [] } = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  expect(Object.keys(properties).filter((name) => !fromThePage.has(name))).toEqual(Object.keys(table));
  for (const [name, { rule, description }] of Object.entries(table)) {
    const { items, ...property } = properties[name]!;
    expect(property.description, name).toBe(description);
    expect((items ?? property).maxLength, name).toBe(rule?.lengthMax);
    expect(required.includes(name), name).toBe(rule?.required ?? false);
  }
});

test.each(kinds)("the example of each field of the %s is accepted as it is", (_, table, schema) => {
  const example = Object.fromEntries(
    Object.entries(table).flatMap(([name, field]) => (field.example ? [[name, field.example]] : [])),
  );
  expect(schema.parse(example)).toMatchObject(example);
  expect(Object.keys(example)).toEqual(Object.keys(table).filter((name) => table[name]!.kind !== "file"));
});

test.each(kinds)("the form of the %s asks for each field once", (form, table) => {
  const asked = fieldsOf(form).map(({ name }) => name);
  expect(asked.toSorted()).toEqual(Object.keys(table).toSorted());
});

test("fields of one name have one label and the same words everywhere: pages replace words by the name of a field", () => {
  const all = Object.values(forms).flatMap(({ fields }) => Object.entries(fields));
  for (const [name, { label, en }] of all)
    for (const [, other] of all.filter(([same]) => same === name)) expect(other).toMatchObject({ label, en });
});

test("a kind has one text of paragraphs at most: it is the end of a notice, where nothing of ours follows", () => {
  for (const [, table] of kinds) {
    const paragraphs = Object.values(table).filter(({ kind }) => kind === "paragraphs");
    expect(paragraphs.length).toBeLessThanOrEqual(1);
  }
});
