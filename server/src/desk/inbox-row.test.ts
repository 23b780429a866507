import { expect, test } from "vitest";
import { application as anApplication, inquiry as anInquiry } from "../../../test/contract/records.ts";
import { application, inquiry } from "../../../test/support/mail/examples.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { inboxRow, matchedSentence } from "./inbox-row.ts";

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

test("a row tells whether there is a resume, and in a search the sentence that was found", () => {
  expect(inboxRow(inquiry, null)).toMatchObject({ hasResume: false, disposable: false });
  expect(inboxRow({ ...application, resume: null }, null).hasResume).toBe(false);
  const found = inboxRow({ ...application, coverLetter: "Hello. I speak Czech." }, null, "czech");
  expect(found).toMatchObject({ hasResume: application.resume !== null, match: "I speak Czech." });
  expect(found).not.toHaveProperty("coverLetter");
});

const stored = (submission: object) => submission as unknown as StoredSubmission;
const letter = (coverLetter: string) => stored(anApplication(1, { coverLetter }));

test("the sentence with the word is shown, and not its neighbours", () => {
  const found = letter("Dear team,\n\nI work in a lab. We transcribe Czech speech daily! Yours, Ann");
  expect(matchedSentence(found, "czech")).toBe("We transcribe Czech speech daily!");
  expect(matchedSentence(found, "team")).toBe("Dear team,");
});

test("a part of a word is no match, and accents and case make no difference", () => {
  expect(matchedSentence(letter("The ears. An ear. Müller."), "EAR")).toBe("An ear.");
  expect(matchedSentence(letter("Bei Müller gelernt."), "muller")).toBe("Bei Müller gelernt.");
});

test("what a search finds is shown: parts of what has no spaces, and folded letters", () => {
  expect(matchedSentence(letter("我们在北京。中文语料库需要很多方言。谢谢！"), "方言")).toBe(
    "中文语料库需要很多方言。",
  );
  expect(matchedSentence(letter("Ich wohne in Köln. Die Straße ist laut."), "strasse")).toBe("Die Straße ist laut.");
  expect(matchedSentence(letter("Z Łodzi. مُعَلِّم هنا."), "معلم lodzi")).toBe("Z Łodzi.");
  const long = letter(`${"語".repeat(400)}東京音声${"語".repeat(400)}`);
  expect(matchedSentence(long, "東京")).toMatch(/^….*東京音声.*…$/);
});

test("of several texts the one with the most of the words is shown", () => {
  const found = stored(anInquiry(1, { company: "Speech Labs", more: { message: "We need speech in Czech." } }));
  expect(matchedSentence(found, "czech speech")).toBe("We need speech in Czech.");
});

test("a sentence that is too long is cut around the word", () => {
  const shown = matchedSentence(letter(`${"word ".repeat(100)}needle${" word".repeat(100)}`), "needle");
  expect(shown).toMatch(/^….*needle.*…$/);
  expect(shown.length).toBeLessThanOrEqual(200);
});

test("where no text has a word, there is no sentence", () => {
  expect(matchedSentence(letter("Something else."), "needle")).toBe("");
});
