import { html } from "@submissions/shared/html";
import { expect, test } from "vitest";
import { frame } from "./frame.ts";

const greet = frame<"name" | "url">((slot) => html`<p class="a"><a href="${slot("url")}">${slot("name")}</a></p>`);

test("puts each fill into its place, escaped unless it is markup", () => {
  expect(greet({ name: `<b>"&'`, url: "/?a='&b" }).text).toBe(
    "<p class='a'><a href='/?a=&#39;&amp;b'>&lt;b&gt;&quot;&amp;&#39;</a></p>",
  );
  expect(greet({ name: html`<b>x</b>`, url: "/" }).text).toBe("<p class='a'><a href='/'><b>x</b></a></p>");
});

test("leaves a fill alone that looks like a slot or holds line breaks and quotes", () => {
  const text = frame<"value">((slot) => html`<pre>${slot("value")}</pre>`);
  expect(text({ value: "\0value\0\n" }).text).toBe("<pre>\0value\0\n</pre>");
});

test("a slot may be used twice, and a fill may be missing or a list", () => {
  const twice = frame<"value">((slot) => html`${slot("value")}, ${slot("value")}`);
  expect(twice({ value: ["a", html`<br />`] }).text).toBe("a<br />, a<br />");
  expect(twice({ value: null }).text).toBe(", ");
});

test("what is fixed holds nothing that JSON has to escape", () => {
  const fixed = greet({ name: "", url: "" }).text;
  expect(JSON.stringify(fixed)).toBe(`"${fixed}"`);
  expect(() => frame(() => html`<p>it's</p>`)).toThrow("single quote");
});
