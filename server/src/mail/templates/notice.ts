// Notices, which show the team everything of a submission. E-mail addresses and telephone numbers are links; web addresses
// of strangers stay text, because a click on one must be a decision. The button leads to the console.
import { mailtoOf, telOf } from "@submissions/shared/contact-links";
import { fieldOfKind } from "@submissions/shared/field-table";
import { inReadingOrder, messageField } from "@submissions/shared/further-names";
import { html, Markup } from "@submissions/shared/html";
import { kindOf } from "@submissions/shared/kinds";
import { languageNameOf } from "@submissions/shared/language-name";
import {
  consolePageOf,
  counted,
  kindAndSize,
  namedFields,
  packageIdsOf,
  utcMinute,
  valueOf,
  type FieldValue,
  type NamedField,
} from "../../field-values.ts";
import type { StoredSubmission, SubmissionKind } from "../../storage/records.ts";
import { forSubject } from "../stranger.ts";
import { button, inLines, layout, link, textOf, type MailSettings, type Written } from "./layout.ts";
import { frame, template } from "./template.ts";

const consoleWords = "Open in the console";

export function noticeOf(kind: SubmissionKind, settings: MailSettings): (submission: StoredSubmission) => Written {
  const { words, person } = kindOf(kind);
  const heading = `New ${words.en.label.toLowerCase()}`;
  const answer = `Answer this mail to write to the ${person}.`;
  const factsIn = factsOf(kind, settings);
  const letterIn = letterOf(kind);
  const preheaderIn = preheaderOf(kind);
  const page = template<"subject" | "preheader" | "facts" | "consoleUrl" | "message" | "more" | "letter">((place) =>
    layout({
      language: "en",
      subject: place("subject"),
      brand: settings.brand,
      heading,
      preheader: place("preheader"),
      body: [
        place("facts"),
        button({ url: place("consoleUrl"), words: consoleWords, or: "Or open this address:" }),
        place("message"),
        place("more"),
        place("letter"),
      ],
      signature: null,
      footer: `${answer} All values above are as the sender typed them.`,
    }),
  );
  return (submission) => {
    const { name, reference } = submission;
    const consoleUrl = consolePageOf(settings.publicUrl(), reference);
    const subject = `${heading} from ${forSubject(name)} (${reference})`;
    const facts = factsIn.flatMap((factIn) => factIn(submission) ?? []);
    const message = messageOf(submission);
    const more = furtherOf(submission);
    const letter = letterIn(submission);
    const preheader = preheaderIn(submission) ?? heading;
    return {
      subject,
      text: textOf(
        factTexts(facts),
        [`${consoleWords}: ${consoleUrl}`, answer],
        message?.text ?? null,
        more?.text ?? null,
        ...(letter?.text ?? []),
      ),
      html: page({
        subject,
        preheader,
        facts: factList(facts),
        consoleUrl,
        message: message?.html,
        more: more?.html,
        letter: letter?.html,
      }).text,
    };
  };
}

/** What the lists of mail programs show beside the subject: how many packages, or whether there is a resume. */
function preheaderOf(kind: SubmissionKind): (submission: StoredSubmission) => string | undefined {
  const { fields, file } = kindOf(kind);
  if (fieldOfKind(fields, "packages") !== undefined)
    return (submission) => counted(packageIdsOf(submission).length, "package");
  return ({ resume }) => (file === null ? undefined : resume === null ? "Without a resume" : "With a resume");
}

/** A fact as both parts of a notice show it. */
interface Fact {
  /** One line, or the label and below it a line for each item. */
  readonly text: string;
  readonly html: string;
}

/** Writes a fact. @param href where the value leads: `mailto:` or `tel:` */
type FactWriter = (value: NonNullable<FieldValue>, href?: string) => Fact;

/** Undefined: it was not sent, and the notice does not name it. */
type FactIn = (submission: StoredSubmission) => Fact | undefined;

/** A fact that is called the same in each notice. */
function fact(label: string, valueIn: (submission: StoredSubmission) => FieldValue, hrefOf?: typeof telOf): FactIn {
  const write = factWriter(label);
  return (submission) => {
    const value = valueIn(submission);
    if (value === null) return undefined;
    return write(value, typeof value === "string" ? hrefOf?.(value) : undefined);
  };
}

/** The facts of a kind. What its table shows as paragraphs is written at the end. */
function factsOf(kind: SubmissionKind, settings: MailSettings): readonly FactIn[] {
  const { file, fields } = kindOf(kind);
  return [
    fact("Name", ({ name }) => name),
    ...namedFields[kind]
      .filter(({ storedAs }) => storedAs !== "name")
      .flatMap((field) => factsOfField(field, settings)),
    // The resume itself waits in the console.
    ...(file === null ? [] : [fact(fields[file]!.label, resumeFact)]),
    fact("Language of the form", ({ language }) => (language === "en" ? null : (languageNameOf(language) ?? language))),
    fact("Received", ({ receivedAt }) => utcMinute(receivedAt)),
    fact("Reference", ({ reference }) => reference),
  ];
}

