// Submissions and mails that the tests of this folder start from.
import { composeApplicationMails, composeInquiryMails, composeWelcomeMail } from "../../server/src/mail/compose.ts";
import type { MailSettings } from "../../server/src/mail/compose.ts";
import type { ApplicationRecord, InquiryRecord, NewMail } from "../../server/src/storage/records.ts";

export const from = { name: "Accent Datasets", address: "hello@datasets.example" };

export const settings: MailSettings = {
  brand: "Accent Datasets",
  publicUrl: "https://datasets.example",
  salesTo: ["sales@datasets.example", "boss@datasets.example"],
  recruitingTo: ["jobs@datasets.example"],
};

const received = { receivedAt: Date.UTC(2026, 10, 21, 9, 30), origin: { door: "rest", requestId: "r-1" } } as const;

export const inquiry: InquiryRecord = {
  ...received,
  reference: "INQ-20261121-042137",
  name: "Ann Buyer",
  company: "Söhne & Co <GmbH>",
  email: "ann@buyer.example",
  selectedPackageIds: ["en-GB-scottish", "de-AT"],
};

export const application: ApplicationRecord = {
  ...received,
  reference: "APP-20261121-907715",
  fullName: "Ana Luísa de Souza",
  email: "ana@applicant.example",
  position: "Accent annotator",
  phone: "+351 912 345 678",
  company: null,
  availability: "From January",
  accent: "Português de Lisboa",
  portfolioUrl: "https://portfolio.example/ana",
  resumeUrl: null,
  coverLetter: "Dear team,\n\n<b>six</b> years & more.\n.\nالسلام عليكم",
  resume: { key: "k", filename: 'Ana "CV" <final>.pdf', kind: "pdf", size: 183_211, sha256: "9f".repeat(32) },
};

/** One mail of each kind, in the order of MailKind. */
export function oneOfEach(): NewMail[] {
  const welcome = composeWelcomeMail(
    { email: "reader@example.org", optIn: "double", confirmToken: "c0nf1rm", unsubscribeToken: "unsub5" },
    settings,
  );
  return [...composeInquiryMails(inquiry, settings), welcome, ...composeApplicationMails(application, settings)];
}

/** Mails to as many addresses: `reader0@example.org` and so on. */
export const welcomes = (count: number): NewMail[] =>
  Array.from({ length: count }, (_, index) =>
    composeWelcomeMail(
      { email: `reader${index}@example.org`, optIn: "single", confirmToken: "c", unsubscribeToken: "u" },
      settings,
    ),
  );
