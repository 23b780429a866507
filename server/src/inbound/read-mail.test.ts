import type { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { MalformedMail } from "./postmark-mail.ts";
import { readMail, readPostmark } from "./read-mail.ts";

const head = "From: Eve <eve@example.org>\r\nTo: answers@desk.example\r\nMessage-ID: <1@example.org>\r\n";
const mail = (more: string, body = "Hello") => Buffer.from(`${head}${more}\r\n${body}`);

it("tells what is quoted from what is not", async () => {
  const body = "Gladly.\r\n\r\nOn Sat, 28 Nov 2026 at 10:00, Sales <sales@desk.example> wrote:\r\n> When?\r\n";
  const read = await readMail(mail("Subject: =?iso-8859-1?Q?R=FCckfrage?=\r\n", body));
  expect(read).toMatchObject({
    messageId: "1@example.org",
    from: [{ address: "eve@example.org", name: "Eve" }],
    recipients: ["answers@desk.example"],
    subject: "Rückfrage",
    reply: "Gladly.",
    html: false,
    automatic: false,
  });
  expect(read.text).toContain("> When?");
});

const mixed = "multipart/mixed; boundary=b";
const latin1 = Buffer.from("Gr\u00FC\u00DFe", "latin1");

it.each<[string, string, string | Buffer, string]>([
  ["no boundary", "Content-Type: multipart/mixed", "Hello", "Hello"],
  ["a boundary that stands nowhere", `Content-Type: ${mixed}`, "Hello", "Hello"],
  ["a type that is none", "Content-Type: text", "Hello", "Hello"],
  ["an empty type", "Content-Type:", "Hello", "Hello"],
  ["a type and no text", `Content-Type: ${mixed}`, "", ""],
  ["no charset", "Content-Type: text/plain", latin1, "Gr\u00FC\u00DFe"],
  ["a charset that is none", "Content-Type: text/plain; charset=utf8mb4", "Gr\u00FC\u00DFe", "Gr\u00FC\u00DFe"],
  ["no type at all", "X: y", latin1, "Gr\u00FC\u00DFe"],
  [
    "another charset than it names",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Gr\u00FC\u00DFe",
    "Gr\u00FC\u00DFe",
  ],
  ["a charset in the HTML alone", "Content-Type: text/html", "<meta charset=utf-8>Gr\u00FC\u00DFe", "Gr\u00FC\u00DFe"],
])("reads the text of a mail with %s", async (_, type, body, text) => {
  const read = await readMail(Buffer.concat([mail(`${type}\r\n`, ""), Buffer.from(body)]));
  expect(read).toMatchObject({ text, attachments: [], messageId: "1@example.org" });
});

it("reads headers in Latin-1 of a mail and its parts, and leaves its bytes", async () => {
  const name = 'name="L\u00FCck.bin"';
  const text = "--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\u00FC\u00DFe\r\n";
  const file = `--b\r\nContent-Type: application/octet-stream; ${name}\r\nContent-Disposition: attachment; file${name}\r\n\r\n`;
  const bytes = "\u00FC\n--\u00DF";
  const read = await readMail(
    Buffer.from(
      `Subject: R\u00FCckfrage\r\n${head.replace("Eve <", "Zo\u00EB <")}Content-Type: ${mixed}\r\n\r\n${text}${file}${bytes}\r\n--b--\r\n`,
      "latin1",
    ),
  );
  expect(read).toMatchObject({ subject: "R\u00FCckfrage", from: [{ name: "Zo\u00EB" }], text: "Gr\u00FC\u00DFe" });
  expect(read.attachments.map((each) => [each.name, Buffer.from(each.bytes).toString("latin1").trimEnd()])).toEqual([
    ["L\u00FCck.bin", bytes],
  ]);
});

it("reads headers in the charset of the text", async () => {
  const head8 = Buffer.concat([
    Buffer.from("Subject: "),
    Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]),
    Buffer.from("\r\n"),
  ]);
  const read = await readMail(Buffer.concat([head8, mail("Content-Type: text/plain; charset=koi8-r\r\n")]));
  expect(read.subject).toBe("Привет");
  // In Shift_JIS, the backslash would be a part of the character before it, and the quote behind it would end.
  const said = 'Authentication-Results: mx.a; spf=pass smtp.mailfrom="\u0081\\"; dmarc=pass; x="@evil.example\r\n';
  const forged = await readMail(
    Buffer.concat([Buffer.from(said, "latin1"), mail("Content-Type: text/plain; charset=shift_jis\r\n")]),
  );
  expect(forged.authentication[0]?.results.map(({ method }) => method)).toEqual(["spf"]);
});