function resumeFact({ resume }: StoredSubmission) {
  return resume === null ? "none" : [kindAndSize(resume), `named ${resume.filename}`];
}

function factsOfField(field: NamedField, { isDisposable, packageTitles }: MailSettings): readonly FactIn[] {
  const { kind, label } = field;
  const valueIn = (submission: StoredSubmission) => valueOf(submission, field);
  if (kind === "paragraphs") return [];
  if (kind === "tel") return [fact(label, valueIn, telOf)];
  if (kind === "email") {
    const note = "The e-mail address is at a host of throw-away addresses.";
    return [fact(label, valueIn, mailtoOf), fact("Note", ({ email }) => (isDisposable(email) ? note : null))];
  }
  if (kind !== "packages") return [fact(label, valueIn)];
  const titled = (id: string) => (packageTitles.has(id) ? `${packageTitles.get(id)} (${id})` : id);
  return [
    (submission) => {
      const ids = valueIn(submission) as readonly string[];
      return factWriter(`${label} (${ids.length})`)(ids.map(titled));
    },
  ];
}

const labelFrame = frame<"label">(
  (place) => html`<dt class="soft" style="margin:12px 0 0;font-size:13px;color:#4b5563">${place("label")}</dt>`,
);
const valueFrame = frame<"value">((place) => html`<dd dir="auto" style="margin:0">${place("value")}</dd>`);

function factWriter(label: string): FactWriter {
  const term = labelFrame({ label }).text;
  return (value, href) => {
    if (typeof value === "string") {
      const shown = valueFrame({ value: href === undefined ? value : link(href, value) });
      return { text: `${label}: ${oneLine(value)}`, html: term + shown.text };
    }
    const items = value.map((item) => valueFrame({ value: item }).text);
    return {
      text: [`${label}:`, ...value.map((item) => `  - ${oneLine(item)}`)].join("\n"),
      html: term + items.join(""),
    };
  };
}

// Direction and side are the value's own: a name in Arabic beside a label in English.
const listFrame = frame<"items">((place) => html`<dl style="margin:0 0 12px;text-align:start">${place("items")}</dl>`);
const factList = (facts: readonly Fact[]) => listFrame({ items: new Markup(facts.map((one) => one.html).join("")) });
const factTexts = (facts: readonly Fact[]) => facts.map((one) => one.text);

// In the text part a value stays on its line, so that it cannot pass for another fact. U+2028 and U+2029 pass for text in a
// field and break the line on the screen.
const oneLine = (text: string) => text.replace(/[\u2028\u2029]/g, " ");

/** Makes the writer of what stands below the button, after a heading of ours, in both parts. */
function endingOf(heading: string) {
  const filled = frame<"lines">(
    (place) =>
      html`<h2
          class="rule"
          style="margin:8px 0 12px;padding-top:20px;border-top:1px solid #d9dde3;font-size:16px;line-height:1.3"
        >
          ${heading}
        </h2>
        <div dir="auto" style="text-align:start;unicode-bidi:plaintext">${place("lines")}</div>`,
  );
  return (text: readonly string[], lines: Markup, more = "") => ({
    text: [`${heading}${more}:`, ...text],
    html: filled({ lines }),
  });
}

const messageEnding = endingOf("Message");

/** The letter that came as a further field. Its lines are set in, so that none of them can pass for one of ours. */
function messageOf({ more }: StoredSubmission) {
  const text = inReadingOrder(more).find(([name]) => name === messageField)?.[1];
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  return messageEnding(
    lines.map((line) => `  ${oneLine(line)}`.trimEnd()),
    inLines(lines),
  );
}

const furtherEnding = endingOf("Further fields, as the form sent them");

/** What no field of the table is. It has a heading of its own, so that none of it can pass for one of our lines. */
function furtherOf({ more }: StoredSubmission) {
  const others = inReadingOrder(more).filter(([name]) => name !== messageField);
  if (others.length === 0) return undefined;
  const facts = others.map(([label, text]) => {
    const lines = text.split("\n");
    return factWriter(label)(lines.length === 1 ? text : lines);
  });
  return furtherEnding(factTexts(facts), factList(facts));
}

/** The paragraphs of a kind. They are last, so that nothing in them can pass for one of our lines. */
function letterOf(kind: SubmissionKind) {
  const field = namedFields[kind].find((one) => one.kind === "paragraphs");
  if (field === undefined) return () => undefined;
  const ending = endingOf(field.label);
  return (submission: StoredSubmission) => {
    const text = valueOf(submission, field);
    return typeof text === "string"
      ? ending([text], inLines(text.split("\n")), ", to the end of this mail")
      : undefined;
  };
}
