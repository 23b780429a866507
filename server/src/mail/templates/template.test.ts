import { html } from "@submissions/shared/html";
import { expect, test } from "vitest";
import { frame, placeOf, template, textTemplate } from "./template.ts";

const greet = frame<"name" | "url">((place) => html`<p class="a"><a href="${place("url")}">${place("name")}</a></p>`);

test("a frame puts each fill into its place, escaped unless it is markup", () => {
  expect(greet({ name: `<b>"&'`, url: "/?a='&b" }).text).toBe(
    "<p class='a'><a href='/?a=&#39;&amp;b'>&lt;b&gt;&quot;&amp;&#39;</a></p>",
  );
  expect(greet({ name: html`<b>x</b>`, url: "/" }).text).toBe("<p class='a'><a href='/'><b>x</b></a></p>");
});

test("a frame leaves a fill alone that looks like a place or holds line breaks and quotes", () => {
  const text = frame<"value">((place) => html`<pre>${place("value")}</pre>`);
  expect(text({ value: "\0value\0\n" }).text).toBe("<pre>\0value\0\n</pre>");
});

test("a place may be used twice, and a fill may be missing or a list", () => {
  const twice = frame<"value">((place) => html`${place("value")}, ${place("value")}`);
  expect(twice({ value: ["a", html`<br />`] }).text).toBe("a<br />, a<br />");
  expect(twice({ value: null }).text).toBe(", ");
});

test("what is fixed in a frame holds nothing that JSON has to escape", () => {
  const fixed = greet({ name: "", url: "" }).text;
  expect(JSON.stringify(fixed)).toBe(`"${fixed}"`);
  expect(() => frame(() => html`<p>it's</p>`)).toThrow("single quote");
});

test("markup with words in it is left as it is between the places", () => {
  const words = template<"name">((place) => html`<b title="${'"'}">it's ${place("name")}</b>`);
  expect(words({ name: "<i>" }).text).toBe(`<b title="&quot;">it's &lt;i&gt;</b>`);
});

test("a text is filled without escaping, and what stands in a place is no place", () => {
  const text = textTemplate(`Hello ${placeOf("name")}, ${placeOf("name")} & "${placeOf("reference")}"`);
  expect(text({ name: "<b>\0reference\0", reference: "INQ-1" })).toBe(
    'Hello <b>\0reference\0, <b>\0reference\0 & "INQ-1"',
  );
});
