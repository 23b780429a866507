// What a form says of the privacy notice that it showed is kept with the submission, and never refused.
import { describe, expect, test } from "vitest";
import { formNames } from "../../../shared/src/forms/form-fields.ts";
import { auditOf, operator, recordsIn } from "../../support/console/operator.ts";
import { applicant, buyer, doors, form, json, pdf } from "../../support/doors.ts";
import { fields, postForm, typedIn, visit } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const env = { PRIVACY_URL: "https://example.org/privacy", PRIVACY_VERSION: "2026-11" };
const service = shared(() => startService({ env }));

const told = { consentText: " 2026-10 ", consentPage: "https://shop.example.org/contact?email=ann@example.org#form" };
const kept = { text: "2026-10", page: "https://shop.example.org/contact", at: expect.any(Number) as number };

const latest = async () => {
  const { inquiries, applications, subscribers } = await service().stored();
  return { inquiry: inquiries.at(-1), application: applications.at(-1), subscriber: subscribers.at(-1) };
};

describe.each(doors)("over $name", ({ name, send }) => {
  test("version, page and time are kept with each kind, and the answers are as ever", async () => {
    const email = `${name}-reader@example.org`;
    const answers = [
      await send(service(), "marketplace.inquiry", json({ ...buyer, ...told })),
      await send(service(), "newsletter.subscribe", json({ email, ...told })),
      await send(service(), "applications.submit", form({ ...applicant, ...told, resumeFile: pdf() })),
    ];
    expect(answers.map(({ receipt }) => Object.keys(receipt ?? {}))).toEqual([
      ["message", "inquiryId", "confirmationEmailSent"],
      ["message"],
      ["message", "applicationId", "confirmationEmailSent"],
    ]);
    const { inquiry, application, subscriber } = await latest();
    for (const stored of [inquiry, application, subscriber]) expect(stored?.consent).toEqual(kept);
    expect(inquiry?.consent?.at).toBe(inquiry?.receivedAt);
    expect(subscriber?.email).toBe(email);
  });

  test.each<[string, object, object | null]>([
    ["nothing", {}, null],
    ["a page alone", { consentPage: "https://example.org/" }, null],
    ["a blank version", { consentText: " \u200b ", consentPage: "https://example.org/" }, null],
    ["what is no text", { consentText: 7, consentPage: {} }, null],
    ["two versions", { consentText: ["1", "2"] }, null],
    ["a version that is too long", { consentText: "v".repeat(101) }, null],
    ["a control character", { consentText: "1\u0000" }, null],
    ["what is no page", { consentText: "1", consentPage: "javascript:alert(1)" }, { text: "1", page: null }],
    ["a secret page", { consentText: "1", consentPage: "https://a:b@example.org/" }, { text: "1", page: null }],
    ["a page that is too long", { consentText: "1", consentPage: `https://a.org/${"x".repeat(9_000)}` }, { text: "1" }],
  ])("%s is accepted", async (_what, fieldsOfIt, expected) => {
    expect((await send(service(), "marketplace.inquiry", json({ ...buyer, ...fieldsOfIt }))).status).toBe(200);
    const { inquiry } = await latest();
    if (expected === null) expect(inquiry?.consent).toBeNull();
    else expect(inquiry?.consent).toMatchObject(expected);
  });

  test("a repetition from another page is the same submission", async () => {
    const key = { "idempotency-key": `consent-${name}` };
    const once = await send(service(), "marketplace.inquiry", json({ ...buyer, ...told }, key));
    const again = await send(service(), "marketplace.inquiry", json({ ...buyer, consentText: "2" }, key));
    expect(again.receipt).toEqual(once.receipt);
    expect((await latest()).inquiry).toMatchObject({ reference: once.receipt?.["inquiryId"], consent: kept });
  });
});

describe("the site's forms", () => {
  test("show the line and say which, without script too, and again when they are refused", async () => {
    const front = await visit(service(), "/");
    expect(front.text.split('<a href="https://example.org/privacy" target="_blank" rel="noopener">')).toHaveLength(
      formNames.length + 1,
    );
    expect([typedIn(front, "consentText"), typedIn(front, "consentPage")]).toEqual(["2026-11", `${service().url}/`]);
    const sent = { consentText: "2026-11", consentPage: `${service().url}/` };
    const refused = await postForm(service(), "newsletter.subscribe", fields({ email: "nobody", ...sent }));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("privacy notice</a>");
    expect([typedIn(refused, "consentText"), typedIn(refused, "consentPage")]).toEqual(Object.values(sent));
    const email = "scriptless@example.org";
    expect((await postForm(service(), "newsletter.subscribe", fields({ email, ...sent }))).status).toBe(303);
    const { subscriber } = await latest();
    expect(subscriber).toMatchObject({ email, consent: { text: "2026-11", page: `${service().url}/` } });
  });

  test("say nothing where no notice is configured", async () => {
    await using plain = await startService();
    const { text } = await visit(plain, "/");
    expect(text).not.toMatch(/consent(?:Text|Page)|privacy/);
  });
});

test("operators see it with the submission, take it out with it, and erase it with it", async () => {
  const email = "consenting@example.org";
  for (const [procedure, more] of [
    ["marketplace.inquiry", { name: "Ann", selectedPackageIds: ["a"] }],
    ["newsletter.subscribe", {}],
  ] as const)
    await doors[0]!.send(service(), procedure, json({ email, ...more, ...told }));
  const admin = await operator(service(), "admin@example.org", "admin");
  const reference = (await latest()).inquiry?.reference;
  const detail = (await admin.call("submission.get", { reference })).data;
  expect(detail).toMatchObject({ fields: { consentText: kept.text, consentPage: kept.page } });
  const line = { consentText: kept.text, consentPage: kept.page, consentAt: expect.stringMatching(/Z$/) as string };
  const read = async (path: string) => recordsIn(await (await admin.fetch(path)).text());
  for (const subject of ["inquiries", "subscribers"]) {
    const rows = await read(`/console/exports/${subject}.ndjson`);
    expect(rows.find((row) => row.email === email)).toMatchObject(line);
  }
  const person = await read(`/console/people/${email}.ndjson`);
  for (const kind of ["inquiry", "subscription"]) expect(person.find((fact) => fact.kind === kind)).toMatchObject(line);
  expect((await admin.call("people.erase", { email })).status).toBe(200);
  const { inquiries, subscribers } = await service().stored();
  expect([...inquiries, ...subscribers].filter((one) => one.email === email)).toEqual([]);
  expect(JSON.stringify(await auditOf(service()))).not.toContain(email);
});
