// Submissions as callers write them, and as they should not: fields, and what is done to fields before they are written
// down in any format.
import type { Random } from "./random.ts";
import type { Procedure } from "../doors.ts";

export type Fields = Record<string, unknown>;

/** The fields of a submission that is accepted, of a person that no other number has. */
export function validFields(procedure: Procedure, random: Random, number: number): Fields {
  const email = `reader${number}@example${random.int(50)}.org`;
  if (procedure === "newsletter.subscribe") {
    return random.oneIn(3) ? { email } : { email, source: random.pick(["footer", "Blog Post!", "/landing/a?b=c", ""]) };
  }
  if (procedure === "marketplace.inquiry") {
    const selectedPackageIds = Array.from({ length: 1 + random.int(4) }, (_, index) => `en-GB-${index}`);
    return { name: random.pick(names), email, selectedPackageIds, ...(random.oneIn(3) ? { company: "Ænima" } : {}) };
  }
  const more = { phone: "+351 912 345 678", portfolioUrl: "https://example.org/a?b#c", accent: "Glaswegian" };
  const letter = { coverLetter: `Dear sirs,\r\n\t${"I read. ".repeat(random.int(200))}` };
  return {
    fullName: random.pick(names),
    email,
    position: "Annotator",
    ...(random.oneIn(2) ? more : {}),
    ...(random.oneIn(3) ? letter : {}),
  };
}

const names = ["Ann Buyer", "Ана Соуза", "山田 太郎", "Ana 👩‍👩‍👧", "O'Neil-Smith", "N"];

/** Text that broke a parser before. */
const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0008b",
  "\r\nBcc: x@example.org",
  "\u202Egnp.exe",
  "\u200B\u3164",
  "\uD800",
  "e\u0301".repeat(300),
  `a${"\u0301".repeat(2_000)}`,
  "😀".repeat(201),
  "a".repeat(70_000),
  "<script>alert(1)</script>",
  "'; DROP TABLE mails; --",
  "${7*7}{{7*7}}",
  "../../etc/passwd",
  "%00%0d%0a",
  "javascript:alert(1)",
  "http://user:pw@example.org/",
  "not an address",
  "a@b@example.org",
  "__proto__",
  "true",
  "-1e999",
];

const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  1e308,
  [],
  {},
  [[]],
  ["a", "a"],
  [null],
  { toString: "x" },
  { length: 3 },
  Array.from({ length: 60 }, (_, index) => String(index)),
  Array.from({ length: 500 }, () => "x"),
];

const knownNames =
  "name fullName email company position phone source selectedPackageIds coverLetter portfolioUrl resumeUrl availability resumeFile".split(
    " ",
  );
const strangeNames = [
  "__proto__",
  "constructor",
  "toString",
  "a.b.c",
  "a[0]",
  "selectedPackageIds[0]",
  "",
  "\u0000",
  "é",
];

/** The same fields, a few of them spoilt. */
export function spoil(fields: Fields, random: Random): Fields {
  const spoilt: Fields = { ...fields };
  for (let change = 0; change <= random.int(3); change += 1) {
    const name = random.oneIn(4)
      ? random.pick(strangeNames)
      : random.pick(random.oneIn(3) ? knownNames : Object.keys(fields));
    const set = (value: unknown) =>
      Object.defineProperty(spoilt, name, { value, enumerable: true, configurable: true, writable: true });
    const what = random.int(5);
    if (what === 0) delete spoilt[name];
    else if (what === 1) set(random.pick(hostileValues));
    else if (what === 2) set(random.pick(hostileTexts) + random.pick(hostileTexts));
    else if (what === 3) set(nested(random.pick([2, 50, 3_000]), random));
    else set(random.pick(hostileTexts));
  }
  return spoilt;
}

function nested(depth: number, random: Random): unknown {
  const asList = random.oneIn(2);
  let value: unknown = "deep";
  for (let level = 0; level < depth; level += 1) value = asList ? [value] : { a: value };
  return value;
}

/** Bytes of a resume, and the name that its sender gave it. */
export function resumeOf(random: Random): { readonly bytes: Buffer; readonly filename: string } {
  const noise = Buffer.alloc(random.int(random.oneIn(10) ? 200_000 : 4_000), random.pick(["x", "\r\n--", "\0", "é"]));
  const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), noise, Buffer.from("\nstartxref\n0\n%%EOF\n")]);
  return { bytes, filename: random.pick(["cv.pdf", "Lebenslauf äöü.pdf", "a b.PDF", "x".repeat(180) + ".pdf"]) };
}

const badHeads = [
  "%PDF-1.7\n",
  "PK\u0003\u0004",
  "\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1",
  "GIF89a",
  "<html>",
  "",
];
const badNames = ["cv.exe", "cv.doc", "", "..\\..\\cv.pdf", "cv.pdf\u0000.exe", '"', "a/b/c.docx", "\u202Efdp.exe"];

/** A file that is mostly no resume. */
export function badResumeOf(random: Random): { readonly bytes: Buffer; readonly filename: string } {
  const rest = Buffer.from(Array.from({ length: random.int(2_000) }, () => random.int(256)));
  return {
    bytes: Buffer.concat([Buffer.from(random.pick(badHeads), "latin1"), rest]),
    filename: random.pick(badNames),
  };
}

/** The same bytes, some of them changed, lost, doubled or put in. */
export function mangle(bytes: Buffer, random: Random): Buffer {
  let mangled = Buffer.from(bytes);
  for (let change = 0; change <= random.int(4); change += 1) {
    const at = random.int(mangled.length + 1);
    const length = random.int(random.oneIn(4) ? 200 : 4);
    const before = mangled.subarray(0, at);
    const after = mangled.subarray(at);
    const what = random.int(5);
    if (what === 0) mangled = Buffer.concat([before, after.subarray(length)]);
    else if (what === 1) mangled = Buffer.concat([before, after.subarray(0, length), after]);
    else if (what === 2) mangled = Buffer.concat([before, Buffer.from(random.pick(splinters), "latin1"), after]);
    else if (what === 3) mangled = Buffer.concat([before, noise(random, length), after.subarray(length)]);
    else mangled.fill(random.int(256), at, Math.min(at + 1, mangled.length));
  }
  return mangled;
}

const noise = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.int(256)));

const splinters = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  "--",
  "\r\n\r\n",
  "\r\n--fuzz--\r\n",
  "\u00ff\u00fe",
  "\u00ef\u00bb\u00bf",
  "\u00c0\u00af",
  "\u00ed\u00a0\u0080",
  "\\u0000",
  "\\ud800",
  "[".repeat(5_000),
  '{"a":'.repeat(3_000),
  "%",
  "%zz",
  "%00",
  "&email=a@b.example",
  '","email":"a@b.example',
  "1e999",
  "=",
  ";",
  ":",
];
