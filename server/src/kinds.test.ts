// The rows of the kinds: their names, their words in German, and the tables of fields beside schemas and forms.
import { english } from "@submissions/shared/forms/form-strings";
import { fieldsOf, type FormName, forms } from "@submissions/shared/forms/form-fields";
import { formTexts } from "@submissions/shared/forms/form-texts";
import { translated } from "@submissions/shared/forms/issue-words";
import { kindOf, submissionKinds } from "@submissions/shared/kinds";
import german from "@submissions/shared/languages/de.json" with { type: "json" };
import type { FieldTable } from "@submissions/shared/field-table";
import { subscribeInput } from "@submissions/shared/subscription";
import { subscriptionFields } from "@submissions/shared/subscription-fields";
import { expect, test } from "vitest";
import { z } from "zod";
import { englishMails } from "./config/mail-words.ts";
import { englishPages } from "./config/page-words.ts";
import { serverKindOf } from "./kinds.ts";

interface JsonSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<
    Record<string, { description?: string; maxLength?: number; items?: JsonSchema & { maxLength?: number } }>
  >;
}

const kinds: readonly (readonly [FormName, FieldTable, z.ZodType])[] = [
  ...submissionKinds.map((kind) => [kind, kindOf(kind).fields, serverKindOf(kind).input] as const),
  ["newsletter", subscriptionFields, subscribeInput],
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

test.each(submissionKinds)("the CSV export of the %s has each field once", (kind) => {
  const { before, behind } = serverKindOf(kind).columns;
  const exported = Object.entries(kindOf(kind).fields).flatMap(([name, field]) =>
    field.kind === "file" ? [] : [name],
  );
  expect([...before, ...behind].toSorted()).toEqual(exported.toSorted());
});

test("no two kinds share what tells them apart, and each can be part of what it names", () => {
  const rows = submissionKinds.map((kind) => ({ ...kindOf(kind), kind, anchor: serverKindOf(kind).page.anchor }));
  for (const part of ["plural", "prefix", "idName", "procedure", "path", "anchor"] as const)
    expect(new Set(rows.map((row) => row[part])).size, part).toBe(rows.length);
  // Of an element (`inquiry-form`), of a mail (`inquiry-receipt`) and of an event (`inquiry.received`).
  for (const { kind } of rows) expect(kind).toMatch(/^[a-z]+(-[a-z]+)*$/);
  for (const { prefix } of rows) expect(prefix).toMatch(/^[A-Z]{3}$/);
  for (const { fields } of rows)
    expect(Object.entries(fields).map(([name, { storedAs = name }]) => storedAs)).toEqual(
      expect.arrayContaining(["name", "email"]),
    );
});

/** Where German lacks a text that English has. */
const lacking = (inEnglish: object, inGerman: object, at = ""): string[] =>
  Object.entries(inEnglish).flatMap(([name, text]: [string, unknown]) => {
    const own = (inGerman as Readonly<Record<string, unknown>>)[name];
    if (typeof text === "object" && text !== null) return lacking(text, Object(own), `${at}${name}.`);
    return typeof own === "string" && own !== "" ? [] : [`${at}${name}`];
  });

test("German has all that English has: forms, pages, mails, and the messages of receipts", () => {
  const { lang: _lang, messages: _messages, forms: all, ...others } = english;
  const ofForms = Object.entries(all).map(([name, { submit, accepted, again }]) => [name, { submit, accepted, again }]);
  expect(lacking({ ...others, forms: Object.fromEntries(ofForms) }, german.forms)).toEqual([]);
  expect(lacking(englishPages, german.pages)).toEqual([]);
  const mails = [...englishMails.keys()].map((name) => name.replace(/\.en$/, ""));
  expect(mails.filter((name) => !Object.hasOwn(german.mails, name))).toEqual([]);
  expect(mails).toEqual(expect.arrayContaining(submissionKinds.map((kind) => `${kind}-receipt`)));
  const received = submissionKinds.map((kind) => kindOf(kind).words.en.received);
  expect(received.filter((message) => translated(message, formTexts.get("de")!) === message)).toEqual([]);
});
