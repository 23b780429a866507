// The documents that repeat what the code says must say the same.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { faults, type FaultEntry } from "@submissions/shared/faults";
import { formMarkup, summaryMarkup } from "@submissions/shared/forms/form-markup";
import { english } from "@submissions/shared/forms/form-strings";
import { formStyle } from "@submissions/shared/forms/form-style";
import { bytesMax, batchCallsMax, namesMax } from "@submissions/shared/limits";
import { expect, test } from "vitest";
import { listEntriesMax } from "../../../server/src/http/body/form-body.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

// After the table in the code has changed, `npx vitest run --project unit -u documents` writes it anew.
test("docs/errors.md lists every fault of the table, and nothing else", async () => {
  const [before, , after, ...more] = read("docs/errors.md").split(/<!-- (?:\/)?faults -->/);
  expect([after, ...more]).toHaveLength(1);
  const listed = Object.entries<FaultEntry>(faults).map(([name, { status, code, message, when, console }]) => ({
    heading: console ? "## In the console" : `## ${status} \`${code}\``,
    line: [`- **${name}**${console ? ` (${status})` : ""}: “${message}”`, when].filter(Boolean).join(" "),
    last: console === true,
  }));
  const inOrder = listed.toSorted((a, b) => Number(a.last) - Number(b.last));
  const text = Array.from(
    Map.groupBy(inOrder, ({ heading }) => heading),
    ([heading, of]) => `${heading}\n\n${of.map(({ line }) => line).join("\n")}\n`,
  ).join("\n");
  const expected = `${before}<!-- faults -->\n\n${text}\n<!-- /faults -->${after}`;
  await expect(expected).toMatchFileSnapshot(fileURLToPath(new URL("../../../docs/errors.md", import.meta.url)));
});

test("the words of faults agree with the limits they name", () => {
  expect(faults.resumeTooLarge.when).toContain(bytesMax.resume.toLocaleString("en"));
  expect(faults.fieldTooLarge.when).toContain(bytesMax.formField.toLocaleString("en"));
  expect(faults.bodyTooLarge.when).toContain(`${bytesMax.json / 1024} KiB`);
  for (const max of [bytesMax.jsonOfApplication, bytesMax.jsonOfBatch])
    expect(faults.bodyTooLarge.when).toContain(`an application and a batch: ${max / 1024} KiB`);
  expect(faults.headersTooLarge.when).toContain(`${bytesMax.headers / 1024} KiB`);
  expect(faults.namesTooMany.when).toContain(`more than ${namesMax} names`);
  expect(faults.namesTooMany.when).toContain(listEntriesMax.toLocaleString("en"));
  expect(faults.batchTooLarge.when).toContain(String(batchCallsMax));
});

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();
const found = (text: string, pattern: RegExp) => sorted([...text.matchAll(pattern)].map((match) => match[1]!));
const [, properties = "", parts = ""] =
  /(\| Custom property \|[^]*)(\| Parts \|[^]*)## What a page's policy/.exec(read("docs/forms.md")) ?? [];

test("docs/forms.md names every part for pages to style the forms by, and no others", () => {
  const state = {
    action: "/",
    values: {},
    issues: [],
    packages: [{ id: "a", title: "A" }],
    strings: english,
    idempotencyKey: "k",
    privacy: { url: "https://datasets.example/privacy" },
  };
  const receipt = { message: "Thanks.", reference: "INQ-20261121-042137", email: "ann@example.org" };
  const markup = [
    formMarkup("newsletter", { ...state, receipt: { message: "Thanks.", email: "ann@example.org" } }),
    formMarkup("inquiry", state),
    formMarkup("application", state),
    formMarkup("inquiry", { ...state, receipt }),
    summaryMarkup([], english, { message: "That did not work.", retry: true }),
  ];
  expect(found(parts, /`([a-z-]+)`/g)).toEqual(found(markup.map(({ text }) => text).join(""), /part="([^"]+)"/g));
});

test("docs/forms.md names every custom property, and no others", () => {
  expect(found(properties, /(--form-[a-z-]+)/g)).toEqual(found(formStyle, /(--form-[a-z-]+)/g));
});

test("the forms have the blue of the site, in light and in dark", () => {
  const style = read("server/src/http/pages/base.css");
  for (const name of ["accent", "on-accent"]) {
    const [light, dark] = Array.from(style.matchAll(new RegExp(`--${name}: (#\\w+);`, "g")), ([, colour]) => colour);
    expect(formStyle).toContain(`--${name}: var(--form-${name}, light-dark(${light}, ${dark}))`);
  }
});