const inside = (type: string, body: string) =>
  [`multipart/mixed; boundary=b`, `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n--b--`] as const;

it.each<[string, string, string, string, string[]]>([
  [
    "enriched",
    "text/enriched",
    "<bold>Now</bold> it\r\nis << 3.\r\n\r\n<color><param>red</param>Yes</color>",
    "Now it is < 3.\nYes",
    [],
  ],
  ["markdown", ...inside("text/markdown", "# Gr\u00FC\u00DFe"), "# Gr\u00FC\u00DFe", []],
  ["Outlook", "application/ms-tnef; name=winmail.dat", "x", "winmail.dat", ["winmail.dat"]],
  ["S/MIME", "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m", "x", "smime.p7m", ["smime.p7m"]],
  ["a named file", ...inside("text/plain; name=a.txt", "Hello"), "Hello", []],
])("shows the text of another kind, or says where it is: %s", async (_, type, body, text, files) => {
  const read = await readMail(mail(`Content-Type: ${type}\r\n`, body));
  const said = files.length === 0 ? text : `(The text of this mail is in the file ${text}, which cannot be read here.)`;
  expect([read.text, read.reply, read.attachments.map(({ name }) => name)]).toEqual([said, said, files]);
});

it("names the file that holds the text, and keeps one whose text it cannot show for certain", async () => {
  const part = (type: string) => `--b\r\nContent-Type: ${type}\r\n\r\nx\r\n`;
  const parts = `${part("application/ms-tnef; name=winmail.dat")}${part("application/pdf; name=cv.pdf")}--b--`;
  const outlook = await readMail(mail("Content-Type: multipart/mixed; boundary=b\r\n", parts));
  expect(outlook.text).toContain("in the file winmail.dat,");
  const bytes = [0xf0, 0xd2, 0xc9];
  const russian = mail("Content-Type: text/markdown; charset=koi8-r\r\n", "");
  const { text, attachments } = await readMail(Buffer.concat([russian, Buffer.from(bytes)]));
  expect([text, attachments.length]).toEqual(["При", 1]);
  expect([...attachments[0]!.bytes].slice(0, 3)).toEqual(bytes);
});

it("outlives its thread, which may run out of memory behind a mail that is not waited for any more", async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on("worker", note);
  const long = mail("Subject: Long\r\n", "Hello ".repeat(5_000));
  expect(await readMail(long)).toMatchObject({ subject: "Long" });
  process.off("worker", note);
  expect(threads).toHaveLength(1);
  threads[0]!.emit("error", new Error("out of memory"));
  await threads[0]!.terminate();
  expect((await readMail(long)).text).toMatch(/^Hello Hello/);
});

it("leaves the bytes of a file as they are", async () => {
  const pdf = "%PDF-\u00FC\u00DF";
  const type = "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: binary\r\n";
  const { attachments } = await readMail(Buffer.concat([mail(type, ""), Buffer.from(pdf, "latin1")]));
  expect(Buffer.from(attachments[0]!.bytes).toString("latin1").trimEnd()).toBe(pdf);
});

it("names files before what the text draws", async () => {
  const file = (name: string, more = "") =>
    `--b\r\nContent-Type: image/png; name=${name}\r\nContent-ID: <${name}>\r\n${more}\r\nx\r\n`;
  const drawn = `--b\r\nContent-Type: multipart/related; boundary=c\r\n\r\n${file("logo.png").replace("--b", "--c")}--c--\r\n`;
  const read = await readMail(mail(`Content-Type: ${mixed}\r\n`, `${drawn}${file("1.png")}${file("2.png")}--b--`));
  expect(read.attachments.map(({ name }) => name)).toEqual(["1.png", "2.png", "logo.png"]);
  const told = (Name: string, ContentID = "") => ({ Name, Content: "", ContentType: "image/png", ContentID });
  const Attachments = [told("logo.png", "logo"), told("1.png"), told("2.png")];
  const body = Buffer.from(JSON.stringify({ From: "eve@example.org", Attachments }));
  expect((await readPostmark(body)).attachments.map(({ name }) => name)).toEqual(["1.png", "2.png", "logo.png"]);
});

it("joins the lines of a text whose spaces are deleted", async () => {
  const type = 'Content-Type: text/plain; format=flowed; delsp="yes"\r\n';
  const { text } = await readMail(mail(type, "The commercial one, for all of our  \r\nproducts.\r\n\r\nA nn \r\na"));
  expect(text).toBe("The commercial one, for all of our products.\n\nA nna");
});

