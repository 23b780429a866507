// What counts as a word must be the same here and in the index: a word that SQLite's tokenizer would split is an error there.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { indexedWords, letterWords, typedWords } from "./search-words.ts";

/** All letters at night, by day one of so many. */
const step = process.env["NIGHTLY"] === "1" ? 1 : 101;

test("SQLite takes every word as one word, whatever letters it is made of", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(`CREATE VIRTUAL TABLE found USING fts5 (words, tokenize = "ascii", prefix = '2 3', detail = none)`);
  const all = new Set<string>();
  for (let point = 0; point <= 0x10_ff_ff; point += step)
    for (const word of indexedWords([`a${String.fromCodePoint(point)}b`])) all.add(word);
  const words = [...all];
  expect(words.length).toBeGreaterThan(280_000 / step);
  const insert = database.prepare("INSERT INTO found (rowid, words) VALUES (?, ?)");
  const query = database.prepare("SELECT rowid FROM found WHERE found MATCH ?");
  for (let from = 0; from < words.length; from += 200) {
    const several = words.slice(from, from + 200);
    insert.run(from, several.join(" "));
    const found = query.all(several.map((one) => `"${one}"`).join(" "));
    expect(found.at(-1), several.join(" ")).toEqual({ rowid: from });
    expect(() => query.all(`"${several.at(-1)}"*`)).not.toThrow();
  }
  database.close();
});

const searchedWords = (text: string) => {
  const { whole = [], beginnings = [] } = letterWords(text) ?? {};
  return [...whole, ...beginnings];
};

test("splits a search at everything but letters and digits, in lower case and folded", () => {
  expect(searchedWords("Ána  O'Brien, ana@Example.org +49-30 Łódź")).toEqual([
    "ana",
    "o",
    "org",
    "49",
    "30",
    "brien",
    "example",
    "lodz",
  ]);
  expect(searchedWords('\u0301 * " & | !')).toEqual([]);
});

test("takes at most ten words of a search and twenty pairs of a run, and cuts long words", () => {
  expect(searchedWords(Array.from("abcdefghijklmn").join(" "))).toHaveLength(10);
  expect(searchedWords("x".repeat(500))).toEqual(["x".repeat(100)]);
  expect(searchedWords(String.fromCodePoint(...Array.from({ length: 50 }, (_, at) => 0x4e00 + at)))).toHaveLength(20);
});

test("as it is typed, each word is a beginning, alone of at least two letters, and of a run any letter is enough", () => {
  expect(typedWords("anna m")).toEqual({ whole: [], beginnings: ["anna", "m"] });
  expect(typedWords("m anna")).toEqual({ whole: ["m"], beginnings: ["anna"] });
  expect(typedWords("m")).toBeNull();
  expect(typedWords("mu")).toEqual({ whole: [], beginnings: ["mu"] });
  expect(typedWords("anna 東京音")).toEqual({ whole: ["東京", "京音"], beginnings: ["anna"] });
  expect(typedWords("東京 an")).toEqual({ whole: ["東京"], beginnings: ["an"] });
  expect(typedWords("林")).toEqual({ whole: ["林"], beginnings: [] });
  expect(typedWords(" .")).toBeNull();
});

test("in letters, four letters of a word are a beginning", () => {
  expect(letterWords("Czech tran")).toEqual({ whole: [], beginnings: ["czech", "tran"] });
  expect(letterWords("transcribe ear")).toEqual({ whole: ["ear"], beginnings: ["transcribe"] });
  expect(letterWords("東京音声")).toEqual({ whole: ["東京", "京音", "音声"], beginnings: [] });
  expect(letterWords("...")).toBeNull();
});

test("indexes each word once and folded, and of a run its letters and their pairs", () => {
  expect(indexedWords(["Ána Müller", null, "ana, MULLER & Çelik"])).toEqual(["ana", "muller", "celik"]);
  expect(indexedWords(["東京東京 𠮷野"])).toEqual(["東", "京", "東京", "京東", "𠮷", "野", "𠮷野"]);
});

test("the index of one submission is bounded, however its letters unfold", () => {
  const chars = Array.from({ length: 60_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000)));
  expect(indexedWords([chars.join("")])).toHaveLength(20_000);
  const long = Array.from({ length: 4_000 }, (_, at) => `${at}${"ﷺ".repeat(8)}`);
  expect(Buffer.byteLength(indexedWords(long).join(""))).toBeLessThan(1024 ** 2);
  expect(indexedWords(["same ".repeat(40_000), "another"])).toEqual(["same"]);
});
