// Mails that are built to break readers: each is read, and nothing else waits for it.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { readMail, readPostmark } from "../../../server/src/inbound/read-mail.ts";
import { manyOrFew, nightly, someOf } from "../../support/many-or-few.ts";

const head = "From: Eve <eve@example.org>\r\nTo: answers+abc@desk.example\r\nMessage-ID: <1@example.org>\r\n";
const unreadable = "(The text of this mail could not be read.)";
const mail = (more: string, body = "Hello") => Buffer.from(`${head}${more}\r\n${body}`, "latin1");
const html = (body: string) => mail("Content-Type: text/html\r\n", body);
const mixed = "Content-Type: multipart/mixed; boundary=b\r\n";
const base64Lines = `${"QUJD".repeat(19)}\r\n`;
const deepParts = Array.from(
  { length: 300 },
  (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
).join("");

const cases: Record<string, () => Buffer> = {
  "parts in parts": () => Buffer.from(head + deepParts),
  "a million parts": () => mail(mixed, "--b\r\n\r\n".repeat(1_000_000)),
  "two million lines": () => mail("", "\n".repeat(2_000_000)),
  "5 MB of headers": () => mail("X-A: b\r\n".repeat(600_000)),
  "one header of 5 MB": () => mail(`X-A: ${"b".repeat(5_000_000)}\r\n`),
  "addresses of nothing": () => mail(`Cc: ${',<("'.repeat(50_000)}\r\n`),
  "deep HTML": () => html("<div>".repeat(100_000)),
  "deep quotes": () => html("<blockquote>x".repeat(20_000)),
  "tables in tables": () => html("<table><tr><td>".repeat(30_000)),
  "much HTML": () => html("<p>line</p>".repeat(manyOrFew(900_000))),
  "a tag without an end": () => html(`<a ${"x=y ".repeat(500_000)}`),
  "lines that look like attributions": () => mail("", "aaa. skrev\r\n".repeat(40_000)),
  "one that has no end": () => mail("", `On 2026 10:00 ${"a ".repeat(200_000)}wrote:`),
  "blank lines": () => mail("", `x${" \r\n".repeat(manyOrFew(200_000))}x`),
  "messages in messages": () => mail("", "Content-Type: message/rfc822\r\n\r\n".repeat(10_000)),
  "encoded words": () => mail(`Subject: ${"=?utf-8?q?a?= ".repeat(15_000)}\r\n`),
  "continued parameters": () => mail(`Content-Type: text/plain; ${"a*0*=%41;".repeat(20_000)}\r\n`),
};

it.each(someOf(Object.keys(cases)))("reads %s", async (name) => {
  const read = await readMail(cases[name]?.() ?? Buffer.alloc(0));
  expect(read).toMatchObject({ from: [{ address: "eve@example.org" }], messageId: "1@example.org" });
  expect(read.recipients).toContain("answers+abc@desk.example");
  expect(read.text.length).toBeLessThanOrEqual(100_000);
});

it("says that a text could not be read, and keeps the rest", async () => {
  expect(await readMail(Buffer.from(head + deepParts))).toMatchObject({ text: unreadable, reply: unreadable });
  const fields = { RawEmail: head + deepParts, Headers: [], Subject: "x".repeat(50_000) };
  expect(await readPostmark(Buffer.from(JSON.stringify(fields)))).toMatchObject({ text: unreadable });
});

nightly("lets others work while it reads 35 MB", async () => {
  const file = "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  const large = mail(mixed, `--b\r\n\r\nHello\r\n--b\r\n${file}${base64Lines.repeat(450_000)}--b--\r\n`);
  await readMail(mail("", "x".repeat(20_000)));
  let turns = 0;
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const reading = readMail(large).finally(() => (turns = -turns));
  while (turns >= 0) {
    turns += 1;
    await sleep(1);
  }
  delays.disable();
  const read = await reading;
  expect(read).toMatchObject({ text: "Hello", attachments: [{ name: "a.pdf" }] });
  expect(read.attachments[0]?.bytes.length).toBe(450_000 * 57);
  // How long one turn took depends on the machine; that there were many does not.
  expect(turns).toBeLessThan(-20);
});

it.each([
  ["short lines", () => mail("", "x\r\n".repeat(400_000))],
  ["pieces of Base64", () => mail("Content-Transfer-Encoding: ba(x)se64\r\n", "AB=".repeat(2_000_000))],
  [
    "pieces of Base64 that say they are quoted-printable",
    () =>
      mail(
        "Content-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: quoted-printable\r\n",
        "AB=".repeat(2_000_000),
      ),
  ],
])("takes little memory for a few megabytes of %s", async (_, made) => {
  const raw = made();
  await readMail(mail("", "x".repeat(20_000)));
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  expect((await readMail(raw)).messageId).toBe("1@example.org");
  clearInterval(watch);
  expect(most - before).toBeLessThan(1_000_000_000);
});

it("reads a file of megabytes in quoted-printable", async () => {
  const type = "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n";
  const file = Array<string>(48_000).fill("=80".repeat(25)).join("=\r\n");
  const logo = "Content-Type: image/png; name=b.png\r\nContent-Transfer-Encoding: base64\r\n\r\nQUJD";
  const parts = [`${type}${file}`, logo].map((part) => `--b\r\n${part}\r\n`).join("");
  const read = await readMail(mail(mixed, `--b\r\n\r\nHello\r\n${parts}--b--\r\n`));
  expect(read).toMatchObject({ text: "Hello", attachments: [{ name: "a.pdf" }, { name: "b.png" }] });
  const bytes = Buffer.from(read.attachments[0]!.bytes).toString("latin1").trimEnd();
  expect(bytes === "\u0080".repeat(48_000 * 25)).toBe(true);
});

nightly("reads a long text of Western letters, and finds out that they are no UTF-8", async () => {
  const western = "Content-Type: text/plain; charset=iso-8859-1\r\n";
  const read = await readMail(mail(western, `${"\u0080".repeat(900)}\r\n`.repeat(38_000)));
  expect(read.text).toMatch(/^€{900}\n€/);
});

it("lets others work while it reads 8,000 short lines", async () => {
  let turns = 0;
  const turn = setInterval(() => (turns += 1), 1);
  expect((await readMail(mail("", `${"\n".repeat(7_900)}x`))).text).toBe("x");
  clearInterval(turn);
  expect(turns).toBeGreaterThan(0);
});

it("takes what a database refuses out of texts and names", async () => {
  const read = await readMail(
    Buffer.concat([
      mail("Subject: a\0b\u0007c\r\nContent-Type: text/plain; charset=utf-8\r\n", "one\0 two\u0008 \u009B three "),
      Buffer.from([0xed, 0xa0, 0x80, 0xff]),
      Buffer.from("\u202Efour\u2066"),
    ]),
  );
  expect(read.subject).toBe("abc");
  expect(read.text).toMatch(/^one two .+ three .*four$/);
  expect(read.text.isWellFormed()).toBe(true);
  const spoken = await readPostmark(
    Buffer.from(JSON.stringify({ Headers: [], TextBody: "a\uD800b\u0000c", Subject: "\uDFFF!" })),
  );
  expect(spoken).toMatchObject({ text: "a\uFFFDbc", subject: "\uFFFD!" });
});

it("reads 1,000 recipients and several senders", async () => {
  const people = Array.from({ length: 999 }, (_, number) => `Person ${number} <p${number}@example.org>`);
  const to = `To: Friends: ${people.join(",\r\n ")};\r\nFrom: "boss@desk.example" <eve@example.org>, b@example.org\r\n`;
  const read = await readMail(mail(to));
  expect(read.recipients).toHaveLength(1_000);
  expect(read.from).toStrictEqual([
    { address: "eve@example.org", name: "Eve" },
    { address: "eve@example.org", name: "boss@desk.example" },
    { address: "b@example.org", name: "" },
  ]);
});

it("reads what servers say of the sender, and no more than they say", async () => {
  const read = await readMail(
    mail(
      [
        'Authentication-Results: mx.desk.example 1; spf=pass (a; dkim=fail) smtp.mailfrom="x y"@example.org;',
        " dkim=pass (2048-bit key; b=a) header.i=@example.org header.d=example.org; dmarc=fail (p=none) header.from=example.org",
        "Authentication-Results: spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dmarc=pass action=none",
        "Authentication-Results: forged.example; none",
        'Received-SPF: pass (desk.example: "domain of a@bank.example designates") envelope-from="a@example.org";',
        "",
      ].join("\r\n"),
    ),
  );
  expect(read.authentication).toStrictEqual([
    {
      authservId: "mx.desk.example",
      results: [
        { method: "spf", result: "pass", domain: "example.org" },
        { method: "dkim", result: "pass", domain: "example.org" },
        { method: "dmarc", result: "fail", domain: "example.org" },
      ],
    },
    {
      authservId: "",
      results: [
        { method: "spf", result: "pass", domain: "example.org" },
        { method: "dmarc", result: "pass" },
      ],
    },
    { authservId: "forged.example", results: [] },
  ]);
  expect(read.receivedSpf).toStrictEqual({ result: "pass", domain: "example.org" });
});

it("reads odd charsets, or their bytes", async () => {
  const read = async (charset: string, bytes: readonly number[] | string) => {
    const text = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : Buffer.from(bytes);
    return (await readMail(Buffer.concat([mail(`Content-Type: text/plain; charset=${charset}\r\n`, ""), text]))).text;
  };
  expect(await read("windows-1252", [0x80, 0x93, 0xfc, 0x94])).toBe("€“ü”");
  expect(await read("iso-2022-jp", "\u001b$B$3$s$K$A$O\u001b(B")).toBe("こんにちは");
  expect(await read('"no such charset"', [0xfc])).toBe("ü");
  expect(await read("utf-8", [0x61, 0xff, 0x62])).toBe("a\uFFFDb");
  expect(await read("utf-7", "a+AGI-")).toBe("a+AGI-");
  const utf8 = [...Buffer.from("Grüße, 元気")];
  for (const charset of ["us-ascii", '"US-ASCII"', "x-unknown; format=fixed", "unknown-8bit", '"unknown-8bit"; x=y']) {
    expect([charset, await read(charset, utf8)]).toEqual([charset, "Grüße, 元気"]);
    expect([charset, await read(charset, [0xfc, 0x80])]).toEqual([charset, "ü€"]);
  }
  const quoted = "us-ascii\r\nContent-Transfer-Encoding: quoted-printable";
  expect(await read(quoted, "Gr=C3=BC=C3=9Fe")).toBe("Grüße");
  expect(await read(`${quoted}\r\nX: charset=us-ascii`, "Gr=FC=DFe")).toBe("Grüße");
});
