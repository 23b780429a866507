// The text of mails that are HTML only: all of it, however much markup there is around it, and said where it is cut.
import { expect, it } from "vitest";
import { readMail } from "../../../server/src/inbound/read-mail.ts";

const textOf = async (html: string) => {
  const head = "From: eve@example.org\r\nMessage-ID: <1@example.org>\r\nContent-Type: text/html; charset=utf-8\r\n\r\n";
  return (await readMail(Buffer.from(head + html))).text;
};
const lines = (count: number) => Array.from({ length: count }, (_, number) => `${number}`);
const cut = "\n(The rest of this mail is not kept: it is too long.)";
const filler = "p.MsoNormal { margin: 0 } ".repeat(12_000);
const outlook = (line: string) =>
  `<p class=MsoNormal style='margin:0'><span style='font-size:11.0pt;font-family:"Calibri",sans-serif;color:#1F497D'>${line}<o:p></o:p></span></p>\r\n`;

it.each<[string, string]>([
  ["a long style", `<html><head><style>${filler}</style></head><body>Gladly.`],
  ["a long script", `<script type="x">"<b>${filler}</script >Gladly.`],
  ["a long comment", `<!--[if gte mso 9]>${filler}<![endif]-->Gladly.`],
  ["a title", `<TITLE>Re: ${filler}</TITLE><p>Gladly.</p>`],
  ["an image of its own", `<img alt="a > b" src="data:image/png;base64,${"QUJD".repeat(75_000)}"><div>Gladly.</div>`],
  ["a link of its own", `<a href="data:text/plain,${"QUJD".repeat(75_000)}">Gladly.</a>`],
  ["70 tags in tags", `${"<div>".repeat(70)}Gladly.${"</div>".repeat(70)}`],
  ["tags of all kinds without an end", `${"<blockquote><ul><a><div>".repeat(2_000)}Gladly.`.replaceAll("<ul>", "")],
  ["tags that close others", `${"<div></blockquote></p>".repeat(200)}Gladly.`],
  ["an empty title", "<title/><style/>Gladly."],
  ["empty comments", "<!--><!--->Gladly.<!-- -->"],
])("behind %s", async (_, html) => {
  expect((await textOf(html)).replaceAll(/^[> ]+|\n/g, "")).toBe("Gladly.");
});

it.each<[string, string, string]>([
  ["12,000 lines", lines(12_000).join("<br>"), lines(12_000).join("\n")],
  ["4,000 paragraphs of Outlook", lines(4_000).map(outlook).join(""), lines(4_000).join("\n")],
  ["lines below too many tags", `${"<div>".repeat(90)}One<div>Two</div>Three`, "One\nTwo\nThree"],
  ["text that looks like tags", "1 < 2 <<b>y</b> &lt;b&gt; 3 > 2", "1 < 2 <y <b> 3 > 2"],
  ["quotes of no attribute", "<p don't>It's</p><p a=b'>me</p>", "It's\n\nme"],
  ["cells", "<table><tr><td>Two</td><td>packages</td></tr><tr><td>please</td></tr></table>", "Two packages\nplease"],
  [
    "tables in tables",
    "<table><tr><td><table><tr><td>One<tr><td>Two</table></td></tr></table>Three",
    "One\nTwo\n\nThree",
  ],
  ["links", `<a title=x href='https://x.example/?a="b"'>See</a>`, `See <https://x.example/?a="b">`],
  ["lists", `<ol type=i start="9999999"><li>One<li>Two</ol>`, "9999999.  One\n 10000000. Two"],
])("draws all of %s", async (_, html, text) => {
  expect(await textOf(html)).toBe(text);
});

it.each<[string, string]>([
  ["of its text", "word ".repeat(30_000)],
  ["of its HTML", "<i>a</i><br>".repeat(10) + "&#32;".repeat(300_000) + "b"],
])("says that a mail is cut because %s", async (_, html) => {
  const text = await textOf(html);
  expect(text.endsWith(cut)).toBe(true);
  expect(text.length).toBeLessThanOrEqual(100_000);
});

it("says that a plain text is cut", async () => {
  const plain = async (body: string) => (await readMail(Buffer.from(`From: eve@example.org\r\n\r\n${body}`))).text;
  expect(await plain("x".repeat(100_000))).toBe("x".repeat(100_000));
  expect(await plain("x".repeat(100_001))).toBe("x".repeat(100_000 - cut.length) + cut);
  expect(await plain(`One${" ".repeat(500_000)}two`)).toBe(`One${cut}`);
});
