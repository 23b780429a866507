import { expect, test } from "vitest";
import { completedUrl, likelyEmail } from "./typed-addresses.ts";

test.each([
  ["ann@gmial.con", "ann@gmail.com"],
  ["ann@gmal.com", "ann@gmail.com"],
  ["ann@gamil.com", "ann@gmail.com"],
  ["Ann@Hotmial.com", "Ann@hotmail.com"],
  ["ann@outlok.com", "ann@outlook.com"],
  ["ann@gxm.de", "ann@gmx.de"],
  ["ann@wbe.de", "ann@web.de"],
  ["ann@aol.con", "ann@aol.com"],
  ["ann@yahoo.co", "ann@yahoo.com"],
  ["ann@hotmail.cm", "ann@hotmail.com"],
  ["ann@outlook.om", "ann@outlook.com"],
  ["ann@gmail.ca", "ann@gmail.com"],
  ["ann@googlemail.ch", "ann@googlemail.com"],
  ["ann@icloud.ch", "ann@icloud.com"],
  ["ann@freenet.d", "ann@freenet.de"],
  ["ann@example.con", "ann@example.com"],
])("%s was probably meant to be %s", (typed, meant) => {
  expect(likelyEmail(typed)).toBe(meant);
});

const right = `
  ann@gmail.com ann@GMX.de ann@mail.com ann@email.com ann@ymail.com ann@gmx.at ann@hotmail.de ann@yahoo.de
  ann@yahoo.ca ann@yahoo.co.uk ann@hotmail.ch ann@hotmail.ca ann@hotmail.co.uk ann@outlook.cz
  ann@protonmail.ch ann@t-online.hu ann@freenet.co ann@aon.com ann@all.com ann@love.com ann@web.dk ann@gnx.de
  ann@example.org ann @gmial.com`;

test.each([...right.trim().split(/\s+/), `ann@${"a".repeat(300)}.com`])("%s looks right", (typed) => {
  expect(likelyEmail(typed)).toBeUndefined();
});

test.each([
  ["example.org/ana", "https://example.org/ana"],
  [" www.example.org ", "https://www.example.org"],
  ["bücher.example?a=1", "https://bücher.example?a=1"],
  ["example.org:8080/x", "https://example.org:8080/x"],
])("%j is completed to %s", (typed, complete) => {
  expect(completedUrl(typed)).toBe(complete);
});

test.each(["https://example.org", "ftp://example.org", "javascript:alert(1)", "ana", "a b.org", "ann@example.org", ""])(
  "%j stays as it is",
  (typed) => {
    expect(completedUrl(typed)).toBe(typed);
  },
);
