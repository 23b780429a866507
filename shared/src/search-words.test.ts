import { expect, test } from "vitest";
import { foldLetters, placesOf, wordsIn } from "./search-words.ts";

test.each([
  [
    "Łódź, Straße, ẞ, Đặng, Søren, Æsir, Œuvre, Þór, Ħal, İstanbul ı",
    "lodz, strasse, ss, dang, soren, aesir, oeuvre, thor, hal, istanbul i",
  ],
  ["Ána MÜLLER Çelik a\u0301", "ana muller celik a"],
  ["ΟΔΟΣ Ὀδός Ёлка", "οδοσ οδοσ елка"],
  ["أحمد إبراهيم آدم مؤمن رئيس ٱلله على فاطمة مُحَمَّد مـحمد", "احمد ابراهيم ادم مومن رييس الله علي فاطمه محمد محمد"],
  ["שָׁלוֹם", "שלום"],
  ["Ａ１ ｶﾞ ㈱ ﬁ ½", "a1 ガ (株) fi 1⁄2"],
  ["葛\u{E0100}飾 co\u00ADop", "葛飾 coop"],
  // Another word without its marks.
  ["हिन्दी が ไทย", "हिन्दी が ไทย"],
])("%s is compared as %s", (text, folded) => {
  expect(foldLetters(text)).toBe(folded);
  expect(foldLetters(folded)).toBe(folded);
});

test.each([
  ["ana@example.org, o'brien +49-30", "ana example org o brien 49 30"],
  ["株式会社東京音声abc第3回、ガギ", "株式会社東京音声* abc 第* 3 回* ガギ*"],
  ["ภาษาไทย ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ 서울특별시", "ภาษาไทย* ພາສາລາວ* ភាសាខ្មែរ* မြန်မာဘာသာ* 서울특별시*"],
  ["हिन्दी भाषा", "हिन्दी भाषा"],
  ["\u0301 * & | !", ""],
])("the words of %s are %s", (text, words) => {
  expect([...wordsIn(foldLetters(text))].map((one) => one.text + (one.isRun ? "*" : "")).join(" ")).toBe(words);
});

const marked = (search: string, text: string, min = Infinity) =>
  placesOf(search, text, min).map(({ from, to, word }) => `${word} ${text.slice(from, to)}`);

test.each([
  ["東京", "株式会社東京音声と東京", ["0 東京", "0 東京"]],
  ["京東", "株式会社東京音声", []],
  ["がぎ", "ｶﾞｷﾞ がぎ", ["0 がぎ"]],
  ["ガギ", "株式ｶﾞｷﾞ会社", ["0 ｶﾞｷﾞ"]],
  ["lodz", "Z Łódź do Lodz", ["0 Łódź", "0 Lodz"]],
  ["strasse", "Große Straße.", ["0 Straße"]],
  ["grosse strasse", "Große Straße.", ["0 Große", "1 Straße"]],
  ["محمد", "هو مُحَمَّد هنا", ["0 مُحَمَّد"]],
  ["ไทย", "ชาวไทยนำ", ["0 ไทย"]],
  ["ﬁne ½", "ﬁne or fine, ½", ["0 ﬁne", "0 fine", "1 ½", "2 ½"]],
  ["ear", "The ears. An ear.", ["0 ear"]],
  ["...", "...", []],
])("of a search for %s, %s has %j", (search, text, places) => {
  expect(marked(search, text)).toEqual(places);
});

test("of what is typed, beginnings of words are enough, and the whole word is the place", () => {
  expect(marked("ann mü", "Ann Müller, Annika", 2)).toEqual(["0 Ann", "1 Müller", "0 Annika"]);
  expect(marked("ann mü", "Ann Müller, Annika")).toEqual(["0 Ann"]);
  expect(marked("ann mü", "Ann Müller, Annika", 4)).toEqual(["0 Ann"]);
});
