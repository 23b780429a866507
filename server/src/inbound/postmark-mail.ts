// A mail from what Postmark tells of it: from its bytes where they are told, else from the fields of the document.
import { z } from "zod";
import { jsonIn } from "../read-unknown.ts";
import {
  assemble,
  attachmentsMax,
  type InboundMail,
  recipientsMax,
  sender,
  type Source,
  unreadable,
} from "./inbound-mail.ts";
import { parseMail } from "./parse-mail.ts";

/** What is no mail at all. */
export class MalformedMail extends Error {}

const text = z.string().catch("");
const header = z.object({ Name: z.string(), Value: text });
const person = z.object({ Email: text, Name: text });
const persons = z.array(person).catch([]);
const attachment = z.object({ Name: text, Content: text, ContentType: text, ContentID: text });
/** Postmark's document of a mail, as far as it is read: https://postmarkapp.com/developer/webhooks/inbound-webhook */
const postmarkMail = z
  .object({
    RawEmail: z.string().optional().catch(undefined),
    FromFull: person.optional().catch(undefined),
    From: text,
    To: text,
    Cc: text,
    ToFull: persons,
    CcFull: persons,
    BccFull: persons,
    OriginalRecipient: text,
    Subject: text,
    Date: text,
    TextBody: text,
    HtmlBody: text,
    Headers: z.array(header).optional(),
    Attachments: z.array(attachment).catch([]),
  })
  .refine(({ From, FromFull, Headers }) => Headers !== undefined || FromFull !== undefined || From !== "");

/** @throws MalformedMail when it is no document of Postmark's */
export async function parsePostmark(body: Uint8Array, { headersOnly = false } = {}): Promise<InboundMail> {
  const json = jsonIn(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  if (json === undefined) throw new MalformedMail("This is no JSON.");
  const read = postmarkMail.safeParse(json);
  if (!read.success) throw new MalformedMail("This is no mail of Postmark's.");
  const mail = read.data;
  const delivered = mail.OriginalRecipient === "" ? [] : [mail.OriginalRecipient];
  if (mail.RawEmail !== undefined && mail.RawEmail !== "") {
    return parseMail(Buffer.from(mail.RawEmail), delivered, { headersOnly });
  }
  const headers = (mail.Headers ?? [])
    .slice(0, 1_000)
    .map(({ Name, Value }) => ({ key: Name.toLowerCase(), value: Value }));
  const lacking = Object.entries({ subject: mail.Subject, date: mail.Date, to: mail.To, cc: mail.Cc })
    .map(([key, value]) => ({ key, value }))
    .filter(({ key, value }) => value !== "" && !headers.some((each) => each.key === key));
  const listed = (list: typeof mail.ToFull) => list.slice(0, recipientsMax).map(({ Email }) => Email);
  const from = mail.FromFull ?? { Email: mail.From, Name: "" };
  const source: Source = {
    headers: [...headers, ...lacking],
    text: headersOnly ? unreadable : mail.TextBody,
    html: headersOnly ? "" : mail.HtmlBody,
    flow: "fixed",
    parts: mail.Attachments.toSorted((one, other) => Number(one.ContentID !== "") - Number(other.ContentID !== ""))
      .slice(0, attachmentsMax)
      .map(({ Name, Content, ContentType }) => ({
        filename: Name || null,
        // Without its parameters.
        mimeType: ContentType.split(";", 1).join("").trim().toLowerCase(),
        content: headersOnly ? new Uint8Array() : Uint8Array.from(Buffer.from(Content, "base64")),
      })),
  };
  const recipients = [...delivered, ...[mail.ToFull, mail.CcFull, mail.BccFull].flatMap(listed)];
  const assembled = assemble(source, recipients);
  return assembled.from.length > 0 ? assembled : { ...assembled, from: [sender(from.Email, from.Name)] };
}
