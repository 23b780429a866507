// The mails of an inquiry: the receipt for the buyer and the notice for sales. The receipt goes to an address that is not
// proven and holds only what may stand in it; the notice holds everything.
import { html } from "@submissions/shared/html";
import type { StoredInquiry } from "../../storage/records.ts";
import { forSubject, greeting } from "../stranger.ts";
import { emailNote, factItems, factLines, optional, utcMinute, type Fact, type NoticeFacts } from "./facts.ts";
import { frame } from "./frame.ts";
import { button, layout, paragraph, referencePanel, textOf, type Written } from "./layout.ts";

const thanks = "Thank you for your inquiry. Our sales team will contact you by e-mail.";
const quote = "Please quote the reference when you write to us about it.";
const why =
  "You get this mail because this address was entered in our inquiry form. If that was not you, please ignore it.";

const receiptFrame = frame<"subject" | "brand" | "hello" | "reference" | "packages">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "We received your inquiry",
    preheader: html`Your reference is ${slot("reference")}. Our sales team will contact you by e-mail.`,
    body: html`${paragraph(html`<bdi>${slot("hello")}</bdi>`)}${paragraph(thanks)}${referencePanel(slot("reference"))}
      ${slot("packages")}
      <p style="margin:0">${quote}</p>`,
    footer: why,
  }),
);

const packagesFrame = frame<"items">(
  (slot) =>
    html`<p style="margin:0 0 4px">You asked about:</p>
      <ul style="margin:0 0 16px;padding-left:22px">
        ${slot("items")}
      </ul>`,
);

const packageFrame = frame<"title">(
  (slot) => html`<li style="margin:0 0 4px;overflow-wrap:anywhere;word-break:break-word">${slot("title")}</li>`,
);

const countFrame = frame<"count">((slot) => paragraph(slot("count")));

const packageCount = (count: number) => (count === 1 ? "1 package" : `${count} packages`);

/**
 * The receipt: what was asked for, and the reference to quote.
 *
 * @param titles of the catalogue, of the packages that were asked for. An identifier is a stranger's text: packages
 *   without a title are counted.
 */
export function writeInquiryReceipt(
  { reference, name, selectedPackageIds }: StoredInquiry,
  titles: readonly string[],
  brand: string,
): Written {
  const subject = `We received your inquiry ${reference}`;
  const hello = greeting(name);
  const untitled = selectedPackageIds.length - titles.length;
  const count = `You asked about ${packageCount(untitled)}.`;
  const items = untitled === 0 || titles.length === 0 ? titles : [...titles, `and ${untitled} more`];
  const asked = titles.length === 0 ? count : ["You asked about:", ...items.map((item) => `  - ${item}`)];
  return {
    subject,
    text: textOf(hello, thanks, `Your reference: ${reference}`, asked, quote, brand, ["--", why]),
    html: receiptFrame({
      subject,
      brand,
      hello,
      reference,
      packages:
        titles.length === 0
          ? countFrame({ count })
          : packagesFrame({ items: items.map((title) => packageFrame({ title })) }),
    }).text,
  };
}

const answer = "Answer this mail to write to the buyer.";

const noticeFrame = frame<"subject" | "brand" | "preheader" | "facts" | "consoleUrl">((slot) =>
  layout({
    subject: slot("subject"),
    brand: slot("brand"),
    heading: "New inquiry",
    preheader: slot("preheader"),
    body: html`<dl style="margin:0 0 8px">${slot("facts")}</dl>
      ${button(slot("consoleUrl"), "Open in the console")}`,
    footer: `${answer} All values above are as the sender typed them.`,
  }),
);

/** The notice to sales: everything that the buyer sent, as text. */
export function writeInquiryNotice(
  inquiry: StoredInquiry,
  packages: readonly string[],
  { brand, consoleUrl, isDisposable }: NoticeFacts,
): Written {
  const { reference, name, company, email, receivedAt } = inquiry;
  const subject = `New inquiry ${reference} from ${forSubject(name)}`;
  const facts: Fact[] = [
    { label: "Reference", value: reference },
    { label: "Name", value: name },
    ...optional("Company", company),
    { label: "E-mail", value: email },
    ...emailNote(isDisposable),
    { label: `Packages (${packages.length})`, value: packages },
    { label: "Received", value: utcMinute(receivedAt) },
  ];
  return {
    subject,
    text: textOf(factLines(facts), [`Open it in the console: ${consoleUrl}`, answer]),
    html: noticeFrame({
      subject,
      brand,
      preheader: `${packageCount(packages.length)}, ${reference}`,
      facts: factItems(facts),
      consoleUrl,
    }).text,
  };
}
