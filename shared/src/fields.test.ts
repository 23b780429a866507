// What the text rules accept, refuse and store. Each verdict is asked of the plain rule and of its schema: they agree.
import { describe, expect, test } from "vitest";
import { email, emailKey, optionalWebUrl as portfolioUrl } from "./addresses.ts";
import { optional, required } from "./fields.ts";
import {
  optionalMultilineText,
  optionalPhone as phone,
  optionalText,
  personName as fullName,
  readText,
  requiredText,
  type TextRule,
} from "./text.ts";

const schemaOf = (rule: TextRule) =>
  rule.required ? required({ rule: rule as TextRule<true> }) : optional({ rule: rule as TextRule<false> });

function verdict(rule: TextRule, raw: string): string | undefined {
  const reading = readText(rule, raw);
  const parsed = schemaOf(rule).safeParse(raw);
  if (reading.problem === undefined) {
    expect(parsed).toMatchObject({ success: true, data: reading.value });
    return reading.value;
  }
  expect(parsed.error?.issues.map(({ message }) => message)).toEqual([reading.problem]);
  return "refused";
}

describe("text", () => {
  const name = requiredText(5);

  test("is trimmed of white space and zero-width characters, and normalised", () => {
    expect(verdict(name, " \u200B\u00A0Cafe\u0301\uFEFF\t ")).toBe("Café");
  });

  test("that draws nothing is absent", () => {
    const drawNothing = ",   ,\u200B\u3164,\u2800,\u115F\u1160,\u202E\u2066,\uFE0F,\u206A\u206F,\u17B4,\u{E0020}".split(
      ",",
    );
    for (const blank of drawNothing)
      expect([verdict(name, blank), verdict(optionalText(5), blank)], blank).toEqual(["refused", undefined]);
  });

  test("is measured in code points after trimming", () => {
    expect(verdict(name, "😀😀😀😀😀")).toBe("😀😀😀😀😀");
    expect(verdict(name, "😀😀😀😀😀😀")).toBe("refused");
    expect(verdict(name, "  12345  ")).toBe("12345");
    expect(verdict(name, "123456")).toBe("refused");
  });

  test("may have four times as many code units before it is cleaned", () => {
    expect(verdict(name, `${" ".repeat(15)}12345`)).toBe("12345");
    expect(verdict(name, `${" ".repeat(16)}12345`)).toBe("refused");
    expect(verdict(optionalText(5), " ".repeat(21))).toBe("refused");
  });

  test.each(["a\u0000b", "a\nb", "a\u000Bb", "a\u000Cb", "a\u007Fb", "a\u0085b", "a\uD800b"])(
    "refuses controls and lone surrogates: %j",
    (text) => {
      expect(verdict(name, text)).toBe("refused");
    },
  );

  test.each([
    ["p\u202Efdp\u202C", "pfdp"],
    ["\u2066a\u2069\u2067b", "ab"],
    ["\u202Da\u202A\u202B\u2068", "a"],
    [" \u202E a \u202C ", "a"],
  ])("of one line loses its bidirectional overrides: %j", (raw, kept) => {
    expect(verdict(name, raw)).toBe(kept);
    expect(verdict(optionalText(10), raw)).toBe(kept);
  });

  test("of one line has spaces in place of tabs, as from a table", () => {
    expect(verdict(name, "\ta\tb\t")).toBe("a b");
    expect(verdict(optionalText(5), "é\t\tb")).toBe("é  b");
    expect(verdict(optionalText(5), "\t")).toBeUndefined();
    expect(verdict(fullName, "Ann\tBuyer")).toBe("Ann Buyer");
    expect(verdict(phone, "+49\t30 901820")).toBe("+49 30 901820");
  });

  test("of several lines keeps line breaks and tabs, and turns every other line end into LF", () => {
    const letter = optionalMultilineText(20);
    expect(verdict(letter, "a\r\nb\rc\n\td")).toBe("a\nb\nc\n\td");
    expect(verdict(letter, "é\r\nb\rc")).toBe("é\nb\nc");
    expect(verdict(letter, "Dear team,\u000BI\u000Cthen")).toBe("Dear team,\nI\nthen");
    expect(verdict(letter, "é\u000B\u000C\r\n\u000Bb\u000C")).toBe("é\n\n\n\nb");
    expect(verdict(letter, "\u000B\u000C")).toBeUndefined();
    for (const control of ["\u0000", "\u0008", "\u000E", "\u001B", "\u007F", "\u0085", "\u009F"])
      expect(verdict(letter, `a${control}b`)).toBe("refused");
  });

  test("with more combining marks in a row than any script has is refused", () => {
    expect(verdict(requiredText(200), `a${"\u0323".repeat(99)}`)).toBe(`ạ${"\u0323".repeat(98)}`);
    expect(verdict(requiredText(200), `a${"\u0323".repeat(100)}`)).toBe("refused");
  });

  test("that is no string is refused", () => {
    for (const value of [null, 1, ["a"], {}]) expect(schemaOf(name).safeParse(value).success).toBe(false);
  });
});

test.each(["Ann http://evil.example", "www.evil.example", "WWW.evil", "w\u202Eww.evil"])(
  "a name with a link is refused: %j",
  (name) => {
    expect(verdict(fullName, name)).toBe("refused");
  },
);

