// Files of subscribers as spreadsheets and other programs write them, and those that are refused as a whole.
import { expect, test } from "vitest";
import { Fault } from "../fault.ts";
import { csvLine } from "./csv.ts";
import { readSubscriberFile } from "./subscriber-file.ts";

const cellsOf = async (csv: string) =>
  (await readSubscriberFile(csv)).rows.map(({ row, cells }) => [row, cells] as const);

test.each([
  ["commas", "email,source\r\na@example.org,fair\r\n"],
  ["semicolons, as Excel writes them in Austria", "\uFEFFemail;source\r\na@example.org;fair\r\n"],
  ["tabs and no line end at the end", "email\tsource\na@example.org\tfair"],
  ["quotation marks around every cell", '"email","source"\r\n"a@example.org","fair"\r\n'],
  ["the line ends of old machines", "email,source\ra@example.org,fair\r"],
  ["columns in another order and case", "Source,EMAIL\nfair,a@example.org\n"],
  ["a line that names the separator", "sep=;\nemail;source\na@example.org;fair\n"],
  ["such a line behind a byte-order mark", "\uFEFFSEP=,\r\nemail,source\r\na@example.org,fair\r\n"],
  ["such a line in quotation marks", '"sep=;"\r"email";"source"\r"a@example.org";"fair"\r'],
  ["such a line with empty cells behind it", '"sep=;";;\r\nemail;source;\r\na@example.org;fair;\r\n'],
  ["such a line that names the tab", "sep=\t\nemail\tsource\na@example.org\tfair"],
])("reads %s", async (_, csv) => {
  expect(await cellsOf(csv)).toEqual([[2, { email: "a@example.org", source: "fair" }]]);
});

test.each([
  ["quoted commas", 'email;"consent, source"', "a@example.org;x,y", "consent, source"],
  ["quoted semicolons", 'email,"consent; source; other"', "a@example.org,x,y", "consent; source; other"],
  ["quoted line ends", 'email;"consent\n, or not, or"', "a@example.org;x,y", "consent\n, or not, or"],
  ["quoted quotation marks", 'email\t"say ""yes"", please, now"', "a@example.org\tx,y", 'say "yes", please, now'],
  ["a comma that is not quoted", "email;name, title;source", "a@example.org;x,y;", "name, title"],
])("a header with %s has the columns that its separators make", async (_, head, row, column) => {
  const { rows, unread } = await readSubscriberFile(`${head}\n${row}\n`);
  expect([rows[0]?.cells["email"], unread[0]]).toEqual(["a@example.org", column]);
});

test("the line that names the separator wins over the header, and counts as no row", async () => {
  const { rows, unread } = await readSubscriberFile("sep=;\nemail;a,b,c\na@example.org;x\n");
  expect([rows, unread]).toEqual([[{ row: 2, cells: { email: "a@example.org" } }], ["a,b,c"]]);
});

test("takes off the apostrophes of an export, and no others", async () => {
  const texts = ["-dash@example.org", "'quoted@example.org", "'-both@example.org", "2026-11", "'tis", "=1"];
  const csv = csvLine(["email", "consentText"]) + texts.map((text) => csvLine([text, text])).join("");
  expect((await cellsOf(csv)).map(([, cells]) => cells)).toEqual(
    texts.map((text) => ({ email: text, consentText: text })),
  );
});

test("reads commas, line ends and quotation marks in quoted cells", async () => {
  const csv =
    'email,consentText\na@example.org,"Yes, I said ""please"".\nThank you."\nb@example.org,""\nc@example.org,""""\n';
  expect(await cellsOf(csv)).toEqual([
    [2, { email: "a@example.org", consentText: 'Yes, I said "please".\nThank you.' }],
    [3, { email: "b@example.org", consentText: "" }],
    [4, { email: "c@example.org", consentText: '"' }],
  ]);
});

test("reads what stands around quotation marks that do not fit", async () => {
  expect(await cellsOf('email,source\na@example.org,"fair" x\nb@example.org,a "b"\n')).toEqual([
    [2, { email: "a@example.org", source: "fair x" }],
    [3, { email: "b@example.org", source: 'a "b"' }],
  ]);
});

test("counts rows as spreadsheets do, passes over blank ones, and takes missing cells as blank", async () => {
  expect(await cellsOf("email,source\na@example.org\n\n , \nb@example.org,\n")).toEqual([
    [2, { email: "a@example.org", source: "" }],
    [5, { email: "b@example.org", source: "" }],
  ]);
});

test("names the columns that it does not read", async () => {
  expect((await readSubscriberFile("name,email,consent_at,\nAnn,a@example.org,,\n")).unread).toEqual([
    "name",
    "consent_at",
  ]);
});

const rowsOf = (count: number) => `email\n${"a@example.org\n".repeat(count)}`;

test("takes 10,000 rows, however many are blank below them", async () => {
  expect((await readSubscriberFile(`${rowsOf(10_000)}\n,,\n\n`)).rows).toHaveLength(10_000);
});

test.each([
  ["more than 10,000 rows", rowsOf(10_001), "more than 10,000 rows"],
  ["no column email", "mail,source\na@example.org,fair\n", "There is no email."],
  ["nothing", "", "There is no email."],
  ["no rows", "email,source\n", "no rows"],
  ["a quotation mark that is not closed", 'email\na@b.org\n"b@example.org\nc@example.org\n', "row 3 is not closed"],
  ["a row of separators", `email\n${",".repeat(1_000_000)}`, "Row 2"],
  ["a cell of quotation marks", `email\n"${'""'.repeat(1_000_000)}"`, "cell in row 2 is too long"],
])("refuses a file with %s, as a whole", async (_, csv, problem) => {
  const refusal: unknown = await readSubscriberFile(csv).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Fault);
  expect(refusal).toMatchObject({
    fault: "fieldsInvalid",
    issues: [{ path: ["csv"], message: expect.stringContaining(problem) as string }],
  });
});

test.each([
  [
    "many cells",
    `email,${Array.from({ length: 99 }, (_, at) => `c${at}`).join()}\n${`a@b.org${",x".repeat(99)}\n`.repeat(9_999)}`,
  ],
  ["long cells", `email,note\n${`a@b.org,"${"x".repeat(40_000)}"\n`.repeat(50)}`],
  ["quotation marks", `email,note\n${`a@b.org,"${'""'.repeat(20_000)}"\n`.repeat(50)}`],
])("a file of %s is read in many turns of the event loop, and keeps its five columns only", async (_, csv) => {
  let [turns, isRead] = [0, false];
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const { rows } = await readSubscriberFile(csv);
  isRead = true;
  expect(turns).toBeGreaterThan(csv.length / 50_000);
  expect(rows.every(({ cells }) => Object.keys(cells).join() === "email")).toBe(true);
});
