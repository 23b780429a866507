import { expect, it } from "vitest";
import { MalformedMail, readMail, readPostmark } from "./read-mail.ts";

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
  const raw = mail("Subject: Raw\r\n", "x".repeat(50_000)).toString();
  expect(await readPostmark(Buffer.from(JSON.stringify({ ...fields, RawEmail: raw })))).toMatchObject({
    subject: "Raw",
  });
  await expect(readPostmark(Buffer.from("{}"))).rejects.toThrow(MalformedMail);
  await expect(readPostmark(Buffer.from("{"))).rejects.toThrow(MalformedMail);
  await expect(readPostmark(Buffer.from(" ".repeat(50_000)))).rejects.toThrow(MalformedMail);
});
