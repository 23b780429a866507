// What holds of CSV for every text there is.
import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine, joinList } from "../../../server/src/desk/csv.ts";

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
    fc.constantFrom(...Array.from("=+-@\t\r\n \"',;|\\＝＋－＠\uFEFF\u200B\u00A0\u3000")),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
});

test("is read back as it was, but for the apostrophe before what a spreadsheet would run", () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1 }), (texts) => {
      const cells = parseLine(csvLine(texts));
      expect(cells).toHaveLength(texts.length);
      for (const [index, text] of texts.entries()) expect([text, `'${text}`]).toContain(cells[index]);
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
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, unit: fc.constantFrom("a", "|", "\\", "b") }), { minLength: 1 }),
      (items) => {
        const parts = joinList(items).match(/(?:[^\\|]|\\.)+/g) ?? [];
        expect(parts.map((part) => part.replace(/\\(.)/g, "$1"))).toEqual(items);
      },
    ),
  );
});
