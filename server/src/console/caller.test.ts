import { expect, test } from "vitest";
import { requireOwnLink, requireOwnPage } from "./caller.ts";

const base = "https://service.example/below";

test.each([
  ["a page of the console", { "sec-fetch-site": "same-origin" }],
  ["an old browser", { origin: "https://service.example" }],
  ["a script with a token", { authorization: "Bearer t0ken" }],
])("a call passes: %s", (_whose, headers) => {
  expect(() => requireOwnPage({ headers }, base)).not.toThrow();
});

test.each([
  ["a page of another site", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }],
  ["a page of a neighbouring host", { "sec-fetch-site": "same-site", origin: "https://blog.service.example" }],
  ["typed in", { "sec-fetch-site": "none" }],
  ["an old browser on another site", { origin: "https://evil.example" }],
  ["an old browser in a frame without origin", { origin: "null" }],
  ["a page that claims our origin but is not", { "sec-fetch-site": "cross-site", origin: "https://service.example" }],
  ["a program without headers", {}],
])("a call is refused: %s", (_whose, headers) => {
  expect(() => requireOwnPage({ headers }, base)).toThrow("This request did not come from the console.");
});

test.each([
  [true, "same-origin"],
  [true, "none"],
  [true, undefined],
  [false, "same-site"],
  [false, "cross-site"],
])("a download is let through (%s) for a link of %s", (passes, site) => {
  const open = () => requireOwnLink({ headers: site === undefined ? {} : { "sec-fetch-site": site } });
  if (passes) expect(open).not.toThrow();
  else expect(open).toThrow("This request did not come from the console.");
});
