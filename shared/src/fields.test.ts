import { describe, expect, test } from "vitest";
import { z } from "zod";
import { email, emailKey, optionalPhone, optionalText, optionalWebUrl, personName, requiredText } from "./fields.ts";

const verdict = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value);
  return result.success ? result.data : "refused";
};

describe("text", () => {
  const name = requiredText(5);

  test("is trimmed of white space and characters without width, and composed", () => {
    expect(name.parse(" \u200B\u00A0Cafe\u0301\uFEFF\t ")).toBe("Café");
  });

  test.each(["", "   ", "\u200B\u3164", "\u2800", "\u115F\u1160"])("that shows nothing is no text: %j", (blank) => {
    expect(verdict(name, blank)).toBe("refused");
    expect(verdict(optionalText({ max: 5 }), blank)).toBeUndefined();
  });

  test("is measured in code points after trimming", () => {
    expect(verdict(name, "😀😀😀😀😀")).toBe("😀😀😀😀😀");
    expect(verdict(name, "😀😀😀😀😀😀")).toBe("refused");
    expect(verdict(name, "  12345  ")).toBe("12345");
    expect(verdict(name, "123456")).toBe("refused");
  });

  test.each(["a\u0000b", "a\nb", "a\tb", "a\u007Fb", "a\u0085b", "a\uD800b"])(
    "refuses controls and lone surrogates: %j",
    (text) => {
      expect(verdict(name, text)).toBe("refused");
    },
  );

  test("of several lines keeps line breaks and tabs, and turns CRLF into LF", () => {
    const letter = optionalText({ max: 20, multiline: true });
    expect(letter.parse("a\r\nb\rc\n\td")).toBe("a\nb\nc\n\td");
    expect(verdict(letter, "a\u0008b")).toBe("refused");
  });

  test("that is no string is refused", () => {
    for (const value of [null, 1, ["a"], {}]) expect(verdict(name, value)).toBe("refused");
  });
});

test("hostile text takes no more time than its length: blanks within, marks stacked without end", () => {
  const blanks = `a${" ".repeat(98_000)}b`;
  const marks = `a${"\u0301\u0323".repeat(49_000)}`;
  // Each of these took from one to twenty seconds when time grew with the square of the length; a hundred of them would
  // not end within the time of a test.
  for (let round = 0; round < 100; round += 1) {
    for (const hostile of [blanks, marks, ` ${marks} `]) {
      expect(verdict(requiredText(200), hostile)).toBe("refused");
      expect(verdict(email, hostile)).toBe("refused");
      expect(verdict(optionalPhone, hostile)).toBe("refused");
      expect(verdict(optionalWebUrl, hostile)).toBe("refused");
    }
  }
});

test.each(["Ann http://evil.example", "www.evil.example", "WWW.evil"])("a name with a link is refused: %j", (name) => {
  expect(verdict(personName, name)).toBe("refused");
});

describe("e-mail", () => {
  test.each([
    ["Ann@Example.ORG", "Ann@example.org"],
    ["ann@bücher.example", "ann@xn--bcher-kva.example"],
    [" ann@example.xn--p1ai ", "ann@example.xn--p1ai"],
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
    "a@ex%61mple.org",
    "ä@example.org",
    "ann@ｅxample.org",
    "ann@example©.org",
    "a@example.org\r\nbcc: c@d.org",
  ])("refuses %j", (sent) => {
    expect(verdict(email, sent)).toBe("refused");
  });

  test("is compared without case", () => {
    expect(emailKey("Ann@Example.org")).toBe(emailKey("ann@example.ORG"));
  });
});

describe("web address", () => {
  test.each(["https://example.org/cv?x=1#y", "HTTP://EXAMPLE.ORG", "http://127.0.0.1:8080/"])(
    "takes %j as it is",
    (url) => {
      expect(verdict(optionalWebUrl, url)).toBe(url);
    },
  );

  test.each([
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    "ftp://example.org",
    "https://user:pass@example.org",
    "https://user@example.org",
    "https:example.org",
    "//example.org",
    "example.org",
    "https://exa mple.org",
    `https://example.org/${"a".repeat(2048)}`,
  ])("refuses %j", (url) => {
    expect(verdict(optionalWebUrl, url)).toBe("refused");
  });

  test("counts as absent when blank", () => {
    expect(verdict(optionalWebUrl, "  ")).toBeUndefined();
  });
});

describe("telephone number", () => {
  test.each(["+351 912 345 678", "(020) 7946-0018", "020 7946 0018 ext. 12", "٠١٢٣٤٥٦٧٨٩", "1/234.567"])(
    "takes %j",
    (phone) => {
      expect(verdict(optionalPhone, phone)).toBe(phone);
    },
  );

  test.each(["call me", "<b>123</b>", "12", "+".repeat(41)])("refuses %j", (phone) => {
    expect(verdict(optionalPhone, phone)).toBe("refused");
  });
});
