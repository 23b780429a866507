// Each line of the table of fields (docs/api.md), tried at both doors: the longest value that is taken, and the shortest that
// is refused by its name and leaves nothing behind. What is optional may be left out, blank or null.
import { afterAll, describe, expect, test } from "vitest";
import { applicant, buyer, doors, json, type Procedure } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService());
const refusing = shared(() => startService());

/** One code point and two code units each, so that a limit in code units would show. */
const letters = (length: number) => "𝒳".repeat(length);
const email = (length: number) =>
  `${"a".repeat(64)}@${"b".repeat(62)}.${"b".repeat(62)}.${"b".repeat(length - 194)}.de`;
const url = (length: number) => `https://example.org/${"a".repeat(length - 20)}`;
const packages = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);

type Line = readonly [
  procedure: Procedure,
  field: string,
  need: "required" | "optional",
  taken: unknown,
  refused: unknown,
  path?: string,
];

const lines: readonly Line[] = [
  ["marketplace.inquiry", "name", "required", letters(200), letters(201)],
  ["marketplace.inquiry", "email", "required", email(254), email(255)],
  ["marketplace.inquiry", "selectedPackageIds", "required", packages(50), packages(51)],
  ["marketplace.inquiry", "selectedPackageIds", "required", [letters(100)], [letters(101)], "selectedPackageIds.0"],
  ["marketplace.inquiry", "company", "optional", letters(200), letters(201)],
  ["newsletter.subscribe", "email", "required", email(254), email(255)],
  ["applications.submit", "fullName", "required", letters(200), letters(201)],
  ["applications.submit", "email", "required", email(254), email(255)],
  ["applications.submit", "position", "required", letters(200), letters(201)],
  ["applications.submit", "phone", "optional", "1".repeat(40), "1".repeat(41)],
  ["applications.submit", "company", "optional", letters(200), letters(201)],
  ["applications.submit", "availability", "optional", letters(500), letters(501)],
  ["applications.submit", "accent", "optional", letters(200), letters(201)],
  ["applications.submit", "portfolioUrl", "optional", url(2_048), url(2_049)],
  ["applications.submit", "portfolioUrl", "optional", "http://example.org/", "https://user:secret@example.org/"],
  ["applications.submit", "resumeUrl", "optional", url(2_048), url(2_049)],
  ["applications.submit", "resumeUrl", "optional", "http://example.org/", "ftp://example.org/cv"],
  ["applications.submit", "coverLetter", "optional", letters(20_000), letters(20_001)],
];

const honest: Readonly<Record<Procedure, object>> = {
  "marketplace.inquiry": buyer,
  "newsletter.subscribe": { email: "ann@example.org" },
  "applications.submit": applicant,
};

describe.each(doors)("over $name", (door) => {
  afterAll(async () => {
    expect(await refusing().stored()).toEqual({ inquiries: [], applications: [], subscribers: [] });
  });

  const send = async (at: { readonly url: string }, procedure: Procedure, field: string, value: unknown) => {
    const { status, fault } = await door.send(at, procedure, json({ ...honest[procedure], [field]: value }));
    return [status, ...(fault?.issues ?? []).map(({ path }) => path.join("."))];
  };

  test.for(lines)("%s: %s is %s and has its limits", async ([procedure, field, need, taken, refused, path = field]) => {
    expect(await send(service(), procedure, field, taken)).toEqual([200]);
    expect(await send(refusing(), procedure, field, refused)).toEqual([400, path]);
    const blank = Array.isArray(taken) ? [[], null, undefined] : [" \u200B", "", null, undefined];
    for (const none of blank) {
      const answer = await send(need === "required" ? refusing() : service(), procedure, field, none);
      expect(answer).toEqual(need === "required" ? [400, field] : [200]);
    }
  });

  test.each([7, "x".repeat(20_000), "https://www.example.org/autumn/fair", null, { a: 1 }, [], "ann@example.org"])(
    "newsletter.subscribe: source is optional and never refused (case %#)",
    async (source) => {
      expect(await send(service(), "newsletter.subscribe", "source", source)).toEqual([200]);
    },
  );
});
