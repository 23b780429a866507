import { expect, test } from "vitest";
import { application, inquiry } from "../../../test/contract/records.ts";
import type { StoredSubmission } from "../storage/records.ts";
import { matchedSentence } from "./matched-sentence.ts";

const stored = (submission: object) => submission as unknown as StoredSubmission;
const letter = (coverLetter: string) => stored(application(1, { coverLetter }));

test("the sentence with the word is shown, and not its neighbours", () => {
  const found = letter("Dear team,\n\nI work in a lab. We transcribe Czech speech daily! Yours, Ann");
  expect(matchedSentence(found, "czech")).toBe("We transcribe Czech speech daily!");
  expect(matchedSentence(found, "team")).toBe("Dear team,");
});

test("a part of a word is no match, and accents and case make no difference", () => {
  expect(matchedSentence(letter("The ears. An ear. Müller."), "EAR")).toBe("An ear.");
  expect(matchedSentence(letter("Bei Müller gelernt."), "muller")).toBe("Bei Müller gelernt.");
});

test("of several texts the one with the most of the words is shown", () => {
  const found = stored(inquiry(1, { company: "Speech Labs", more: { message: "We need speech in Czech." } }));
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
