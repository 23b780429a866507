// The mails of an application: the receipt for the applicant, in the language of the form, and the notice for recruiting,
// which holds everything but the resume.
import { applicationFields } from "@submissions/shared/application-fields";
import { sizeIn } from "@submissions/shared/size";
import type { ResumeRecord, StoredApplication } from "../../storage/records.ts";
import type { Written } from "./layout.ts";
import { noticeOf, type NoticeFacts } from "./notice.ts";
import { receiptOf, repeatedLine, type Speaker } from "./receipt.ts";

const writeReceipt = receiptOf({
  en: {
    heading: "We received your application",
    thanks: "Thank you for applying.",
    next: "Our team will contact you by e-mail.",
    why: "You get this mail because this address was entered in our application form. If that was not you, please ignore it.",
  },
  de: {
    heading: "Ihre Bewerbung ist angekommen",
    thanks: "vielen Dank für Ihre Bewerbung.",
    next: "Wir melden uns per E-Mail bei Ihnen.",
    why: "Sie erhalten diese E-Mail, weil diese Adresse in unser Bewerbungsformular eingetragen wurde. Falls Sie das nicht waren, brauchen Sie nichts zu tun.",
  },
});

const resumeArrived = { en: "Your resume arrived too", de: "Ihr Lebenslauf ist dabei" };

/** The receipt: the reference to quote, and that the resume arrived. */
export function writeApplicationReceipt(application: StoredApplication, speaker: Speaker): Written {
  const { language, resume } = application;
  // Kind and size are what we read off the bytes. The name of the file is a stranger's text.
  if (resume === null) return writeReceipt(application, null, speaker);
  const told = kindAndSize(resume, language);
  return writeReceipt(application, repeatedLine(`${resumeArrived[language]} (${told}).`, told), speaker);
}

const kindAndSize = ({ kind, size }: ResumeRecord, language = "en") =>
  `${kind.toUpperCase()}, ${sizeIn(language, size)}`;

const writeNotice = noticeOf("New application", "Answer this mail to write to the applicant.");

/** The notice to recruiting: everything that the applicant sent, as text. The resume itself waits in the console. */
export function writeApplicationNotice(application: StoredApplication, notice: NoticeFacts): Written {
  const { resume } = application;
  const value = resume === null ? "none" : [kindAndSize(resume), `named ${resume.filename}`];
  const preheader = resume === null ? "Without a resume" : "With a resume";
  return writeNotice(application, { preheader, facts: [{ label: applicationFields.resumeFile.label, value }] }, notice);
}
