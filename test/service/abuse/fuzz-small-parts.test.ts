// Properties of small parts that handle untrusted input.
import { isIP, isIPv4 } from "node:net";
import { extensionOf } from "@submissions/shared/file-extension";
import { textLengthMax } from "@submissions/shared/limits";
import { normaliseSource } from "@submissions/shared/source";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientAddress, keysOf, type TrustedProxies, trustOf } from "../../../server/src/http/gate/client-address.ts";
import { DelimiterCounter } from "../../../server/src/http/body/delimiter-counter.ts";
import { forSubject, greeting } from "../../../server/src/mail/stranger.ts";
import { cleanFilename } from "../../../server/src/resumes/display-name.ts";
import { manyOrFew } from "../../support/many-or-few.ts";
import { hostileText } from "../../support/fuzz/strings.ts";
import { csvLine, fromKept, joinList } from "../../../server/src/desk/csv.ts";

test("the name of a file fits a file system and a line, and does not change when it is cleaned again", () => {
  const ends = fc.constantFrom("", ".pdf", ".DOCX", ". pdf", ".p\u202Edf", ".tar.gz", "/", "\\");
  fc.assert(
    fc.property(hostileText, ends, (text, end) => {
      const name = cleanFilename(text + end);
      expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}/\\\u202a-\u202e\u2066-\u2069]/u);
      expect(name.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).toBe(name.trim());
      expect(cleanFilename(name)).toBe(name);
      expect(extensionOf(name)).not.toMatch(/[\s.]/);
      expect(extensionOf(name)).toBe(extensionOf(name).toLowerCase());
    }),
    { numRuns: manyOrFew(5_000) },
  );
});

describe("the address of a client", () => {
  const [v4, v6] = [fc.ipV4(), fc.ipV6()];
  const written = [v6.map((address) => `[${address}]:443`), v4.map((address) => `${address}:80`)];
  const entry = fc.oneof(
    v4,
    v6,
    ...written,
    v4.map((address) => `::ffff:${address}`),
    hostileText,
  );
  const hops = [0, 1, 2, 3, 4].map((count): [TrustedProxies, number] => [count, count]);
  /** With how many entries of the header may be believed. */
  const trust = fc.constantFrom<[TrustedProxies, number]>(...hops, [["10.0.0.0/8", "::1", "2001:db8::/32"], Infinity]);

  /** An address without brackets and port, as the URL parser writes it in IPv6. */
  const canonical = (text: string): string => {
    const bare = text
      .trim()
      .replace(/^\[(.*)\](?::\d+)?$/, "$1")
      .replace(/^([\d.]+):\d+$/, "$1");
    // ipaddr.js reads the deprecated form `::192.0.2.1` as IPv4 too.
    const address = bare.replace(/^::(?=\d+\.)/, "");
    return URL.parse(`http://[${isIPv4(address) ? "::ffff:" : ""}${address}]`)?.hostname ?? text;
  };

  test("is that of the connection or stands in the header, at most as many hops away as are trusted", () => {
    fc.assert(
      fc.property(trust, v4, fc.array(entry, { maxLength: 6 }), ([trusted, believed], peer, entries) => {
        const header = entries.join(", ");
        const client = clientAddress(trustOf(trusted), peer, header);
        const reachable = [peer, ...header.split(",").toReversed().slice(0, believed)];
        expect(isIP(client)).not.toBe(0);
        expect(reachable.map(canonical)).toContain(canonical(client));
        expect(keysOf(client).rate).not.toBe("");
      }),
      { numRuns: manyOrFew(2_000) },
    );
  });

  test("is counted with its /64 for rates and with its /56 for shares", () => {
    const group = fc.nat(0xffff);
    const half = fc.tuple(group, group, group, group);
    const text = (groups: readonly number[]) => groups.map((one) => one.toString(16)).join(":");
    const first56 = ([a, b, c, d]: readonly number[]) => [a, b, c, d! >> 8].join();
    fc.assert(
      fc.property(half, half, half, half, (net, host, otherNet, otherHost) => {
        const keys = keysOf(text([...net, ...host]));
        const other = keysOf(text([...otherNet, ...host]));
        expect(keysOf(text([...net, ...otherHost]))).toEqual(keys);
        expect(other.rate === keys.rate).toBe(text(net) === text(otherNet));
        expect(other.share === keys.share).toBe(first56(net) === first56(otherNet));
      }),
    );
  });
});

