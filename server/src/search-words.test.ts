// What counts as a word must be the same here and in SQLite's tokenizer: a word that it would split is an error there.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { atNight } from "../../test/support/many-or-few.ts";
import { indexedWords, searchedWords, typedWords } from "./search-words.ts";

/** By day one of so many code points is tried, at night each. */
const step = atNight ? 1 : 41;

test("SQLite takes every word as one word, whatever letters it is made of", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE VIRTUAL TABLE found USING fts5 (text, content = '',
    tokenize = "unicode61 remove_diacritics 2", prefix = '2 3', detail = column, columnsize = 0)`);
  const query = database.prepare("SELECT rowid FROM found WHERE found MATCH ?");
  const all = new Set<string>();
  for (let point = 0; point <= 0x10_ff_ff; point += step)
    for (const word of searchedWords(`a${String.fromCodePoint(point)}b`)) all.add(word);
  const words = [...all];
  expect(words.length).toBeGreaterThan(280_000 / step);
  for (let from = 0; from < words.length; from += 200) {
    const several = words.slice(from, from + 200).map((one) => `"${one}"*`);
    expect(() => query.all(several.join(" ")), several.join(" ")).not.toThrow();
  }
  database.close();
});

test("splits a search at everything but letters and digits, in lower case", () => {
  expect(searchedWords("Ána  O'Brien, ana@Example.org +49-30")).toEqual([
    "ána",
    "o",
    "brien",
    "ana",
    "example",
    "org",
    "49",
    "30",
  ]);
  expect(searchedWords('\u0301 * " & | !')).toEqual([]);
});

test("takes at most ten words of a search, and cuts long ones", () => {
  expect(searchedWords("a ".repeat(50))).toHaveLength(10);
  expect(searchedWords("x".repeat(500))).toEqual(["x".repeat(100)]);
});

test("as it is typed, the last word is a beginning of at least two letters", () => {
  expect(typedWords("anna m")).toEqual({ whole: ["anna"], beginning: "m" });
  expect(typedWords("m")).toBeNull();
  expect(typedWords("mu")).toEqual({ whole: [], beginning: "mu" });
  expect(typedWords(" .")).toBeNull();
});

test("indexes each word once, without accents", () => {
  expect(indexedWords(["Ána Müller", null, "ana, MULLER & Çelik"])).toEqual(["ana", "muller", "celik"]);
});
