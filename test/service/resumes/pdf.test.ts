// What counts as a PDF, from its first bytes to its end marker.
import { describe, expect, test } from "vitest";
import { smallPdf, useJudge } from "../../support/resumes/judge.ts";

const judge = useJudge();
const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("the beginning of a PDF", () => {
  test.each([
    ["nothing", ""],
    ["a UTF-8 byte order mark", "\u{ef}\u{bb}\u{bf}"],
    ["a UTF-16 byte order mark", "\u{ff}\u{fe}"],
    ["white space", " \t\r\n\f\0"],
    ["a byte order mark and 1,020 line feeds", `\u{ef}\u{bb}\u{bf}${"\n".repeat(1_020)}`],
  ])("may have %s in front", async (_, prefix) => {
    expect(await judge(latin1(prefix + smallPdf), "cv.pdf")).toMatchObject({ accepted: true, kind: "pdf" });
  });

  test.each([
    ["1,024 line feeds", "\n".repeat(1_024)],
    ["a megabyte of spaces", " ".repeat(1_048_576)],
    ["an executable's stub", "MZ\u{90}\0"],
    ["a GIF", "GIF89a"],
    ["a script", "#!/bin/sh\n"],
    ["HTML", "<html>"],
    ["a line of text", "dear sirs\n"],
  ])("must not have %s in front", async (_, prefix) => {
    expect(await judge(latin1(prefix + smallPdf), "cv.pdf")).toMatchObject({ accepted: false });
  });

  test.each([["%pdf-1.4"], ["%PDF 1.4"], ["%!PS-Adobe-3.0"], ["%PDF"]])("is not %s", async (header) => {
    expect(await judge(smallPdf.replace("%PDF-1.4", header), "cv.pdf")).toMatchObject({ accepted: false });
  });
});

describe("the end of a PDF", () => {
  test.each([
    ["white space up to 4,999,999 bytes", "\n".repeat(4_999_999 - smallPdf.length)],
    ["NUL bytes up to exactly 5 MiB", "\0".repeat(5_242_880 - smallPdf.length)],
    ["a page that a server appended", `<!-- ${"served in 3 ms ".repeat(1_000)} -->`],
    ["60,000 bytes of anything", "x".repeat(60_000)],
  ])("may be followed by %s", async (_, suffix) => {
    expect(await judge(smallPdf + suffix, "cv.pdf")).toMatchObject({ accepted: true });
  });

  test("is seen when only one of its two marks is there", async () => {
    expect(await judge(smallPdf.replace("%%EOF", ""), "cv.pdf")).toMatchObject({ accepted: true });
    expect(await judge(smallPdf.replace("startxref", ""), "cv.pdf")).toMatchObject({ accepted: true });
  });

  test("is seen when a block of the search begins within the mark", async () => {
    for (let shift = -8; shift <= 8; shift += 1) {
      const suffix = " ".repeat(65_536 * 2 - 6 + shift);
      expect(await judge(`%PDF-1.4\n%%EOF${suffix}`, "cv.pdf")).toMatchObject({ accepted: true });
    }
  });

  test("is missing when the file was cut short", async () => {
    const cut = smallPdf.slice(0, smallPdf.indexOf("startxref"));
    const message = "The PDF is incomplete or damaged: its end is missing.";
    expect(await judge(cut, "cv.pdf")).toEqual({ accepted: false, message });
    expect(await judge(`${smallPdf}${"x".repeat(65_536)}`, "cv.pdf")).toMatchObject({ accepted: false });
    expect(await judge(`%PDF-1.4\n${"\0".repeat(300_000)}`, "cv.pdf")).toMatchObject({ accepted: false });
  });
});

test.each(["\n", "\r\n", "\r"])("the end of its first page is no end of a linearised file (lines: %j)", async (end) => {
  const lines = (text: string) => text.replaceAll("\n", end);
  const firstPage = smallPdf.replace("\n", "\n% /Linearized 1\n").replace(/startxref\n\d+/, "startxref\n0");
  const whole = `${firstPage}1 0 obj\nendobj\nstartxref\n173\n%%EOF\n`;
  expect(await judge(lines(firstPage), "cv.pdf")).toMatchObject({ accepted: false });
  expect(await judge(lines(whole), "cv.pdf")).toMatchObject({ accepted: true });
});

test("a file of no bytes, and one over 5 MiB, are refused whatever they are", async () => {
  expect(await judge("", "cv.pdf")).toEqual({ accepted: false, message: "The file is empty." });
  expect(await judge(smallPdf.padEnd(5_242_881), "cv.pdf")).toMatchObject({ accepted: false });
});
