// No control character reaches the store from the console: PostgreSQL takes no U+0000, and a line is a line.
import { expect, test } from "vitest";
import { z } from "zod";
import { consoleRouter } from "../../../server/src/console/router.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { json } from "../../support/doors.ts";
import { Operator, operator } from "../../support/console/operator.ts";
import { someOf } from "../../support/many-or-few.ts";

const service = shared(() => startService());

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly format?: string;
}

type Path = readonly (string | number)[];

/** An input of a shape with all that is optional, and where it holds texts that are not chosen from a list. */
function exampleOf(
  { type, enum: choices, anyOf, properties, items, format }: Shape,
  path: Path = [],
): [unknown, Path[]] {
  if (anyOf !== undefined) return exampleOf(anyOf[0]!, path);
  if (choices !== undefined) return [choices[0], []];
  if (items !== undefined) {
    const [item, texts] = exampleOf(items, [...path, 0]);
    return [[item], texts];
  }
  if (properties !== undefined) {
    const parts = Object.entries(properties).map(([name, one]) => [name, exampleOf(one, [...path, name])] as const);
    return [Object.fromEntries(parts.map(([name, [value]]) => [name, value])), parts.flatMap(([, [, texts]]) => texts)];
  }
  if (type === "string") return [format === "email" ? "ann@example.org" : "word", [path]];
  return [type === "boolean" ? true : 1, []];
}

const changedAt = (value: unknown, [first, ...rest]: Path, to: string): unknown => {
  if (first === undefined) return to;
  if (Array.isArray(value)) return value.with(Number(first), changedAt(value[Number(first)], rest, to));
  const object = value as Record<string, unknown>;
  return { ...object, [first]: changedAt(object[first], rest, to) };
};

type Described = { readonly _def: { readonly inputs: readonly z.ZodType[] } };

const texts = Object.entries(consoleRouter._def.procedures as unknown as Record<string, Described>).flatMap(
  ([procedure, { _def }]) => {
    const [input] = _def.inputs;
    if (input === undefined) return [];
    const shape = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Shape;
    const [example, found] = exampleOf(shape);
    return found.map((path) => ({ procedure, field: path.join("."), path, example }));
  },
);

/** Passwords are only hashed, a source is a word made of letters and digits, and a file is read row by row. */
const takesAny = /^(?:password|current|source|csv)$/;
/** Texts of several lines. */
const takesLines = /^(?:text|was|consentText)$/;

test("every procedure that takes texts is among these", () => {
  const procedures = new Set(texts.map(({ procedure }) => procedure));
  for (const one of ["session.signIn", "operators.remove", "people.erase", "inbox.list", "webhooks.add"])
    expect(procedures).toContain(one);
  expect(texts.length).toBeGreaterThan(60);
});

test.each(someOf(texts))(
  "$procedure refuses control characters in $field",
  async ({ procedure, field, path, example }) => {
    const admin = await admins();
    for (const control of ["\u0000", "\u001B", "\u007F", "\u0085", "\n", "\t"]) {
      const { status, issues } = await admin.call(procedure, changedAt(example, path, `wo${control}rd`));
      // In a line a tab becomes a space, or is refused.
      if (takesAny.test(field) || control === "\t" || (takesLines.test(field) && control === "\n")) {
        expect([control, status]).toEqual([control, expect.toSatisfy((one) => one < 500)]);
      } else {
        expect([control, status, issues?.map((one) => one.path)]).toEqual([
          control,
          400,
          expect.arrayContaining([path]),
        ]);
      }
    }
  },
);

let signedIn: Promise<Operator> | undefined;
const admins = () => (signedIn ??= operator(service(), "admin@example.org", "admin"));

test("a stranger's sign-in with U+0000 is refused with 400", async () => {
  const stranger = new Operator(service());
  const { status, issues } = await stranger.call("session.signIn", { email: "x\u0000", password: "a long password" });
  expect([status, issues?.[0]?.path]).toEqual([400, ["email"]]);
});

test("addresses of downloads and filters of exports with U+0000 find nothing or are refused", async () => {
  const admin = await admins();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["people/a@b%00.ndjson", "people/%00.ndjson", "resumes/APP-20261121-00000%00", "resumes/%00"])
    expect([path, (await admin.fetch(`/console/${path}`)).status]).toEqual([path, 404]);
  for (const [list, filter] of Object.entries({
    inquiries: { company: "\u0000" },
    subscribers: { source: "\u0000" },
  })) {
    const body = new URLSearchParams({ filter: JSON.stringify(filter) });
    const { status } = await admin.fetch(`/console/exports/${list}.csv`, { method: "POST", headers, body });
    expect([list, status]).toEqual([list, 400]);
  }
  expect((await admin.fetch("/console/trpc/inbox.counts", { method: "POST", ...json(undefined) })).status).toBe(200);
});
