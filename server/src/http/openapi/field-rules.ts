// Says in words what a schema demands of a field. For people; programs read the schema itself.
import type { Schema } from "./document-types.ts";

const count = (number: number) => number.toLocaleString("en");

/** The rules of a field, shortest first: `text`, `1 to 200 characters`, `e-mail address`. */
export function rulesOf(schema: Schema): string[] {
  if (schema.const !== undefined) return [`always ${JSON.stringify(schema.const)}`];
  if (schema.anyOf !== undefined) return [schema.anyOf.map((one) => rulesOf(one).join(", ")).join(" or ")];
  if (schema.type === "array") return listRules(schema);
  if (schema.format === "binary") return fileRules(schema);
  if (schema.type === "string") return textRules(schema);
  if (schema.type === "integer") return ["whole number", ...atLeast(schema)];
  return [schema.type === "boolean" ? "true or false" : (schema.type ?? "object")];
}

const atLeast = ({ minimum }: Schema) => (minimum === undefined ? [] : [`at least ${count(minimum)}`]);

const formats: Readonly<Record<string, string>> = {
  email: "e-mail address",
  uri: "web address",
};

function textRules({ format, pattern, minLength, maxLength, enum: values }: Schema): string[] {
  return [
    formats[format ?? ""] ?? "text",
    ...range("character", minLength, maxLength),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
    ...(values === undefined ? [] : [`one of ${values.join(", ")}`]),
  ];
}

function listRules({ items, minItems, maxItems }: Schema): string[] {
  const each = items === undefined ? [] : rulesOf(items);
  return ["list", ...range("entry", minItems, maxItems), ...(each.length === 0 ? [] : [`each ${each.join(", ")}`])];
}

const fileRules = ({ maxLength }: Schema) => [
  "file",
  ...(maxLength === undefined ? [] : [`at most ${count(maxLength)} bytes`]),
];

function range(unit: "character" | "entry", min: number | undefined, max: number | undefined): string[] {
  const many = unit === "entry" ? "entries" : "characters";
  if (max === undefined) return min === undefined ? [] : [`at least ${count(min)} ${min === 1 ? unit : many}`];
  return [min === undefined ? `at most ${count(max)} ${many}` : `${count(min)} to ${count(max)} ${many}`];
}
