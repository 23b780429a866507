// The mails of an application: the receipt for the applicant and the notice for recruiting. The receipt goes to an address
// that is not proven and holds only what may stand in it; the notice holds everything but the resume.
import { html } from "@submissions/shared/html";
import type { ResumeRecord, StoredApplication } from "../../storage/records.ts";
import { forSubject, greeting } from "../stranger.ts";
import {
  emailNote,
  factItems,
  factLines,
  fileSize,
  optional,
  utcMinute,
  type Fact,
  type NoticeFacts,
} from "./facts.ts";
import { frame } from "./frame.ts";
import { button, layout, paragraph, referencePanel, textOf, type Written } from "./layout.ts";

const thanks = "Thank you for applying. Our team will contact you by e-mail.";
const quote = "Please quote the reference when you write to us about it.";
const why =
  "You get this mail because this address was entered in our application form. If that was not you, please ignore it.";

const receiptFrame = frame<"subject" | "brand" | "hello" | "reference" | "resume">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "We received your application",
    preheader: html`Your reference is ${slot("reference")}. Our team will contact you by e-mail.`,
    body: html`${paragraph(html`<bdi>${slot("hello")}</bdi>`)}${paragraph(thanks)}${referencePanel(slot("reference"))}
      ${slot("resume")}
      <p style="margin:0">${quote}</p>`,
    footer: why,
  }),
);

const resumeFrame = frame<"words">((slot) => paragraph(slot("words")));

/** The receipt: that the application arrived, with or without a resume, and the reference to quote. */
export function writeApplicationReceipt({ reference, name, resume }: StoredApplication, brand: string): Written {
  const subject = `We received your application ${reference}`;
  const hello = greeting(name);
  // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
  const words = resume && `Your resume arrived too (${resume.kind.toUpperCase()}, ${fileSize(resume.size)}).`;
  return {
    subject,
    text: textOf(hello, thanks, `Your reference: ${reference}`, words, quote, brand, ["--", why]),
    html: receiptFrame({ subject, brand, hello, reference, resume: words && resumeFrame({ words }) }).text,
  };
}

const answer = "Answer this mail to write to the applicant.";

const noticeFrame = frame<"subject" | "brand" | "preheader" | "facts" | "consoleUrl" | "letter">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "New application",
    preheader: slot("preheader"),
    body: html`<dl style="margin:0 0 8px">${slot("facts")}</dl>
      ${button(slot("consoleUrl"), "Open in the console")}${slot("letter")}`,
    footer: `${answer} All values above are as the sender typed them.`,
  }),
);

const letterFrame = frame<"lines">(
  (slot) =>
    html`<h2
        class="rule"
        style="margin:8px 0 12px;padding-top:20px;border-top:1px solid #d9dde3;font-size:16px;line-height:1.3"
      >
        Cover letter
      </h2>
      <div dir="auto" style="text-align:start;unicode-bidi:plaintext;overflow-wrap:anywhere;word-break:break-word">
        ${slot("lines")}
      </div>`,
);

// Line breaks as elements: some desktop programs ignore `white-space`.
const letterLines = (letter: string) =>
  letter.split("\n").map((line, index) => (index === 0 ? line : html`<br />${line}`));

/** The notice to recruiting: everything that the applicant sent, as text. The resume itself waits in the console. */
export function writeApplicationNotice(
  application: StoredApplication,
  { brand, consoleUrl, isDisposable }: NoticeFacts,
): Written {
  const { reference, name, email, resume, coverLetter } = application;
  const subject = `New application ${reference} from ${forSubject(name)}`;
  const facts: Fact[] = [
    { label: "Reference", value: reference },
    { label: "Name", value: name },
    { label: "E-mail", value: email },
    ...emailNote(isDisposable),
    { label: "Position", value: application.position },
    ...optional("Phone", application.phone),
    ...optional("Company", application.company),
    ...optional("Availability", application.availability),
    ...optional("Accent", application.accent),
    ...optional("Portfolio", application.portfolioUrl),
    ...optional("Resume elsewhere", application.resumeUrl),
    { label: "Resume", value: resumeFacts(resume) },
    { label: "Received", value: utcMinute(application.receivedAt) },
  ];
  return {
    subject,
    text: textOf(
      factLines(facts),
      [`Open it in the console: ${consoleUrl}`, answer],
      // Last, so that nothing in the letter can pass for one of our lines.
      coverLetter && "Cover letter, to the end of this mail:",
      coverLetter,
    ),
    html: noticeFrame({
      subject,
      brand,
      preheader: `${reference}, ${resume === null ? "without a resume" : "with a resume"}`,
      facts: factItems(facts),
      consoleUrl,
      letter: coverLetter !== null && letterFrame({ lines: letterLines(coverLetter) }),
    }).text,
  };
}

const resumeFacts = (resume: ResumeRecord | null): Fact["value"] =>
  resume === null
    ? "none"
    : [
        `${resume.kind.toUpperCase()}, ${fileSize(resume.size)}`,
        `named ${resume.filename}`,
        `SHA-256 ${resume.sha256}`,
      ];
