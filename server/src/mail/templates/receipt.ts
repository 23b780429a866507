// The frame of receipts, in each language. A receipt goes to an address that is not proven and holds only what may stand
// in it.
import { html, type Markup } from "@submissions/shared/html";
import type { Language } from "@submissions/shared/language";
import type { MailWords } from "../../config/mail-words.ts";
import type { StoredSubmission } from "../../storage/records.ts";
import { greeting } from "../stranger.ts";
import {
  frame,
  layout,
  masthead,
  paragraph,
  referencePanel,
  signatureLines,
  signatureMarkup,
  textOf,
  type Look,
  type Written,
} from "./layout.ts";
import { writeOwnWords } from "./own-words.ts";

/** What is written once for each language. */
export type InEachLanguage<T> = Readonly<Record<Language, T>>;

interface ReceiptWords {
  readonly heading: string;
  /** Follows the greeting and its comma. In German it begins in lower case. */
  readonly thanks: string;
  /** Who will make contact. */
  readonly next: string;
  /** Why the reader gets this mail. */
  readonly why: string;
}

const shared: InEachLanguage<Readonly<Record<"hello" | "reference" | "quote", string>>> = {
  en: {
    hello: "Hello",
    reference: "Your reference",
    quote: "Please quote the reference when you write to us about it.",
  },
  de: {
    hello: "Guten Tag",
    reference: "Ihr Aktenzeichen",
    quote: "Bitte nennen Sie das Aktenzeichen, wenn Sie uns dazu schreiben.",
  },
};

/** The greeting of a mail: `Hello Ann Buyer,`, or `Hello,` without a name. */
export const helloIn = (language: Language, name = ""): string => greeting(name, shared[language].hello);

/** What a receipt repeats of the submission; null: nothing. */
export interface Repeated {
  readonly text: string | readonly string[];
  readonly html: Markup;
  /** The same in few words, for words of one's own. */
  readonly place: string;
}

const lineFrame = frame<"line">((slot) => paragraph(slot("line")));

/** A line of what is repeated. */
export const repeatedLine = (line: string, place: string): Repeated => ({
  text: line,
  html: lineFrame({ line }),
  place,
});

type Told = Pick<StoredSubmission, "kind" | "language" | "reference" | "name" | "email">;

/** What receipts and welcome mails are told of the installation. */
export interface Speaker extends Look {
  readonly words: MailWords;
}

/** Makes the function that writes the receipts of a kind. */
export function receiptOf(
  words: InEachLanguage<ReceiptWords>,
): (submission: Told, repeated: Repeated | null, speaker: Speaker) => Written {
  const frames = { en: receiptFrame("en", words.en), de: receiptFrame("de", words.de) };
  return ({ kind, language, reference, name, email }, repeated, speaker) => {
    const hello = helloIn(language, name);
    const own = speaker.words.get(`${kind}-receipt.${language}`);
    if (own !== undefined) {
      const place = repeated?.place ?? "";
      const places = { hello, reference, email, brand: speaker.brand, packages: place, resume: place };
      return writeOwnWords(own, language, places, speaker);
    }
    const { heading, thanks, next, why } = words[language];
    const { reference: label, quote } = shared[language];
    const subject = `${heading} ${reference}`;
    const text = [hello, `${thanks} ${next}`, `${label}: ${reference}`, repeated && repeated.text, quote];
    return {
      subject,
      text: textOf(...text, signatureLines(speaker), ["--", why]),
      html: frames[language]({
        subject,
        brand: masthead(speaker),
        hello,
        reference,
        repeated: repeated && repeated.html,
        signature: signatureMarkup(speaker),
      }).text,
    };
  };
}

function receiptFrame(language: Language, { heading, thanks, next, why }: ReceiptWords) {
  const { reference: label, quote } = shared[language];
  return frame<"subject" | "brand" | "hello" | "reference" | "repeated" | "signature">((slot) =>
    layout({
      language,
      subject: slot("subject"),
      brand: slot("brand"),
      heading,
      preheader: html`${label}: ${slot("reference")}. ${next}`,
      body: html`${paragraph(html`<bdi>${slot("hello")}</bdi>`)}${paragraph(`${thanks} ${next}`)}${referencePanel(label, slot("reference"))}
        ${slot("repeated")}
        <p style="margin:0">${quote}</p>`,
      signature: slot("signature"),
      footer: why,
    }),
  );
}
