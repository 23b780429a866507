import { extensionOf } from "@submissions/shared/file-extension";
import { describe, expect, test } from "vitest";
import { attachmentHeader, cleanFilename, downloadName } from "./display-name.ts";

describe("cleanFilename", () => {
  test.each([
    ["cv.pdf", "cv.pdf"],
    ["C:\\fakepath\\cv.pdf", "cv.pdf"],
    ["../../etc/cv.pdf", "cv.pdf"],
    ["a/b\\c/cv.pdf", "cv.pdf"],
    ["  cv.pdf \u200b", "cv.pdf"],
    ["cv.pdf...", "cv.pdf"],
    ["c\u0000v\r\n.p\u0007df", "cv.pdf"],
    ["cv\u202efdp.doc", "cvfdp.doc"],
    ["\u2066cv\u2069.pdf", "cv.pdf"],
    ["Re\u0301sume\u0301.pdf", "R\u00e9sum\u00e9.pdf"],
    ["履歴書.pdf", "履歴書.pdf"],
    ["می\u200cخواهم.pdf", "می\u200cخواهم.pdf"],
    ["\ud800cv.pdf", "_cv.pdf"],
    [".pdf", "resume.pdf"],
    ["..", ""],
    ["/", ""],
    ["", ""],
  ])("%j becomes %j", (filename, clean) => {
    expect(cleanFilename(filename)).toBe(clean);
  });

  test.each(["a", "é", "語", "😀"])("cuts many %s to 255 bytes by characters and keeps the extension", (letter) => {
    const clean = cleanFilename(`${letter.repeat(300)}.pdf`);
    expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(clean)).toBeGreaterThan(255 - Buffer.byteLength(letter));
    expect(clean).toMatch(new RegExp(`^(${letter})+\\.pdf$`));
  });
});

test.each([
  ["cv.pdf", "pdf"],
  ["CV.PDF", "pdf"],
  ["cv.pdf.exe", "exe"],
  ["cv", ""],
  ["J. Smith", ""],
  ["CV 12.05.2026", ""],
  ["cv.7z", "7z"],
  ["cv.doc", "doc"],
  ["cv.DOTM", "dotm"],
  ["cv.xlsx", "xlsx"],
  ["cv.ps1", "ps1"],
  ["CV John Smith Ph.D", ""],
  ["Ann Buyer M.Com", ""],
  ["Ann Buyer, B.Tech", ""],
  ["lebenslauf.neu", ""],
  ["cv.v2final", ""],
  ["cv.xpdf", ""],
])("the extension of %j is %j", (filename, extension) => {
  expect(extensionOf(filename)).toBe(extension);
});

test("a name that is all extension gets a stem, and what no program knows is none", () => {
  expect(cleanFilename(".pdf")).toBe("resume.pdf");
  expect(cleanFilename(".anna")).toBe(".anna");
  expect(cleanFilename(`.${"a".repeat(300)}`)).toBe(`.${"a".repeat(254)}`);
});

test.each([
  ["cv.pdf", "pdf", "cv.pdf"],
  ["CV 12.05.2026", "docx", "CV 12.05.2026.docx"],
  ["Curriculum", "doc", "Curriculum.doc"],
  ["CV John Smith Ph.D", "pdf", "CV John Smith Ph.D.pdf"],
  ["cv.PDF", "pdf", "cv.PDF"],
  ["cv.exe", "pdf", "cv.exe.pdf"],
])("%j, a %s, is saved as %j", (filename, kind, name) => {
  expect(downloadName(filename, kind)).toBe(name);
});

test.each([
  ["cv.pdf", "attachment; filename=\"cv.pdf\"; filename*=UTF-8''cv.pdf"],
  ['a"b\\c%41.pdf', "attachment; filename=\"a_b_c_41.pdf\"; filename*=UTF-8''a%22b%5Cc%2541.pdf"],
  ["José (1)*'.pdf", "attachment; filename=\"Jos_ (1)*'.pdf\"; filename*=UTF-8''Jos%C3%A9%20%281%29%2A%27.pdf"],
  [
    "履歴書\u{1F600}.pdf",
    "attachment; filename=\"____.pdf\"; filename*=UTF-8''%E5%B1%A5%E6%AD%B4%E6%9B%B8%F0%9F%98%80.pdf",
  ],
  ["a\r\nb\ud800.pdf", "attachment; filename=\"a__b_.pdf\"; filename*=UTF-8''a%0D%0Ab%EF%BF%BD.pdf"],
])("a download called %j has a header of ASCII that no name can break", (filename, header) => {
  expect(attachmentHeader(filename)).toBe(header);
});