const block = (from: string, sent: string, to: string, subject: string) =>
  `${from}: Sales <sales@desk.example>\n${sent} 10:02\n${to}: Ann\n${subject}: Your inquiry\n\nHello`;

it.each([
  ["Russian", block("От", "Отправлено: 28 ноября 2026 г.", "Кому", "Тема")],
  ["Turkish", block("Kimden", "Gönderilen: 28 Kasım 2026 Cumartesi", "Kime", "Konu")],
  ["Hungarian", block("Feladó", "Elküldve: 2026. november 28., szombat", "Címzett", "Tárgy")],
  ["Hebrew", block("מאת", "נשלח: יום שבת 28 נובמבר 2026", "אל", "נושא")],
  ["Arabic", block("من", "\u200Fتم الإرسال: ٢٨ نوفمبر ٢٠٢٦", "إلى", "الموضوع")],
  ["Hebrew, with marks", `\u200F${block("מאת", "\u200Fנשלח: 28 נובמבר 2026", "אל", "נושא")}`],
  ["Russian, without a verb", "Суббота, 28 ноября 2026, 10:02 +03:00 от Sales <sales@desk.example>:\n\nHello"],
  [
    "Czech, with a separator",
    `---------- Původní e-mail ----------\n${block("Od", "Datum: 28. 11. 2026", "Komu", "Předmět")}`,
  ],
  ["Turkish, below a line", `${"_".repeat(32)}\nKimden: Sales\nGönderilen: 28 Kasım 2026 10:02\nKime: Ann\n\nHello`],
  [
    "Finnish, by name",
    "Lähettäjä: Sales\nLähetetty: lauantai 28. marraskuuta 2026 10.02\nVastaanottaja: Ann\nAihe: x\n\nHi",
  ],
  ["Russian, by name", "От: Sales\nОтправлено: 28 ноября 2026 г. 10:02\nКому: Ann\nТема: Your inquiry\n\nHello"],
  ["Turkish, by name", "Kimden: Sales\nGönderilen: 28 Kasım 2026 10:02\nKime: Ann\nKonu: Your inquiry\n\nHello"],
  ["Thai", block("จาก", "ส่ง: 28 พฤศจิกายน 2026", "ถึง", "เรื่อง").replace(/<(.*)>/, "[mailto:$1]")],
  ["Persian", "در تاریخ شنبه ۲۸ نوامبر ۲۰۲۶،‏ ۱۰:۰۲ Sales <sales@desk.example> نوشت:\n\n> Hello\n> there"],
  ["Hungarian, of Gmail", "Sales <sales@desk.example> ezt írta (időpont: 2026. nov. 28., Szo, 10:02):\n\nHello"],
  ["Chinese, of Gmail", "Sales <sales@desk.example> 於 2026年11月28日 週六 上午10:02寫道：\n\nHello"],
  ["Zoho", "---- On Sat, 28 Nov 2026 10:02:03 +0100 Sales <sales@desk.example> wrote ---\n\nHello"],
  ["an initial", "On Sat, 28 Nov 2026 at 10:02, John I. Sales <sales@desk.example> wrote:\n\nHello"],
  ["Horde", "Zitat von Sales <sales@desk.example>:\n\n> Hello\n> there"],
  ["GroupWise", ">>> Sales <sales@desk.example> 28.11.2026 10:02 >>>\nHello"],
  ["German, with a separator", "-------- Original-Nachricht --------\nAm 28.11.26 schrieb Sales:\n\nHello"],
])("leaves out what is quoted without marks: %s", async (_, quoted) => {
  expect(await readMail(mail("", `Gladly.\n\n${quoted}`))).toMatchObject({ reply: "Gladly." });
});

it.each([
  "From: Berlin\nTo: Munich\nDate: 2026-12-01\nPassengers: 3\n\nPlease confirm.",
  "Von: 2020\nBis: 2024\nFirma: ACME\n\nMit freundlichen Grüßen",
  `${"-".repeat(40)}\n\nInterview: 2026-12-01 10:00\nPlace: Bonn\nRoom: 3`,
  "On 12 November 2026 at 10:00 I wrote:\nplease call me\n\nNothing came.",
  "Am 5.12.2026 um 10:00 schrieb ich Ihnen:\nIch komme gern.\n\nGilt das noch?",
  "On 12 November 2026 your colleague Ben wrote:\nwe begin on Monday\n\nIs that so?",
  "Am 05.12. schrieb Ihr Kollege Ben:\nwir beginnen am Montag\n\nGilt das?",
  "Until 28.11.2026 please write to Ann <ann@example.org>:\nshe knows\n\n--- Ann ---",
  "Tel: 030 2024 1234\nE-Mail: Ann <ann@example.org>\nWeb: example.org\nOrt: Bonn\n\nUntil then",
])("shows what a person lists", async (list) => {
  const text = `Hello,\n\n${list}`;
  expect(await readMail(mail("", text))).toMatchObject({ reply: text });
});

