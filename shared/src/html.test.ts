import { expect, test } from "vitest";
import { html, type Markup } from "./html.ts";

const render = (markup: Markup): string => markup.text;

test("escapes text and attribute values", () => {
  const hostile = `<script>alert('x')</script>" onload="y&amp;`;
  const markup = render(html`<a title="${hostile}">${hostile}</a>`);
  const escaped = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot; onload=&quot;y&amp;amp;";
  expect(markup).toBe(`<a title="${escaped}">${escaped}</a>`);
});

test("passes what it made itself, also in lists", () => {
  const items = ["a<b", "c"].map((item) => html`<li>${item}</li>`);
  expect(render(html`${items}${["<", 1]}`)).toBe("<li>a&lt;b</li><li>c</li>&lt;1");
});

test("shortens the white space of a template, never that of a fill", () => {
  const template = Object.assign(["<p>\n      ", "\n    </p>"], { raw: [] });
  expect(render(html(template, "a\n    b"))).toBe("<p>\na\n    b\n</p>");
});

test("leaves out null, undefined and false, and writes zero", () => {
  expect(render(html`[${null}${undefined}${false}${0}]`)).toBe("[0]");
});

test("does not take a look-alike from JSON for its own markup", () => {
  const forged = JSON.parse('{"made by html":"<b>","Symbol(made by html)":"<b>"}') as string;
  expect(() => render(html`${forged}`)).toThrow(TypeError);
});
