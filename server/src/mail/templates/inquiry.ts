// The mails of an inquiry: the receipt for the buyer, in the language of the form, and the notice for sales. The receipt
// names packages by the catalogue's titles only; the notice holds everything.
import { html } from "@submissions/shared/html";
import type { PackageTitles } from "../../config/catalogue.ts";
import type { StoredInquiry } from "../../storage/records.ts";
import { frame, type Written } from "./layout.ts";
import { noticeOf, type NoticeFacts } from "./notice.ts";
import { receiptOf, repeatedLine, type InEachLanguage, type Repeated, type Speaker } from "./receipt.ts";

const writeReceipt = receiptOf({
  en: {
    heading: "We received your inquiry",
    thanks: "Thank you for your inquiry.",
    next: "Our sales team will contact you by e-mail.",
    why: "You get this mail because this address was entered in our inquiry form. If that was not you, please ignore it.",
  },
  de: {
    heading: "Ihre Anfrage ist angekommen",
    thanks: "vielen Dank für Ihre Anfrage.",
    next: "Unser Vertrieb meldet sich per E-Mail bei Ihnen.",
    why: "Sie erhalten diese E-Mail, weil diese Adresse in unser Anfrageformular eingetragen wurde. Falls Sie das nicht waren, brauchen Sie nichts zu tun.",
  },
});

const packagesFrame = frame<"asked" | "items">(
  (slot) =>
    html`<p style="margin:0 0 4px">${slot("asked")}</p>
      <ul style="margin:0 0 16px;padding-left:22px">
        ${slot("items")}
      </ul>`,
);

const packageFrame = frame<"title">(
  (slot) => html`<li style="margin:0 0 4px;overflow-wrap:anywhere;word-break:break-word">${slot("title")}</li>`,
);

const packageCount = (count: number) => (count === 1 ? "1 package" : `${count} packages`);

interface AskedWords {
  readonly answer: (email: string) => string;
  readonly asked: string;
  readonly counted: (count: number) => string;
  readonly more: (count: number) => string;
  readonly packages: (count: number) => string;
}

const askedWords: InEachLanguage<AskedWords> = {
  en: {
    answer: (email) => `We will write to ${email}.`,
    asked: "You asked about:",
    counted: (count) => `You asked about ${packageCount(count)}.`,
    more: (count) => `and ${count} more`,
    packages: packageCount,
  },
  de: {
    answer: (email) => `Wir schreiben an ${email}.`,
    asked: "Sie haben gefragt nach:",
    counted: (count) => `Sie haben nach ${count === 1 ? "einem Paket" : `${count} Paketen`} gefragt.`,
    more: (count) => `und ${count} weiteren`,
    packages: (count) => (count === 1 ? "1 Paket" : `${count} Pakete`),
  },
};

/** The receipt: what was asked for, and the reference to quote. */
export const writeInquiryReceipt = (inquiry: StoredInquiry, packageTitles: PackageTitles, speaker: Speaker): Written =>
  writeReceipt(inquiry, repeated(inquiry, packageTitles), speaker);

function repeated({ language, email, selectedPackageIds }: StoredInquiry, packageTitles: PackageTitles): Repeated {
  const words = askedWords[language];
  // An identifier is a stranger's text: packages without a title are counted.
  const titles = selectedPackageIds.flatMap((id) => packageTitles.get(id) ?? []);
  const untitled = selectedPackageIds.length - titles.length;
  const answer = words.answer(email);
  const told =
    titles.length === 0
      ? {
          text: [words.counted(untitled)],
          html: repeatedLine(words.counted(untitled), "").html,
          place: words.packages(untitled),
        }
      : listOf(words.asked, untitled === 0 ? titles : [...titles, words.more(untitled)]);
  return { ...told, text: [...told.text, answer], html: html`${told.html}${repeatedLine(answer, "").html}` };
}

function listOf(asked: string, items: readonly string[]) {
  const lines = items.map((item) => `  - ${item}`);
  const list = packagesFrame({ asked, items: items.map((title) => packageFrame({ title })) });
  return { text: [asked, ...lines], html: list, place: lines.join("\n") };
}

const writeNotice = noticeOf("New inquiry", "Answer this mail to write to the buyer.");

/** The notice to sales: everything that the buyer sent, as text. */
export const writeInquiryNotice = (
  inquiry: StoredInquiry,
  packageTitles: PackageTitles,
  notice: NoticeFacts,
): Written =>
  writeNotice(inquiry, { preheader: packageCount(inquiry.selectedPackageIds.length), packageTitles }, notice);
