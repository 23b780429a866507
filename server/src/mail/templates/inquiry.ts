// What an inquiry makes us write: the receipt for the buyer and the notice for sales. The receipt goes to an address
// nobody has proven and is handed only what may stand in it; the notice holds everything.
import type { InquiryRecord } from "../../storage/records.ts";
import { html } from "@submissions/shared/html";
import { greeting } from "../stranger.ts";
import { emailNote, factLines, factList, utcMinute, type Fact } from "./facts.ts";
import { button, layout, paragraph, referencePanel, textOf, type Written } from "./layout.ts";

export interface InquiryReceiptFacts {
  readonly brand: string;
  readonly reference: string;
  readonly name: string;
  /** Titles from the catalogue, or identifiers that look like identifiers. */
  readonly packages: readonly string[];
  /** How many more were asked for that are not shown. */
  readonly morePackages: number;
}

const packageCount = (count: number) => (count === 1 ? "1 package" : `${count} packages`);

/** The receipt: what was asked for, and the reference to quote. */
export function writeInquiryReceipt(facts: InquiryReceiptFacts): Written {
  const { brand, reference, packages, morePackages } = facts;
  const subject = `We received your inquiry ${reference}`;
  const hello = greeting(facts.name);
  const thanks = "Thank you for your inquiry. It is with our team now, and someone will answer you by e-mail.";
  const quote = "Please quote the reference when you write to us about it.";
  const why =
    "You get this mail because this address was entered in our inquiry form. If that was not you, please ignore it.";
  const more =
    morePackages === 0 ? null : packages.length === 0 ? packageCount(morePackages) : `and ${morePackages} more`;
  return {
    subject,
    text: textOf(
      hello,
      thanks,
      `Your reference: ${reference}`,
      ["You asked about:", ...packages.map((title) => `  - ${title}`), more && `  ${more}`],
      quote,
      brand,
      ["--", why],
    ),
    html: layout({
      subject,
      brand,
      heading: "We received your inquiry",
      preheader: `Your reference is ${reference}. Someone will answer you by e-mail.`,
      body: html`${paragraph(html`<bdi>${hello}</bdi>`)}${paragraph(thanks)}${referencePanel(reference)}
        <p style="margin:0 0 4px">You asked about:</p>
        <ul style="margin:0 0 16px;padding-left:22px">
          ${packages.map(
            (title) => html`<li style="margin:0 0 4px;overflow-wrap:anywhere;word-break:break-word">${title}</li>`,
          )}${more !== null && html`<li style="margin:0 0 4px">${more}</li>`}
        </ul>
        <p style="margin:0">${quote}</p>`,
      footer: html`${why}`,
    }),
  };
}

export interface InquiryNoticeFacts {
  readonly brand: string;
  readonly inquiry: InquiryRecord;
  /** The name, made fit for a subject. */
  readonly subjectName: string;
  /** Every package asked for, with its title where the catalogue has one. */
  readonly packages: readonly string[];
  readonly consoleUrl: string;
}

/** The notice to sales: everything the buyer sent, as text. */
export function writeInquiryNotice(notice: InquiryNoticeFacts): Written {
  const { brand, inquiry, consoleUrl } = notice;
  const subject = `New inquiry ${inquiry.reference} from ${notice.subjectName}`;
  const facts: Fact[] = [
    { label: "Reference", value: inquiry.reference },
    { label: "Name", value: inquiry.name },
    ...(inquiry.company === null ? [] : [{ label: "Company", value: inquiry.company }]),
    { label: "E-mail", value: inquiry.email },
    ...emailNote(inquiry),
    { label: `Packages (${notice.packages.length})`, value: notice.packages },
    { label: "Received", value: utcMinute(inquiry.receivedAt) },
  ];
  const answer = "Answer this mail to write to the buyer.";
  return {
    subject,
    text: textOf(factLines(facts), [`Open it in the console: ${consoleUrl}`, answer]),
    html: layout({
      subject,
      brand,
      heading: "New inquiry",
      preheader: `${packageCount(notice.packages.length)}, ${inquiry.reference}`,
      body: html`${factList(facts)}${button(consoleUrl, "Open in the console")}`,
      footer: html`${answer} All values above are as the sender typed them.`,
    }),
  };
}
