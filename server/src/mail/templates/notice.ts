// Notices, which tell the team everything of a submission. E-mail addresses and telephone numbers are links; web addresses
// of strangers stay text, because a click on one must be a decision. The button leads to the console.
import { applicationFields } from "@submissions/shared/application-fields";
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import type { Field } from "@submissions/shared/field-table";
import { html, type Markup } from "@submissions/shared/html";
import type { PackageTitles } from "../../config/catalogue.ts";
import { consolePageOf, kindAndSize, namedFields, utcMinute, valueOf, type FieldValue } from "../../field-values.ts";
import type { ResumeRecord, StoredSubmission } from "../../storage/records.ts";
import { forSubject } from "../stranger.ts";
import { button, frame, inLines, layout, link, textOf, type MailSettings, type Written } from "./layout.ts";
import { packageCount } from "./receipt.ts";

const persons = { inquiry: "buyer", application: "applicant" } as const;

const consoleWords = "Open in the console";

export function writeNotice(submission: StoredSubmission, settings: MailSettings): Written {
  const { kind, name, email, language, receivedAt, reference } = submission;
  const consoleUrl = consolePageOf(settings.publicUrl, reference);
  const isDisposable = settings.isDisposable(email);
  const heading = `New ${kind}`;
  const answer = `Answer this mail to write to the ${persons[kind]}.`;
  const sent = namedFields[kind].filter(({ storedAs }) => storedAs !== "name");
  const more = furtherOf(submission);
  const letter = letterOf(submission);
  const subject = `${heading} from ${forSubject(name)} (${reference})`;
  const facts: readonly Fact[] = [
    { label: "Name", value: name },
    ...sent.flatMap((field) => factsOf(field, valueOf(submission, field), isDisposable, settings.packageTitles)),
    ...(submission.kind === "application" ? [resumeFact(submission.resume)] : []),
    { label: "Language of the form", value: language === "de" ? "German" : null },
    { label: "Received", value: utcMinute(receivedAt) },
    { label: "Reference", value: reference },
  ];
  return {
    subject,
    text: textOf(
      factLines(facts),
      [`${consoleWords}: ${consoleUrl}`, answer],
      more?.text ?? null,
      ...(letter?.text ?? []),
    ),
    html: layout({
      language: "en",
      subject,
      brand: settings.brand,
      heading,
      preheader: preheaderOf(submission),
      body: [
        factList(facts),
        button({ url: consoleUrl, words: consoleWords, or: "Or open this address:" }),
        more?.html,
        letter?.html,
      ],
      signature: null,
      footer: `${answer} All values above are as the sender typed them.`,
    }).text,
  };
}

function preheaderOf(submission: StoredSubmission): string {
  if (submission.kind === "inquiry") return packageCount(submission.selectedPackageIds.length);
  return submission.resume === null ? "Without a resume" : "With a resume";
}

/** The resume itself waits in the console. */
const resumeFact = (resume: ResumeRecord | null): Fact => ({
  label: applicationFields.resumeFile.label,
  value: resume === null ? "none" : [kindAndSize(resume), `named ${resume.filename}`],
});

/** One fact of a notice: what it is called and what was sent. */
interface Fact {
  readonly label: string;
  /** Null: it was not sent, and the notice does not name it. */
  readonly value: string | readonly string[] | null;
  /** Where the value leads: `mailto:` or `tel:`. */
  readonly href?: string | undefined;
}

const labelFrame = frame<"label">(
  (slot) => html`<dt class="soft" style="margin:12px 0 0;font-size:13px;color:#4b5563">${slot("label")}</dt>`,
);
const valueFrame = frame<"value">((slot) => html`<dd dir="auto" style="margin:0">${slot("value")}</dd>`);

// Direction and side are the value's own: a name in Arabic beside a label in English.
const listFrame = frame<"items">(
  (slot) =>
    html`<dl style="margin:0 0 12px;text-align:start;overflow-wrap:anywhere;word-break:break-word">
      ${slot("items")}
    </dl>`,
);

function factList(facts: readonly Fact[]): Markup {
  const items = facts.flatMap(({ label, value, href }) => {
    if (value === null) return [];
    const values = typeof value === "string" ? [href === undefined ? value : link(href, value)] : value;
    return [labelFrame({ label }), ...values.map((one) => valueFrame({ value: one }))];
  });
  return listFrame({ items });
}

/** Facts in the text part. A value stays on its line, so that it cannot pass for another fact. */
const factLines = (facts: readonly Fact[]): string[] =>
  facts.flatMap(({ label, value }) => {
    if (value === null) return [];
    return typeof value === "string"
      ? [`${label}: ${oneLine(value)}`]
      : [`${label}:`, ...value.map((item) => `  - ${oneLine(item)}`)];
  });

// U+2028 and U+2029 pass for text in a field and break the line on the screen.
const oneLine = (text: string) => text.replace(/[\u2028\u2029]/g, " ");

/** What a field says. What the table shows as paragraphs is written at the end. */
function factsOf(
  { kind, label }: Field,
  value: FieldValue,
  isDisposable: boolean,
  packageTitles: PackageTitles,
): Fact[] {
  if (value === null || kind === "paragraphs") return [];
  if (typeof value !== "string") {
    const titled = value.map((id) => (packageTitles.has(id) ? `${packageTitles.get(id)} (${id})` : id));
    return [{ label: `${label} (${value.length})`, value: titled }];
  }
  if (kind === "tel") return [{ label, value, href: telOf(value) }];
  if (kind !== "email") return [{ label, value }];
  const note = isDisposable ? "The e-mail address is at a host of throw-away addresses." : null;
  return [
    { label, value, href: mailtoOf(value) },
    { label: "Note", value: note },
  ];
}

const letterFrame = frame<"heading" | "lines">(
  (slot) =>
    html`<h2
        class="rule"
        style="margin:8px 0 12px;padding-top:20px;border-top:1px solid #d9dde3;font-size:16px;line-height:1.3"
      >
        ${slot("heading")}
      </h2>
      <div dir="auto" style="text-align:start;unicode-bidi:plaintext;overflow-wrap:anywhere;word-break:break-word">
        ${slot("lines")}
      </div>`,
);

/** What no field of the table is. It has a heading of its own, so that none of it can pass for one of our lines. */
function furtherOf({ more }: StoredSubmission) {
  if (more === null) return undefined;
  const heading = "Further fields, as the form sent them";
  const facts = Object.entries(more).map(([label, text]): Fact => {
    const lines = text.split("\n");
    return { label, value: lines.length === 1 ? text : lines };
  });
  return { text: [`${heading}:`, ...factLines(facts)], html: letterFrame({ heading, lines: factList(facts) }) };
}

/** The paragraphs of a submission. They are last, so that nothing in them can pass for one of our lines. */
function letterOf(submission: StoredSubmission) {
  const field = namedFields[submission.kind].find(({ kind }) => kind === "paragraphs");
  const text = field && valueOf(submission, field);
  if (field === undefined || typeof text !== "string") return undefined;
  return {
    text: [`${field.label}, to the end of this mail:`, text],
    html: letterFrame({ heading: field.label, lines: inLines(text.split("\n")) }),
  };
}
