// The forms as text: no value becomes markup, and a form without script sends what it must.
import { expect, test } from "vitest";
import { formAction, formMarkup as markupOf } from "./form-markup.ts";
import { fieldsOf, formNames, packageIdsOf, type FormName } from "./form-fields.ts";
import type { FormState } from "./form-state.ts";
import { english } from "./form-strings.ts";

const formMarkup = (form: FormName, state: FormState): string => markupOf(form, state).text;

const stateOf = (more: Partial<FormState> = {}): FormState => ({
  action: "/here",
  values: {},
  issues: [],
  packages: null,
  strings: english,
  idempotencyKey: "key-1",
  ...more,
});

test.each(formNames)("the %s form posts every field under its name, its key, and the empty trap", (form) => {
  const markup = formMarkup(form, stateOf());
  for (const { name } of fieldsOf(form)) expect(markup).toContain(`name="${name}"`);
  expect(markup).toContain('name="idempotencyKey" value="key-1"');
  expect(markup).toContain('name="website"');
  expect(markup).toMatch(/<form[^>]*method="post"[^>]*action="\/here"/);
  expect(markup.includes("multipart/form-data")).toBe(fieldsOf(form).some(({ kind }) => kind === "file"));
});

test.each(formNames)(
  "browsers and password managers do not fill the trap of the %s form, and no key reaches it",
  (form) => {
    const trap = /<input name="website"[^>]*>/.exec(formMarkup(form, stateOf()))?.[0];
    for (const word of ["data-1p-ignore", 'data-lpignore="true"', "data-bwignore", 'data-form-type="other"'])
      expect(trap).toContain(` ${word}`);
    expect(trap).toContain(' autocomplete="off"');
    expect(trap).toContain(' tabindex="-1"');
    expect(trap).not.toContain(" value=");
  },
);

test.each(formNames)("nothing that is filled into the %s form becomes markup", (form) => {
  const evil = `"'><script>alert(1)</script>&amp;`;
  const values = Object.fromEntries([...fieldsOf(form).map(({ name }) => name), "source"].map((name) => [name, evil]));
  const issues = [...fieldsOf(form).map(({ name }) => name), evil].map((name) => ({ path: [name], message: evil }));
  for (const packages of [null, [{ id: evil, title: evil }]]) {
    const state = stateOf({ values, issues, packages, message: evil, action: evil, idempotencyKey: evil });
    expect(formMarkup(form, state)).not.toMatch(/<script|&amp;(?!amp;)|"'>/);
    expect(formMarkup(form, { ...state, receipt: { message: evil, reference: evil } })).not.toMatch(
      /<script|&amp;(?!amp;)|"'>/,
    );
  }
});

test("a form comes back with its values, line breaks at the beginning included", () => {
  const packages = [
    { id: "a", title: "A" },
    { id: "b", title: "B" },
  ];
  const inquiry = formMarkup("inquiry", stateOf({ packages, values: { name: "Ann", selectedPackageIds: ["b"] } }));
  expect(inquiry).toMatch(/name="name"[^>]*value="Ann"/);
  expect(inquiry).toMatch(/value="b"\s+checked/);
  expect(inquiry).not.toMatch(/value="a"\s+checked/);
  // The first line break of a text area is not part of its text.
  expect(formMarkup("application", stateOf({ values: { coverLetter: "\nHello" } }))).toContain(">\n\nHello</textarea>");
});

test("a problem stands at its field, which names it as its description, and above the form", () => {
  const issues = [{ path: ["phone"], message: "Enter a telephone number." }];
  const markup = formMarkup("application", stateOf({ issues }));
  const words = "Enter a number like +44 20 7946 0018, or leave the field empty.";
  expect(markup).toContain(`id="phone-error">${words}</p>`);
  expect(markup).toMatch(/id="phone"[^>]*aria-describedby="phone-error"[^>]*aria-invalid="true"/);
  expect(markup).toContain(`Telephone: ${words}`);
  expect(markup.match(/aria-invalid/g)).toHaveLength(1);
});

test("a subscription's receipt names the address, and no value in it becomes markup", () => {
  const receipt = { message: "Thank you.", email: "<b>@example.org" };
  const markup = formMarkup("newsletter", stateOf({ receipt }));
  expect(markup).toContain("We wrote to <strong>&lt;b&gt;@example.org</strong>. Wrong address?");
  expect(markup).not.toContain("<b>");
});

test("fields of a page may say null of what they leave out, and numbers where texts belong", () => {
  const fields = `[{ "name": "hours", "label": null, "type": "select", "options": [10, { "value": "x" }, { "value": 20, "label": null }] },
    { "name": "note", "type": null, "maximum": null, "required": null }]`;
  const values = { hours: "20" };
  const markup = formMarkup("application", stateOf({ fields: JSON.parse(fields) as [], values }));
  expect(markup).toContain('>hours <span class="optional"');
  for (const option of ['"10" >10<', '"x" >x<', '"20"  selected>20<'])
    expect(markup).toContain(`<option value=${option}`);
  expect(markup).toMatch(/<input[^>]*name="note"[^>]*maxlength="2000"/);
});

test("a receipt takes the place of the form", () => {
  const receipt = { message: "Thank you.", reference: "INQ-20261121-042137" };
  const markup = formMarkup("inquiry", stateOf({ receipt }));
  expect(markup).toContain("INQ-20261121-042137");
  expect(markup).not.toContain("<form");
});

test("identifiers are taken from ticked boxes and from lines alike", () => {
  expect(packageIdsOf(["a", "b\r\nc d\n\n  \ne,f"])).toEqual(["a", "b", "c d", "e,f"]);
});

test("a form is sent to its path below any base address", () => {
  expect(formAction("newsletter", "https://a.org/base/")).toBe("https://a.org/base/api/newsletter/subscribe");
  expect(formAction("inquiry", "")).toBe("/api/marketplace/inquiry");
});
