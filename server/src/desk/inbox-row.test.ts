import { expect, test } from "vitest";
import { application as anApplication, inquiry as anInquiry } from "../../../test/contract/records.ts";
import { application, inquiry } from "../../../test/support/mail/examples.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { foundRows, inboxRow } from "./inbox-row.ts";

const rowsFound = async (...asked: Parameters<typeof foundRows>) => (await Array.fromAsync(foundRows(...asked))).flat();

const titles = new Map([["de-AT", "Austrian German, conversations"]]);

test("rows name packages by their titles, else by the language that they name, else as they are", () => {
  expect(inboxRow(inquiry, titles).summary).toBe("British English, scottish; Austrian German, conversations");
  const selectedPackageIds = ["ja-JP-kansai", "pl-PL", "tv-news", "xx-YY"];
  expect(inboxRow({ ...inquiry, selectedPackageIds }, null).summary).toBe(
    "Japanese (Japan), kansai; Polish (Poland); tv-news; xx-YY",
  );
});

test("a row tells the position, and apart from it how the letter begins, in one line", () => {
  const rowOf = (coverLetter: string | null) =>
    inboxRow({ ...application, position: "Annotator", coverLetter }, titles);
  expect(rowOf("Dear team,\n\nI would like to join.")).toMatchObject({
    summary: "Annotator",
    beginning: "Dear team, I would like to join.",
  });
  expect(rowOf(null)).toMatchObject({ summary: "Annotator", beginning: "" });
  expect(rowOf("x".repeat(300)).beginning).toBe(`${"x".repeat(119)}…`);
  expect(inboxRow({ ...inquiry, more: { message: "We need\nCzech." } }, titles).beginning).toBe("We need Czech.");
});

test("a row tells whether there is a resume, and in a search the sentence that was found", async () => {
  expect(inboxRow(inquiry, null)).toMatchObject({ hasResume: false, disposable: false });
  expect(inboxRow({ ...application, resume: null }, null).hasResume).toBe(false);
  const [found] = await rowsFound(
    nothingElse,
    [stored({ ...application, coverLetter: "Hello. I speak Czech." })],
    null,
    "czech",
  );
  expect(found).toMatchObject({ hasResume: application.resume !== null, match: "I speak Czech." });
  expect(found).not.toHaveProperty("coverLetter");
});

const stored = (submission: object) => submission as unknown as StoredSubmission;
const nothingElse = { textsAbout: async () => [] };
const matchedSentence = async (submission: StoredSubmission, search: string, texts: readonly string[] = []) =>
  (await rowsFound({ textsAbout: async () => texts }, [submission], null, search))[0]?.match;
const letter = (coverLetter: string) => stored(anApplication(1, { coverLetter }));

test("the sentence with the word is shown, and not its neighbours", async () => {
  const found = letter("Dear team,\n\nI work in a lab. We transcribe Czech speech daily! Yours, Ann");
  expect(await matchedSentence(found, "czech")).toBe("We transcribe Czech speech daily!");
  expect(await matchedSentence(found, "team")).toBe("Dear team,");
});

test("a part of a word is no match, and accents and case make no difference", async () => {
  expect(await matchedSentence(letter("The ears. An ear. Müller."), "EAR")).toBe("An ear.");
  expect(await matchedSentence(letter("Bei Müller gelernt."), "muller")).toBe("Bei Müller gelernt.");
});

test("what a search finds is shown: parts of what has no spaces, and folded letters", async () => {
  expect(await matchedSentence(letter("我们在北京。中文语料库需要很多方言。谢谢！"), "方言")).toBe(
    "中文语料库需要很多方言。",
  );
  expect(await matchedSentence(letter("Ich wohne in Köln. Die Straße ist laut."), "strasse")).toBe(
    "Die Straße ist laut.",
  );
  expect(await matchedSentence(letter("Z Łodzi. مُعَلِّم هنا."), "معلم lodzi")).toBe("Z Łodzi.");
  const long = letter(`${"語".repeat(400)}東京音声${"語".repeat(400)}`);
  expect(await matchedSentence(long, "東京")).toMatch(/^….*東京音声.*…$/);
});

test("of several texts the one with the most of the words is shown", async () => {
  const found = stored(anInquiry(1, { company: "Speech Labs", more: { message: "We need speech in Czech." } }));
  expect(await matchedSentence(found, "czech speech")).toBe("We need speech in Czech.");
});

test("a sentence that is too long is cut around the word", async () => {
  const shown = await matchedSentence(letter(`${"word ".repeat(100)}needle${" word".repeat(100)}`), "needle");
  expect(shown).toMatch(/^….*needle.*…$/);
  expect(shown?.length).toBeLessThanOrEqual(200);
});

test("where no text has a word, there is no sentence", async () => {
  expect(await matchedSentence(letter("Something else."), "needle")).toBe("");
});

test("what was written later is looked through where a word is missing, and only then", async () => {
  const texts = ["We pay 40 EUR an hour. The zebra waits.", "Zebra, zebra."];
  expect(await matchedSentence(letter("I speak Czech."), "zebra", texts)).toBe("The zebra waits.");
  expect(await matchedSentence(letter("I speak Czech to a zebra."), "zebra", texts)).toBe("I speak Czech to a zebra.");
  expect(await matchedSentence(letter("A zebra."), "zebra hour", texts)).toBe("We pay 40 EUR an hour.");
  const long = Array.from({ length: 50 }, () => `${"word ".repeat(2_000)}.`);
  expect(await matchedSentence(letter(""), "zebra", [...long, "A zebra."])).toBe("");
});
