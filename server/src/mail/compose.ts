// Makes the mails of a submission: decides who gets one, what may stand in it and with which headers. Pure: the same
// submission gives the same mails but for their ids. It knows nothing of the store, the outbox or the providers.
import { randomUUIDv7 } from "node:crypto";
import type { ApplicationRecord, InquiryRecord, MailContent, MailKind, NewMail } from "../storage/records.ts";
import { forSubject, looksLikeIdentifier } from "./stranger.ts";
import { writeApplicationNotice, writeApplicationReceipt } from "./templates/application.ts";
import type { Written } from "./templates/layout.ts";
import { writeInquiryNotice, writeInquiryReceipt } from "./templates/inquiry.ts";
import { writeWelcome } from "./templates/subscription.ts";

/** What composing needs to know of the service. */
export interface MailSettings {
  /** What mails call us: the display name of MAIL_FROM. */
  readonly brand: string;
  /** The base address of links, from the configuration and never from a request; with or without a final slash. */
  readonly publicUrl: string;
  /** Who hears of inquiries; nobody when empty. */
  readonly salesTo: readonly string[];
  /** Who hears of applications; nobody when empty. */
  readonly recruitingTo: readonly string[];
  /** Titles of the packages by identifier, if there is a catalogue. */
  readonly packageTitles?: ReadonlyMap<string, string> | undefined;
}

/** What a welcome mail is made of. */
export interface Welcome {
  readonly email: string;
  /** `double`: the mail holds the confirm button. */
  readonly optIn: "double" | "single";
  /** The token itself, not its hash; used under double opt-in only. */
  readonly confirmToken: string;
  readonly unsubscribeToken: string;
}

/** The buyer's receipt and, if anyone in sales is to hear of it, the notice. */
export function composeInquiryMails(inquiry: InquiryRecord, settings: MailSettings): NewMail[] {
  const { brand, packageTitles: titles, salesTo } = settings;
  const { reference } = inquiry;
  // Without a catalogue an identifier is any string that a stranger sends.
  const shown = titles
    ? inquiry.selectedPackageIds.flatMap((id) => titles.get(id) ?? [])
    : inquiry.selectedPackageIds.filter(looksLikeIdentifier);
  const receipt = writeInquiryReceipt({
    brand,
    reference,
    name: inquiry.name,
    packages: shown,
    morePackages: inquiry.selectedPackageIds.length - shown.length,
  });
  const mails = [newMail("inquiry-receipt", reference, [inquiry.email], receipt)];
  if (salesTo.length === 0) return mails;
  const notice = writeInquiryNotice({
    brand,
    inquiry,
    subjectName: forSubject(inquiry.name),
    packages: inquiry.selectedPackageIds.map((id) => (titles?.has(id) ? `${titles.get(id)} (${id})` : id)),
    consoleUrl: address(settings, `/console/inquiries/${reference}`),
  });
  return [...mails, newMail("inquiry-notice", reference, salesTo, notice, { replyTo: inquiry.email })];
}

/** The applicant's receipt and, if anyone in recruiting is to hear of it, the notice. */
export function composeApplicationMails(application: ApplicationRecord, settings: MailSettings): NewMail[] {
  const { brand, recruitingTo } = settings;
  const { reference, fullName, resume } = application;
  const receipt = writeApplicationReceipt({ brand, reference, fullName, resume });
  const mails = [newMail("application-receipt", reference, [application.email], receipt)];
  if (recruitingTo.length === 0) return mails;
  const notice = writeApplicationNotice({
    brand,
    application,
    subjectName: forSubject(fullName),
    consoleUrl: address(settings, `/console/applications/${reference}`),
  });
  return [...mails, newMail("application-notice", reference, recruitingTo, notice, { replyTo: application.email })];
}

/** The welcome mail of a subscription. */
export function composeWelcomeMail(welcome: Welcome, settings: MailSettings): NewMail {
  const page = (action: string, token: string) =>
    address(settings, `/newsletter/${action}?token=${encodeURIComponent(token)}`);
  const unsubscribeUrl = page("unsubscribe", welcome.unsubscribeToken);
  const written = writeWelcome({
    brand: settings.brand,
    confirmUrl: welcome.optIn === "double" ? page("confirm", welcome.confirmToken) : null,
    unsubscribeUrl,
  });
  // RFC 8058: a mail program unsubscribes by a POST to the same address, without showing the page.
  const headers = {
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
  return newMail("newsletter-welcome", null, [welcome.email], written, { headers });
}

const address = (settings: MailSettings, path: string) => settings.publicUrl.replace(/\/+$/, "") + path;

interface Extra {
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// RFC 3834 5: a receipt answers what someone sent, the others begin a conversation. Either way nobody's holiday notice
// should answer it; the second header says so to Exchange, which does not read the first.
const automatic = (kind: MailKind) => ({
  "Auto-Submitted": kind.endsWith("-receipt") ? "auto-replied" : "auto-generated",
  "X-Auto-Response-Suppress": "All",
});

function newMail(kind: MailKind, reference: string | null, to: readonly string[], written: Written, extra: Extra = {}) {
  const { replyTo = null, headers = {} } = extra;
  const content: MailContent = {
    to,
    ...written,
    replyTo,
    headers: { ...automatic(kind), ...headers },
  };
  assertHeadersWhole(content);
  return { id: randomUUIDv7(), kind, reference, content } satisfies NewMail;
}

// The one place that every mail passes: a line break in a header would begin another header. The schemas refuse control
// characters, so this only ever finds a mistake of ours.
function assertHeadersWhole({ to, subject, replyTo, headers }: MailContent): void {
  const values = [...to, subject, replyTo ?? "", ...Object.entries(headers).flat()];
  if (values.some((value) => /[\r\n\0]/.test(value))) throw new Error("A mail header holds a line break or NUL.");
}
