// Submissions and mails that the tests of this folder start from.
import { builtInLanguages, mailsOf } from "../../../server/src/config/languages.ts";
import { valuesOf } from "../../../server/src/field-values.ts";
import { ofKinds } from "../../../server/src/kinds.ts";
import { compileMails } from "../../../server/src/mail/compose.ts";
import type { OutgoingMail } from "../../../server/src/mail/mailer.ts";
import type { MailSettings } from "../../../server/src/mail/templates/layout.ts";
import type { Digest, MailKind, MailSubject, StoredSubmission } from "../../../server/src/storage/records.ts";

export const from = { name: "Accent Datasets", address: "hello@datasets.example" };

export const messageKey = { secret: "0".repeat(32), sinceArrival: 1 };

export const settings: MailSettings = {
  brand: "Accent Datasets",
  logo: null,
  signature: [],
  words: mailsOf(builtInLanguages),
  languages: builtInLanguages,
  publicUrl: () => "https://datasets.example",
  teams: {
    ...ofKinds((kind) => [`${kind}@datasets.example`]),
    inquiry: ["sales@datasets.example", "boss@datasets.example"],
    application: ["jobs@datasets.example"],
  },
  packageTitles: new Map(),
  isDisposable: () => false,
  answerTo: null,
  receiptId: ({ reference }) => `<${reference}@datasets.example>`,
  digestTo: ["desk@datasets.example"],
};

const filed = {
  arrival: 1,
  status: "new",
  stage: null,
  declineReason: null,
  decidedAt: null,
  assignee: null,
  tags: [],
  version: 1,
  firstReplyAt: null,
  lastReplyAt: null,
  lastAnswerAt: null,
  waitedFor: "us",
  snoozedUntil: null,
  disposable: false,
  receivedAt: Date.UTC(2026, 10, 21, 9, 30),
  door: "rest",
  requestId: "r-1",
  consent: null,
  more: null,
  language: "en",
} as const;

export const inquiry: StoredSubmission<"inquiry"> = {
  ...filed,
  kind: "inquiry",
  reference: "INQ-20261121-042137",
  ...valuesOf("inquiry", {
    name: "Ann Buyer",
    company: "Söhne & Co <GmbH>",
    email: "ann@buyer.example",
    selectedPackageIds: ["en-GB-scottish", "de-AT"],
  }),
  resume: null,
};

export const application: StoredSubmission<"application"> = {
  ...filed,
  arrival: 2,
  kind: "application",
  reference: "APP-20261121-907715",
  ...valuesOf("application", {
    fullName: "Ana Luísa de Souza",
    email: "ana@applicant.example",
    position: "Accent annotator",
    phone: "+351 912 345 678",
    availability: "From January",
    accent: "Português de Lisboa",
    portfolioUrl: "https://portfolio.example/ana",
    coverLetter: "Dear team,\n\n<b>six</b> years & more.\n.\nالسلام عليكم",
  }),
  resume: { key: "k", filename: 'Ana "CV" <final>.pdf', kind: "pdf", size: 183_211, sha256: "9f".repeat(32) },
};

export const digest: Digest = {
  day: "2026-11-21",
  ...ofKinds(() => ({ new: 0, open: 0 })),
  inquiry: { new: 12, open: 1 },
  application: { new: 1, open: 0 },
  mails: { failed: 2, inDoubt: 0 },
  longest: [{ kind: "inquiry", reference: inquiry.reference, receivedAt: inquiry.receivedAt }],
};

const compose = compileMails(settings);

let rows = 0;

function write(kind: MailKind, about: MailSubject): OutgoingMail {
  const id = `${(rows += 1)}-${filed.receivedAt.toString(36)}`;
  const reference = "submission" in about ? about.submission.reference : null;
  const receiptOf = kind.endsWith("-receipt") && "submission" in about ? about.submission : null;
  return { id, kind, reference, receiptOf, requestId: "r3qu3st", content: compose({ kind, about }) };
}

/** One mail of each kind, in the order of MailKind. */
export const oneOfEach = (): [OutgoingMail, ...OutgoingMail[]] => [
  write("inquiry-receipt", { submission: inquiry }),
  write("inquiry-notice", { submission: inquiry }),
  write("application-receipt", { submission: application }),
  write("application-notice", { submission: application }),
  write("newsletter-welcome", {
    welcome: {
      email: "reader@example.org",
      requestId: "r3qu3st",
      language: "en",
      confirmToken: "c0nf1rm",
      unsubscribeToken: "unsub5",
    },
  }),
  write("assignment", { assignment: { email: "sam@example.org", assigned: { [inquiry.reference]: "Eva" } } }),
  write("digest", { digest }),
];

export const welcomes = (count: number): OutgoingMail[] =>
  Array.from({ length: count }, (_, index) =>
    write("newsletter-welcome", {
      welcome: {
        email: `reader${index}@example.org`,
        requestId: "r3qu3st",
        language: "en",
        confirmToken: null,
        unsubscribeToken: "u",
      },
    }),
  );
