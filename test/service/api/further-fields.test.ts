// What a form sends beside the documented fields is kept and told to the team, and never refused.
import { faults } from "@submissions/shared/faults";
import { furtherFieldsMax, namesMax, textLengthMax } from "@submissions/shared/limits";
import { describe, expect, test } from "vitest";
import { operator } from "../../support/console/operator.ts";
import { applicant, buyer, doors, form, json, pdf, rest } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const service = shared(() => startService({}));

const sent = { message: "Two lines,\r\nthe second", "utm[source]": "spring", "a.b": "c", constructor: "x" };
const kept = { message: "Two lines,\nthe second", "utm[source]": "spring", "a.b": "c", constructor: "x" };
const ours = {
  website: "",
  next: "/",
  _csrf: "t",
  "g-recaptcha-response": "t",
  lang: "en",
  toString: "",
  ["__proto__"]: "x",
};

const latest = async () => {
  const { inquiries, applications } = await service().stored();
  return { inquiry: inquiries.at(-1)?.more, application: applications.at(-1)?.more };
};

const urlencoded = (fields: Readonly<Record<string, string>>): RequestInit => ({ body: new URLSearchParams(fields) });

describe.each(doors)("over $name", ({ name, send }) => {
  test("every kind of body keeps the same", async () => {
    expect((await send(service(), "marketplace.inquiry", json({ ...buyer, ...sent, ...ours }))).status).toBe(200);
    expect((await latest()).inquiry).toEqual(kept);
    const bodies = [
      json({ ...applicant, ...sent, ...ours }),
      form({ ...applicant, ...sent, ...ours, resumeFile: pdf() }),
      ...(name === "rest" ? [urlencoded({ ...applicant, ...sent, ...ours })] : []),
    ];
    for (const body of bodies) {
      expect((await send(service(), "applications.submit", body)).fault).toBeUndefined();
      expect((await latest()).application).toEqual(kept);
    }
  });

  test("a key stands for them too, whatever their order", async () => {
    const keyed = (more: object) =>
      send(service(), "marketplace.inquiry", json({ ...buyer, ...more }, { "idempotency-key": `further-${name}` }));
    const once = await keyed({ a: "1", b: "2" });
    expect((await keyed({ b: "2", a: 1 })).receipt).toEqual(once.receipt);
    expect((await keyed({ a: "1", b: "3" })).status).toBe(422);
    expect((await keyed({})).status).toBe(422);
  });

  test("a body of 300 names is taken, and one of 301 is refused before anything is stored", async () => {
    const names = (all: number, fields: object) => {
      const others = Array.from({ length: all - Object.keys(fields).length }, (_, n) => [`n${n}`, "x"]);
      return { ...fields, ...Object.fromEntries(others) } as Record<string, string>;
    };
    const kinds = [
      ["marketplace.inquiry", (all: number) => json(names(all, buyer))],
      ["newsletter.subscribe", (all: number) => json(names(all, { email: `${name}@names.example` }))],
      ["applications.submit", (all: number) => json(names(all, applicant))],
      ["applications.submit", (all: number) => form(names(all, applicant))],
      ...(name === "rest"
        ? [["applications.submit", (all: number) => urlencoded(names(all, applicant))] as const]
        : []),
    ] as const;
    for (const [procedure, body] of kinds) {
      const before = await service().stored();
      const { status, fault } = await send(service(), procedure, body(namesMax + 1));
      expect([status, fault?.code, fault?.message]).toEqual([400, "BAD_REQUEST", faults.namesTooMany.message]);
      expect(await service().stored()).toEqual(before);
      expect((await send(service(), procedure, body(namesMax))).status).toBe(200);
    }
    expect(Object.keys((await latest()).application ?? {})).toHaveLength(furtherFieldsMax);
  });

  test("a letter that comes after 20 others is kept", async () => {
    const others = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`n${n}`, "x"]));
    const message = "🙂".repeat(textLengthMax.furtherValue);
    expect((await send(service(), "marketplace.inquiry", json({ ...buyer, ...others, message }))).status).toBe(200);
    const { n19: _left, ...nineteen } = others;
    expect((await latest()).inquiry).toEqual({ message, ...nineteen });
    const more = { ...others, message, resumeFile: pdf() };
    expect((await send(service(), "applications.submit", form({ ...applicant, ...more }))).status).toBe(200);
    expect((await latest()).application).toEqual({ message, ...nineteen });
  });

  test("a subscription ignores them", async () => {
    const answer = await send(service(), "newsletter.subscribe", json({ email: `${name}@example.org`, ...sent }));
    expect(answer.status).toBe(200);
    expect(JSON.stringify((await service().stored()).subscribers)).not.toContain("spring");
  });
});

test("a part of a form that cannot be read is left out", async () => {
  const body = form({ ...applicant, latin: new File([], "") }).body as FormData;
  body.delete("latin");
  const encoded = new Response(body);
  const type = encoded.headers.get("content-type") ?? "";
  const boundary = type.slice(type.indexOf("=") + 1);
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="latin"\r\n\r\n`;
  const whole = Buffer.concat([Buffer.from(part), Buffer.from([0xe4]), Buffer.from("\r\n"), await encoded.bytes()]);
  const answer = await rest.send(service(), "applications.submit", { headers: { "content-type": type }, body: whole });
  expect(answer.status).toBe(200);
  expect((await latest()).application).toBeNull();
});

test("names that would build deep paths are kept as they are, or left out", async () => {
  const short = { [`a${"[0]".repeat(20)}`]: "x", ["a.".repeat(30)]: "y" };
  const hostile = { [".".repeat(20_000)]: "x", ["[".repeat(20_000)]: "x", ...short };
  for (const body of [json({ ...applicant, ...hostile }), urlencoded({ ...applicant, ...hostile })]) {
    expect((await rest.send(service(), "applications.submit", body)).status).toBe(200);
    expect((await latest()).application).toEqual(short);
  }
});

test("operators see, find and export them; the notice tells them and the receipt does not", async () => {
  const email = "further@example.org";
  const more = { message: "Bring the zeppelin\nnear dusk", budget: "=5" };
  const { receipt } = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email, ...more }));
  const reference = receipt?.["inquiryId"];
  const admin = await operator(service(), "admin@example.org", "admin");
  expect((await admin.call("submission.get", { reference })).data).toMatchObject({ more });
  await expect
    .poll(async () => (await admin.call("inbox.list", { filter: { letter: "near zeppelin" }, page: {} })).data)
    .toMatchObject({ rows: [{ reference }] });
  const text = await (await admin.fetch("/console/exports/inquiries.csv")).text();
  expect(text).toContain(`"{""message"":""Bring the zeppelin\\nnear dusk"",""budget"":""=5""}",""`);
  const mails = (await service().mails()).filter(({ subject }) => subject?.includes(String(reference)));
  const textOf = (own: boolean) => mails.find(({ to }) => own === (to?.[0]?.address === email))?.text ?? "";
  expect(textOf(false)).toContain(
    "\nMessage:\n  Bring the zeppelin\n  near dusk\n\nFurther fields, as the form sent them:\nbudget: =5\n",
  );
  expect(textOf(true)).toContain(String(reference));
  expect(textOf(true)).not.toContain("zeppelin");
});
