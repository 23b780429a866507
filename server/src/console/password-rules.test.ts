import { expect, test } from "vitest";
import { passwordProblem } from "./password-rules.ts";

const known = ["anna.mueller@kalomi.example", "Voice Datasets"];

test.each([
  ["short", "kX9!bqw2Lm"],
  ["common", "unbelievable"],
  ["common in capitals", "FinalFantasy"],
  ["a common word with digits", "password123456"],
  ["a common word in signs", "!!!dragon2026!!!"],
  ["the address", "anna.mueller@kalomi.example"],
  ["a part of the address", "Kalomi-mueller-1"],
  ["the product's name", "VoiceDatasets!7"],
  ["one character", "zzzzzzzzzzzzzzzz"],
  ["a repeated block", "b7#b7#b7#b7#b7#"],
  ["a repeated block that repeats in itself", "aab7aab7aab7aab7"],
  ["digits in order", "0123456789012345"],
  ["keys in a row", "qwertyuiopasdfgh"],
  ["keys in a row backwards", "poiuytrewq98765"],
  ["columns of keys", "1qaz2wsx3edc4rf"],
])("a password is refused: %s", (_why, password) => {
  expect(passwordProblem(password, known)).toMatch(/^[A-Z].*\.$/);
});

test.each([
  "correct horse battery staple",
  "vermilion kettle 41",
  "T7!pq2#Lm9xZ",
  "пароль из слов на балконе",
  "夜の台所で長い合言葉を考える",
])("a password is taken: %s", (password) => {
  expect(passwordProblem(password, known)).toBeNull();
});

test.each([`a${"\u{fdfa}".repeat(254)}b`, "\u{fdfa}".repeat(15)])(
  "a password is refused for its length once it is normalised: %#",
  (password) => {
    expect(password.length).toBeLessThanOrEqual(256);
    expect(passwordProblem(password, known)).toBe("Use at most 256 characters.");
  },
);

test("a password that is too long is refused by its length alone", () => {
  expect(passwordProblem("kX9!bqw2Lm ".repeat(100_000), known)).toBe("Use at most 256 characters.");
});
