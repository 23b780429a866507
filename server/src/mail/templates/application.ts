// What an application makes us write: the receipt for the applicant and the notice for recruiting. The receipt goes to
// an address nobody has proven and is handed only what may stand in it; the notice holds everything but the resume.
import type { ApplicationRecord, ResumeRecord } from "../../storage/records.ts";
import { html, type Markup } from "@submissions/shared/html";
import { greeting } from "../stranger.ts";
import { emailNote, factLines, factList, fileSize, utcMinute, type Fact } from "./facts.ts";
import { button, layout, paragraph, referencePanel, textOf, type Written } from "./layout.ts";

export interface ApplicationReceiptFacts {
  readonly brand: string;
  readonly reference: string;
  readonly fullName: string;
  /** What our own reading of the bytes found; the file's name is the stranger's and stays out. */
  readonly resume: Pick<ResumeRecord, "kind" | "size"> | null;
}

/** The receipt: that the application arrived, with or without a resume, and the reference to quote. */
export function writeApplicationReceipt(facts: ApplicationReceiptFacts): Written {
  const { brand, reference, resume } = facts;
  const subject = `We received your application ${reference}`;
  const hello = greeting(facts.fullName);
  const thanks =
    "Thank you for applying. Your application is with our team now, and someone will answer you by e-mail.";
  const file = resume && `Your resume arrived too (${resume.kind.toUpperCase()}, ${fileSize(resume.size)}).`;
  const quote = "Please quote the reference when you write to us about it.";
  const why =
    "You get this mail because this address was entered in our application form. If that was not you, please ignore it.";
  return {
    subject,
    text: textOf(hello, thanks, `Your reference: ${reference}`, file, quote, brand, ["--", why]),
    html: layout({
      subject,
      brand,
      heading: "We received your application",
      preheader: `Your reference is ${reference}. Someone will answer you by e-mail.`,
      body: html`${paragraph(html`<bdi>${hello}</bdi>`)}${paragraph(thanks)}${referencePanel(reference)}
        ${file !== null && paragraph(file)}
        <p style="margin:0">${quote}</p>`,
      footer: html`${why}`,
    }),
  };
}

export interface ApplicationNoticeFacts {
  readonly brand: string;
  readonly application: ApplicationRecord;
  /** The name, made fit for a subject. */
  readonly subjectName: string;
  readonly consoleUrl: string;
}

const optional = (label: string, value: string | null): Fact[] => (value === null ? [] : [{ label, value }]);

const resumeFact = (resume: ResumeRecord | null): Fact => ({
  label: "Resume",
  value:
    resume === null
      ? "none"
      : [
          `${resume.kind.toUpperCase()}, ${fileSize(resume.size)}`,
          `named ${resume.filename}`,
          `SHA-256 ${resume.sha256}`,
        ],
});

/** The notice to recruiting: everything the applicant sent, as text; the resume itself waits in the console. */
export function writeApplicationNotice(notice: ApplicationNoticeFacts): Written {
  const { brand, application, consoleUrl } = notice;
  const subject = `New application ${application.reference} from ${notice.subjectName}`;
  const facts: Fact[] = [
    { label: "Reference", value: application.reference },
    { label: "Name", value: application.fullName },
    { label: "E-mail", value: application.email },
    ...emailNote(application),
    { label: "Position", value: application.position },
    ...optional("Phone", application.phone),
    ...optional("Company", application.company),
    ...optional("Availability", application.availability),
    ...optional("Accent", application.accent),
    ...optional("Portfolio", application.portfolioUrl),
    ...optional("Resume elsewhere", application.resumeUrl),
    resumeFact(application.resume),
    { label: "Received", value: utcMinute(application.receivedAt) },
  ];
  const answer = "Answer this mail to write to the applicant.";
  const letter = application.coverLetter;
  return {
    subject,
    text: textOf(
      factLines(facts),
      [`Open it in the console: ${consoleUrl}`, answer],
      // Last, so that nothing in the letter can pass for one of our lines.
      letter && "Cover letter, to the end of this mail:",
      letter,
    ),
    html: layout({
      subject,
      brand,
      heading: "New application",
      preheader: `${application.reference}, ${application.resume === null ? "without a resume" : "with a resume"}`,
      body: html`${factList(facts)}${button(consoleUrl, "Open in the console")}${letter !== null && coverLetter(letter)}`,
      footer: html`${answer} All values above are as the sender typed them.`,
    }),
  };
}

// Line breaks as elements: some desktop programs ignore `white-space`.
const coverLetter = (letter: string): Markup =>
  html` <h2
      class="rule"
      style="margin:8px 0 12px;padding-top:20px;border-top:1px solid #d9dde3;font-size:16px;line-height:1.3"
    >
      Cover letter
    </h2>
    <div dir="auto" style="text-align:start;unicode-bidi:plaintext;overflow-wrap:anywhere;word-break:break-word">
      ${letter.split("\n").map((line, index) => (index === 0 ? html`${line}` : html`<br />${line}`))}
    </div>`;