test("delimiters are counted alike wherever the chunks of the body end, without the white space behind them", () => {
  const piece = fc.constantFrom(
    ..."\r\n--b|--b|\r\n|--|-|\r|b|x|\r\n--b--|\r\n--bb|\r\n--b\r\n|\r\n--b \t\r\n| |\t".split("|"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(120), { maxLength: 12 }), (pieces, cuts) => {
      const body = Buffer.from(pieces.join(""));
      const [whole, cut] = [new DelimiterCounter("x; boundary=b"), new DelimiterCounter("x; boundary=b")];
      const fed = whole.feed(body).toString();
      const ends = cuts.map((at) => Math.min(at, body.length)).toSorted((a, b) => a - b);
      const pieceFrom = (from: number, index: number) => cut.feed(body.subarray(from, ends[index] ?? body.length));
      expect(Buffer.concat([0, ...ends].map(pieceFrom)).toString()).toBe(fed);
      expect([cut.parts, cut.closed]).toEqual([whole.parts, whole.closed]);
      // Straight from RFC 2046: the body ends at the first delimiter that two hyphens follow.
      const text = `\r\n${body.toString()}`;
      expect(whole.closed).toBe(text.includes("\r\n--b--"));
      const [open = ""] = text.split("\r\n--b--");
      const begun = whole.closed ? `${open}\r\n` : open;
      expect(whole.parts).toBe(begun.match(/\r\n--b(?=[ \t]*[^ \t][^])/g)?.length ?? 0);
      const unpadded = begun.replaceAll(/(\r\n--b)[ \t]+(?=\r[^])/g, "$1") + text.slice(begun.length);
      if (whole.closed) expect(fed).toBe(unpadded);
      else expect(unpadded.startsWith(fed)).toBe(true);
    }),
    { numRuns: manyOrFew(3_000) },
  );
});

test("any text is one line in a subject, and a greeting holds a name or nothing", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const subject = forSubject(text);
      // Joiners stand inside words and emoji.
      expect(subject).not.toMatch(/[[\p{C}\p{Zl}\p{Zp}]--[\u200C\u200D]]/v);
      expect(Array.from(subject).length).toBeLessThanOrEqual(80);
      expect(greeting(text)).toMatch(/^Hello(?: [\p{L}\p{M}'’ʼ.·\p{Cf} -]{1,60})?,$/u);
    }),
    { numRuns: manyOrFew(2_000) },
  );
});

describe("the label of a newsletter source", () => {
  const source = fc.oneof(hostileText, fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.webPath());

  test("is letters and digits joined by single dashes, at most 64, and its own label", () => {
    fc.assert(
      fc.property(source, (raw) => {
        const label = normaliseSource(raw);
        expect(label).toMatch(/^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u);
        expect(Array.from(label).length).toBeLessThanOrEqual(textLengthMax.source);
        expect(normaliseSource(label)).toBe(label);
      }),
      { numRuns: manyOrFew(3_000) },
    );
  });

  test("holds nothing of an e-mail address, however it is wrapped and encoded", () => {
    const local = fc.stringMatching(/^[a-z0-9]{1,12}(\.[a-z0-9]{1,12})?$/).map((text) => `zq${text}`);
    const host = fc.stringMatching(/^[a-z0-9]{1,12}$/).map((text) => `xk${text}.example`);
    const at = fc.constantFrom("@", "＠", "%40", "%2540", "%EF%BC%A0", "%ef%bc%a0");
    const before = fc.constantFrom(..."| |/|//h.example/|https://h.example/|HTTP://h.ex//|mailto:|a b |<".split("|"));
    const after = fc.constantFrom(..."|/more|?utm=1|#top|>|,b@c.example| |\u200B".split("|"));
    fc.assert(
      fc.property(before, local, at, host, after, (head, name, sign, domain, tail) => {
        const label = normaliseSource(`${head}${name}${sign}${domain}${tail}`);
        expect(label).not.toContain("zq");
        expect(label).not.toContain("xk");
      }),
      { numRuns: manyOrFew(3_000) },
    );
  });
});

// A reader of its own, straight from RFC 4180.
function parseLine(line: string): string[] {
  if (!line.endsWith("\r\n")) throw new Error("no line end");
  const cells: string[] = [];
  let rest = line.slice(0, -2);
  for (;;) {
    const cell = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|$)/.exec(rest);
    if (cell === null) throw new Error("not CSV");
    cells.push(cell[1]?.replaceAll('""', '"') ?? cell[2] ?? "");
    if (cell[3] === "") return cells;
    rest = rest.slice(cell[0].length);
  }
}

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...Array.from("0123e/'=+-@\t\r\n \"',;|\\＝＋－＠\uFEFF\u200B\u00A0\u3000")),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
});

test("is read back as it was, once the apostrophes that keep texts are taken off", () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1 }), (texts) => {
      const cells = parseLine(csvLine(texts));
      expect(cells).toHaveLength(texts.length);
      expect(cells.map(fromKept)).toEqual(texts);
    }),
  );
});

test("no cell begins with what starts a formula, white space aside", () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const [cell = ""] = parseLine(csvLine([text]));
      expect(cell.trimStart().replace(/^[\u200B\uFEFF\s]+/, "")).not.toMatch(/^[=+\-@＝＋－＠]/);
      expect(cell).not.toMatch(/^[\t\r\n]/);
    }),
  );
});

test("a list can be taken apart again, whatever its items hold", () => {
  const lists = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom("a", "|", "\\", "b") }), { minLength: 1 });
  fc.assert(
    fc.property(lists, (items) => {
      const parts = joinList(items).match(/(?:[^\\|]|\\.)+/g) ?? [];
      expect(parts.map((part) => part.replace(/\\(.)/g, "$1"))).toEqual(items);
    }),
  );
});
