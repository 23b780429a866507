import { expect, test } from "vitest";
import { foreignSites } from "./origin.ts";

const isForeign = foreignSites({
  publicUrl: () => "https://here.example/base",
  corsOrigins: ["https://partner.example"],
});

test.each([
  ["neither header", undefined, undefined, false],
  ["a page of another site", "cross-site", "https://elsewhere.example", true],
  ["a page of another site that hides its origin", "cross-site", "null", true],
  ["a navigation from another site without an origin", "cross-site", undefined, true],
  ["an allowed page of another site", "cross-site", "https://partner.example", false],
  ["a page of this service", "same-origin", "https://here.example", false],
  ["a page of a sibling host", "same-site", "https://www.here.example", false],
  ["an address that a person typed", "none", undefined, false],
  ["an old browser on this service's page", undefined, "https://here.example", false],
  ["an old browser on an allowed page", undefined, "https://partner.example", false],
  ["an old browser on another page", undefined, "https://elsewhere.example", true],
  ["another port", undefined, "https://here.example:8443", true],
  ["another scheme", undefined, "http://here.example", true],
  ["a page without an origin of its own", undefined, "null", true],
])("%s", (_, site, origin, expected) => {
  const headers = {
    ...(site === undefined ? {} : { "sec-fetch-site": site }),
    ...(origin === undefined ? {} : { origin }),
  };
  expect(isForeign({ method: "POST", headers })).toBe(expected);
  expect(isForeign({ method: "GET", headers })).toBe(false);
});
