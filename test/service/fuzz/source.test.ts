// What holds of the label of a newsletter source, whatever it is made of.
import { textLengthMax } from "@submissions/shared/limits";
import { normaliseSource } from "@submissions/shared/source";
import fc from "fast-check";
import { expect, test } from "vitest";
import { manyOrFew } from "../../support/many-or-few.ts";
import { hostileText } from "../../support/fuzz/strings.ts";

const source = fc.oneof(hostileText, fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.webPath());

test("is letters and digits joined by single dashes, at most 64, and its own label", () => {
  fc.assert(
    fc.property(source, (raw) => {
      const label = normaliseSource(raw);
      expect(label).toMatch(/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u);
      expect(Array.from(label).length).toBeLessThanOrEqual(textLengthMax.source);
      expect(normaliseSource(label)).toBe(label);
    }),
    { numRuns: manyOrFew(3_000) },
  );
});

test("holds nothing of an e-mail address, however it is wrapped and encoded", () => {
  const local = fc.stringMatching(/^[a-z0-9]{1,12}(\.[a-z0-9]{1,12})?$/).map((text) => `zq${text}`);
  const host = fc.stringMatching(/^[a-z0-9]{1,12}$/).map((text) => `xk${text}.example`);
  const at = fc.constantFrom("@", "＠", "%40", "%2540", "%EF%BC%A0", "%ef%bc%a0");
  const before = fc.constantFrom(
    "",
    " ",
    "/",
    "//h.example/",
    "https://h.example/",
    "HTTP://h.example//",
    "mailto:",
    "a b ",
    "<",
  );
  const after = fc.constantFrom("", "/more", "?utm=1", "#top", ">", ",b@c.example", " ", "\u200B");
  fc.assert(
    fc.property(before, local, at, host, after, (head, name, sign, domain, tail) => {
      const label = normaliseSource(`${head}${name}${sign}${domain}${tail}`);
      expect(label).not.toContain("zq");
      expect(label).not.toContain("xk");
    }),
    { numRuns: manyOrFew(3_000) },
  );
});

test("holds nothing that stands behind the first part of a path", () => {
  const scheme = fc.constantFrom("https://h.example/", "//h.example/", "/", "ftp://h.example//");
  const rest = fc.constantFrom("/zq", "?zq=1", "#zq", "?a=zq@h.example", "/a/zq", "?a#zq");
  fc.assert(
    fc.property(scheme, fc.stringMatching(/^[a-y0-9]{1,20}$/), rest, (start, segment, more) => {
      expect(normaliseSource(start + segment + more)).toBe(segment);
    }),
  );
});