const quoted = "> When?\n> Where?\n";
const signature = "-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n";
it.each([
  [
    "that stand above an attribution",
    `Hello,\nTuesday.\nSales Team <s@desk.example> writes:\n${quoted}`,
    "Hello,\nTuesday.",
  ],
  [
    "that end with an address and a verb",
    `Hello,\nmy colleague Ann <ann@x.example> asked:\n${quoted}`,
    "Hello,\nmy colleague Ann <ann@x.example> asked:",
  ],
  [
    "that are signed, behind a line of one space",
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n \nTuesday.\n\nAnn\n${signature}`,
    "Tuesday.\n\nAnn",
  ],
  [
    "that are signed, without a blank line in front",
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\nTuesday.\n${signature}`,
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\nTuesday.\n${signature.trim()}`,
  ],
])("keeps a person's own lines %s", async (_, body, reply) => {
  expect((await readMail(mail("", body))).reply).toBe(reply);
});

it.each(["Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "Cc", "Bcc", "Resent-To"])(
  "reads recipients in %s",
  async (name) => {
    const { recipients } = await readMail(mail(`${name}: answers+x@desk.example\r\n`));
    expect(recipients.toSorted()).toEqual(["answers+x@desk.example", "answers@desk.example"]);
  },
);

it("reads what Postmark tells of a mail, or the mail that it quotes", async () => {
  const fields = {
    FromFull: { Email: "eve@example.org", Name: "Eve" },
    ToFull: [{ Email: "answers+x@desk.example", Name: "" }],
    OriginalRecipient: "answers+y@desk.example",
    Subject: "Hello",
    TextBody: "Gladly.",
    Headers: [{ Name: "Message-ID", Value: "<1@example.org>" }],
    Attachments: [{ Name: "a.txt", Content: Buffer.from("abc").toString("base64"), ContentType: "text/plain" }],
  };
  const read = await readPostmark(Buffer.from(JSON.stringify(fields)));
  expect(read).toMatchObject({
    messageId: "1@example.org",
    from: [{ address: "eve@example.org", name: "Eve" }],
    recipients: ["answers+y@desk.example", "answers+x@desk.example"],
    subject: "Hello",
    reply: "Gladly.",
    attachments: [{ name: "a.txt", bytes: Uint8Array.from(Buffer.from("abc")) }],
  });
  const hidden = { From: "eve@example.org", To: "Us <answers+z@desk.example>", BccFull: fields.ToFull };
  const recipients = ["answers+x@desk.example", "answers+z@desk.example"];
  expect(await readPostmark(Buffer.from(JSON.stringify(hidden)))).toMatchObject({ recipients });
  const typed = { Name: "", Content: Buffer.from("# Yes").toString("base64"), ContentType: "Text/Markdown; charset=x" };
  const untold = Buffer.from(JSON.stringify({ ...fields, TextBody: "", Attachments: [typed] }));
  expect(await readPostmark(untold)).toMatchObject({ text: "# Yes", attachments: [] });
  const raw = mail("Subject: Raw\r\n", "x".repeat(50_000)).toString();
  expect(await readPostmark(Buffer.from(JSON.stringify({ ...fields, RawEmail: raw })))).toMatchObject({
    subject: "Raw",
  });
  await expect(readPostmark(Buffer.from("{}"))).rejects.toThrow(MalformedMail);
  await expect(readPostmark(Buffer.from("{"))).rejects.toThrow(MalformedMail);
  await expect(readPostmark(Buffer.from(" ".repeat(50_000)))).rejects.toThrow(MalformedMail);
});

it("shows each row of a long table on a line, and what follows it, also where the ends of rows are left out", async () => {
  const rows = Array.from({ length: 100 }, (_, row) => `<tr><td>Row ${row}<td>yes`).join("");
  const read = await readMail(
    mail("Content-Type: text/html\r\n", `<table>${rows}</table><p><a href="https://a.example/x">link</a></p>`),
  );
  expect(read.text).toContain("Row 0 yes\nRow 1 yes\n");
  expect(read.text).toContain("https://a.example/x");
});