describe("e-mail", () => {
  test.each([
    ["Ann@Example.ORG", "Ann@example.org"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    ["ann@paral·lel.example", "ann@xn--parallel-koa.example"],
    ["ann@テスト・サイト.example", "ann@xn--eck7al5clc86a.example"],
    ["ann@نامه‌ای.example", "ann@xn--mgba3gch31f060k.example"],
    ["ann@例え。テスト", "ann@xn--r8jz45g.xn--zckzah"],
    [" ann@example.xn--p1ai ", "ann@example.xn--p1ai"],
    ["\u202Aann@example.org\u202C", "ann@example.org"],
    ["ann＠example.org", "ann@example.org"],
    ["Ａｎｎ１＠ｅｘａｍｐｌｅ．ｏｒｇ", "Ann1@example.org"],
    ["ann@ｂüｃｈｅｒ｡example", "ann@xn--bcher-kva.example"],
    ["ann@bu\u200B\u0308cher.example", "ann@xn--bcher-kva.example"],
    ...Array.from(
      "\u00AD\u034F\u061C\u180E\u200B\u200C\u200D\u200E\u2060\u2064\uFE0F\uFEFF",
      (unseen): [string, string] => [`a${unseen}nn${unseen}@${unseen}exam${unseen}ple.${unseen}org`, "ann@example.org"],
    ),
    ["ann@bü\u200Ccher.org", "ann@xn--bcher-kva.org"],
    [`${"a".repeat(64)}@example.org`, `${"a".repeat(64)}@example.org`],
  ])("takes %j as %j", (sent, kept) => {
    expect(verdict(email, sent)).toBe(kept);
  });

  test.each([
    "a@localhost",
    "a@1.2.3.4",
    "a@[1.2.3.4]",
    '"a b"@example.org',
    "Ann <ann@example.org>",
    "a@b.org,c@d.org",
    "a..b@example.org",
    "a@-b.org",
    `${"a".repeat(65)}@example.org`,
    `a@${"b".repeat(64)}.org`,
    `a@${"b.".repeat(126)}org`,
    `a@${"ü".repeat(250)}.org`,
    "a@ex%61mple.org",
    "ä@example.org",
    "ann@ex％61mple.org",
    "ann@exa℀mple.org",
    "ann＠b.org＠c.org",
    "ann@example.org\u3000x",
    "ann@example©.org",
    "ann@-bücher.org",
    "ann@bücher-。org",
    "ann@a·b.org",
    "ann@a・b.org",
    "ann@͵b.org",
    "ann@x״.org",
    "ann@bücher-.org",
    "a@example.org\r\nbcc: c@d.org",
  ])("refuses %j", (sent) => {
    expect(verdict(email, sent)).toBe("refused");
  });

  test("is compared without case", () => {
    expect(emailKey("Ann@Example.org")).toBe(emailKey("ann@example.ORG"));
  });
});

describe("web address", () => {
  test.each([
    "https://example.org/cv?x=1#y",
    "HTTP://EXAMPLE.ORG",
    "http://127.0.0.1:8080/",
    "https:///example.org",
    "https://bücher.example/ä",
    `https://example.org/${"ä".repeat(2_028)}`,
  ])("takes %j as it is", (url) => {
    expect(verdict(portfolioUrl, url)).toBe(url);
  });

  const noScheme = "Enter a web address that starts with http:// or https://.";
  const withSpace = "A web address cannot contain spaces. Write %20 in their place.";
  const noHost = "This web address has no valid host name.";
  const withUser = "A web address cannot contain a user name or a password. Leave out what stands before the @.";
  const tooLong = "At most 2,048 characters.";

  test.each([
    ["javascript:alert(1)", noScheme],
    ["java\nscript:alert(1)", "Control characters are not allowed."],
    ["ftp://example.org", noScheme],
    ["https://user:pass@example.org", withUser],
    ["https://user@example.org", withUser],
    ["https://:pass@example.org", withUser],
    ["https://////user@example.org", withUser],
    ["https:example.org", noScheme],
    ["//example.org", noScheme],
    ["example.org", noScheme],
    ["https://exa mple.org", withSpace],
    ["https://drive.example.org/my cv.pdf", withSpace],
    ["https://drive.example.org/my\tcv.pdf", withSpace],
    ["https://drive.example.org/my\u00A0cv.pdf", withSpace],
    ["https://", noHost],
    ["https://exam%ple.org", noHost],
    [`https://${"a.".repeat(130)}org`, noHost],
    [`https://${"ü".repeat(260)}.org`, noHost],
    [`https://example.org/${"a".repeat(2_029)}`, tooLong],
  ])("refuses %j and says why", (url, problem) => {
    expect(verdict(portfolioUrl, url)).toBe("refused");
    expect(readText(portfolioUrl, url)).toEqual({ problem });
  });

  test("is absent when blank", () => {
    expect(verdict(portfolioUrl, "  ")).toBeUndefined();
  });
});

describe("telephone number", () => {
  test.each([
    "+351 912 345 678",
    "(020) 7946-0018",
    "020 7946 0018 ext. 12",
    "020 7946 0018 extension 12",
    "٠١٢٣٤٥٦٧٨٩",
    "1/234.567",
    "+49\u201330\u20131234567",
    "+49\u201130\u20111234567",
    "03\u22121234\u22125678",
    "（０３）１２３４ー５６７８",
    "＋49 30\u00A0123456",
  ])("takes %j", (number) => {
    expect(verdict(phone, number)).toBe(number);
  });

  test.each(["call me", "<b>123</b>", "123 or 456", "12", "+".repeat(41)])("refuses %j", (number) => {
    expect(verdict(phone, number)).toBe("refused");
  });
});
