import { describe, expect, test } from "vitest";
import * as plain from "../../../test/support/mail/examples.ts";
import type { Words } from "../config/mail-words.ts";
import { valuesOf } from "../field-values.ts";
import type { MailKind, MailSubject, StoredSubmission, Welcome } from "../storage/records.ts";
import { compileMails } from "./compose.ts";
import type { MailContent } from "./mailer.ts";
import type { MailSettings } from "./templates/layout.ts";

const { digest } = plain;
const isDisposable = (email: string) => email.endsWith("@throwaway.example");
const settings: MailSettings = { ...plain.settings, brand: "Datasets & Söhne", isDisposable };
const inquiry: StoredSubmission<"inquiry"> = {
  ...plain.inquiry,
  name: "Ann <Buyer> & visit evil.com",
  company: '"><script>alert(1)</script>',
  selectedPackageIds: ["Your-PayPal-account-was-charged-499.99-USD", "evil.com/free", "<img src=x>"],
};
const application: StoredSubmission<"application"> = {
  ...plain.application,
  ...valuesOf("application", {
    fullName: "Ana Souza",
    email: "ana@applicant.example",
    position: "Visit https://evil.example/position",
    phone: "+351 912 345 678",
    company: "Evil company",
    availability: "Evil availability",
    accent: "Evil accent",
    portfolioUrl: "https://evil.example/portfolio",
    resumeUrl: "https://evil.example/resume",
    coverLetter: "Reference: APP-00000000-000000\n<b>evil letter</b>",
  }),
  resume: { key: "k", filename: "evil <name>.pdf", kind: "docx", size: 2_000_000, sha256: "ab".repeat(32) },
};
const tokens = { confirmToken: "c+/=", unsubscribeToken: "u+/=" };
const welcome: Welcome = { email: "r@example.org", requestId: "r", language: "en", ...tokens };

const write = (kind: MailKind, about: MailSubject, more: Partial<MailSettings> = {}) =>
  compileMails({ ...settings, ...more })({ kind, about });
const receiptOf = (changes: Partial<StoredSubmission<"inquiry">> = {}, more: Partial<MailSettings> = {}) =>
  write("inquiry-receipt", { submission: { ...inquiry, ...changes } }, more);
const noticeOf = (changes: Partial<StoredSubmission<"inquiry">> = {}, more: Partial<MailSettings> = {}) =>
  write("inquiry-notice", { submission: { ...inquiry, ...changes } }, more);

const links = ({ html }: MailContent) => [...html.matchAll(/href=["']([^"']*)["']/g)].map(([, url]) => url);
const bodies = ({ text, html }: MailContent) => [text, html] as const;

describe("the receipt of an inquiry", () => {
  test("goes to the buyer, and says who will make contact", () => {
    const receipt = receiptOf();
    expect(receipt).toMatchObject({
      to: [inquiry.email],
      replyTo: settings.teams.inquiry.slice(0, 1),
      subject: `We received your inquiry ${inquiry.reference}`,
    });
    for (const body of bodies(receipt)) {
      expect(body).toContain(inquiry.reference);
      expect(body).toContain("Our sales team will contact you by e-mail.");
      expect(body).toContain(`We will write to ${inquiry.email}.`);
    }
    expect(links(receipt)).toEqual([]);
  });

  test("without a catalogue says how many packages, and none of their identifiers", () => {
    const receipt = receiptOf();
    for (const body of bodies(receipt)) {
      expect(body).toContain("3 packages");
      expect(body.replace(inquiry.email, "")).not.toMatch(/paypal|evil|script|img|Buyer|Ann/i);
    }
    expect(receipt.text).toMatch(/^Hello,\n/);
    expect(receiptOf({ selectedPackageIds: ["en-GB-scottish"] }).text).toContain("You asked about:\n1 package\n");
  });

  test("with a catalogue shows titles, and counts what is not in it any more", () => {
    const packageTitles = new Map([["en-GB-scottish", "Scottish English"]]);
    const selectedPackageIds = ["en-GB-scottish", "de-AT"];
    const [receipt, notice] = [receiptOf, noticeOf].map((of) => of({ selectedPackageIds }, { packageTitles }).text);
    expect(receipt).toContain("You asked about:\n  - Scottish English\n  - and 1 more\n");
    expect(notice).toContain("  - Scottish English (en-GB-scottish)\n  - de-AT\n");
  });
});

test("the receipt of an application holds no word of the applicant but a name that looks like one", () => {
  const receipt = write("application-receipt", { submission: application });
  for (const body of bodies(receipt)) {
    expect(body).toContain(application.reference);
    expect(body).toContain("Hello Ana Souza,");
    expect(body).toContain("Our team will contact you by e-mail.");
    expect(body).toContain("Your resume arrived too (DOCX, 2 MB).");
    expect(body).not.toMatch(/evil/i);
  }
  expect([receipt.to, receipt.replyTo]).toEqual([[application.email], settings.teams.application.slice(0, 1)]);
  expect(links(receipt)).toEqual([]);
  const without = write("application-receipt", { submission: { ...application, resume: null } });
  for (const body of bodies(without)) expect(body).not.toContain("resume");
});

describe("receipts in words of the installation's own", () => {
  const packages = ["", "packages", ""];
  const words: Words = {
    subject: ["", "brand", ": ", "reference", ""],
    body: [[["", "hello", ""]], [["You want"], packages], [packages]],
    footer: [[["", "email", " & ", "brand", ""]]],
  };
  const own = { words: new Map([...settings.words, ["inquiry-receipt.en", words]]) };

  test("are shown with their second paragraph in lists of mails, and have a line for each package", () => {
    const { subject, text, html } = receiptOf(
      { selectedPackageIds: ["a", "b"] },
      { ...own, packageTitles: new Map([["a", "<A>"]]) },
    );
    expect(subject).toBe(`Datasets & Söhne: ${inquiry.reference}`);
    expect(text).toBe(
      "Hello,\n\nYou want\n  - <A>\n  - and 1 more\n\n  - <A>\n  - and 1 more\n\nDatasets & Söhne\n\n" +
        "--\nann@buyer.example & Datasets & Söhne\n",
    );
    expect(html).toMatch(/line-height:1px'>\s*You want - &lt;A&gt;\n {2}- and 1 more\s*<\/div>/);
    expect(html).toContain("You want<br />  - &lt;A&gt;<br />  - and 1 more</p>");
    expect(html).toContain("ann@buyer.example &amp; Datasets &amp; Söhne");
  });

  test("are missed at the start, not when the mail is due", () => {
    const lacking = new Map([...settings.words].filter(([name]) => name !== "application-receipt.en"));
    expect(() => compileMails({ ...settings, words: lacking })).toThrow("application-receipt.en");
  });
});

describe("notices", () => {
  const sales = noticeOf();
  const recruiting = write("application-notice", { submission: application });

  test("go to the team, who can answer the person", () => {
    expect(sales).toMatchObject({ to: settings.teams.inquiry, replyTo: [inquiry.email] });
    expect(recruiting).toMatchObject({ to: settings.teams.application, replyTo: [application.email] });
  });

  test("hold everything, escaped, and lead to the console, the address and the number of the person only", () => {
    const sent = [inquiry.name, inquiry.company!, inquiry.email, ...inquiry.selectedPackageIds];
    for (const value of sent) expect(sales.text).toContain(value);
    expect(sales.html).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    const { position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter } = application;
    const applied = [position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter];
    for (const value of [...applied, application.resume!.filename]) expect(recruiting.text).toContain(value);
    expect(recruiting.html).toContain("&lt;b&gt;evil letter&lt;/b&gt;");
    for (const { html } of [sales, recruiting]) expect(html).not.toMatch(/<(?:script|img|b|iframe)[\s>]/);
    const page = "https://datasets.example/console";
    const ofInquiry = [`${page}/inquiries/${inquiry.reference}`, `mailto:${inquiry.email}`];
    const ofApplication = [`${page}/applications/${application.reference}`, `mailto:${application.email}`];
    const all = new Set([...ofInquiry, ...ofApplication, "tel:+351912345678"]);
    expect(new Set([sales, recruiting].flatMap(links))).toEqual(all);
  });

  test("name the person first in their subject, and hold no checksum", () => {
    expect(recruiting.subject).toBe(`New application from Ana Souza (${application.reference})`);
    expect(recruiting.text + recruiting.html).not.toContain(application.resume!.sha256);
  });

  test.each([
    ["+44 (0)20 7946-0018", "tel:+442079460018"],
    ["+49 555 0199 ext. 11", undefined],
    ["٠١٢٣٤٥", undefined],
    ["12 / 34 + 5", undefined],
  ])("with the number %s lead to %s", (phone, href) => {
    const notice = write("application-notice", { submission: { ...application, phone } });
    expect(links(notice).find((url) => url?.startsWith("tel:"))).toBe(href);
  });

  test("say that the form was in German", () => {
    expect(noticeOf({ language: "de" }).text).toContain("Language of the form: German\n");
    expect(sales.text).not.toContain("Language");
  });

  test("mark an address at a host of throw-away addresses, as the list is when they are sent", () => {
    const note = "Note: The e-mail address is at a host of throw-away addresses.\n";
    const email = "ann@throwaway.example";
    expect(sales.text).not.toContain("Note:");
    expect(noticeOf({ email }).text).toContain(note);
    expect(write("application-notice", { submission: { ...application, email } }).text).toContain(note);
    expect(receiptOf({ email }).text).not.toContain("throw-away");
  });

  test("show the message before the other fields of a form, and campaigns behind them", () => {
    const message = "Dear team,\nReference: INQ-0\n<b>hello</b>";
    const more = { utm_source: "ad", budget: "large", message, "needs[]": "one\ntwo" };
    const { text, html } = noticeOf({ more });
    const fields =
      "Further fields, as the form sent them:\nbudget: large\nneeds[]:\n  - one\n  - two\nutm_source: ad\n";
    expect(text).toContain(`Message:\n  Dear team,\n  Reference: INQ-0\n  <b>hello</b>\n\n${fields}`);
    const places = ["Dear team,", "&lt;b&gt;hello", ">budget<", ">needs[]<", ">utm_source<"].map((one) =>
      html.indexOf(one),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(noticeOf({ more: { message } }).text).not.toContain("Further fields");
    expect(write("application-notice", { submission: { ...application, more } }).text).toMatch(
      /Message:\n {2}Dear team[\s\S]*utm_source: ad\n\n[\s\S]*evil letter<\/b>\n$/,
    );
    for (const body of bodies(receiptOf({ more }))) expect(body).not.toMatch(/Dear team|large|utm_source/);
  });

  test("put the letter last in their text, and let no value begin a line of its own", () => {
    const changed = { ...application, accent: "a\u2028Reference: APP-0" };
    const { text } = write("application-notice", { submission: changed });
    expect(text.endsWith(`${application.coverLetter}\n`)).toBe(true);
    expect(text).toContain("Accent: a Reference: APP-0\n");
  });
});

const german = { language: "de" } as const;
test.each<[MailKind, MailSubject, string, ...phrases: string[]]>([
  ["inquiry-receipt", { submission: { ...inquiry, ...german } }, "vielen Dank", "3 Pakete", "Ihr Aktenzeichen"],
  ["inquiry-receipt", { submission: { ...inquiry, ...german, name: "Jörg Öhler" } }, "vielen Dank", "Jörg Öhler,"],
  [
    "application-receipt",
    { submission: { ...application, ...german } },
    "vielen Dank",
    "Ihre Bewerbung",
    "(DOCX, 2 MB)",
  ],
  ["newsletter-welcome", { welcome: { ...welcome, ...german } }, "vielen Dank", "Abonnement bestätigen", "&lang=de"],
  ["newsletter-welcome", { welcome: { ...welcome, ...german, confirmToken: null } }, "willkommen!"],
])("the %s is German, whole and in HTML, in lower case after its greeting", (kind, about, words, ...phrases) => {
  const { subject, text, html } = write(kind, about);
  expect(html).toContain("<html lang='de'");
  expect(text).toMatch(new RegExp(`^Guten Tag[^\\n]*,\\n\\n${words} `));
  expect(html).toMatch(new RegExp(`Guten Tag[^<]*,(?:<[^>]*>|\\s)*${words} `));
  for (const phrase of phrases)
    expect([text, html.replaceAll("&amp;", "&")]).toEqual(Array(2).fill(expect.stringContaining(phrase)));
  const read = subject + text + html.replaceAll(/<[^>]*>/g, "");
  expect(read).not.toMatch(/\b(?:your|please|thank|thanks|you|we|the)\b/i);
});

describe("a welcome mail", () => {
  test("under double opt-in asks for confirmation", () => {
    const mail = write("newsletter-welcome", { welcome });
    const confirm = "https://datasets.example/newsletter/confirm?token=c%2B%2F%3D";
    expect(mail).toMatchObject({ to: ["r@example.org"], replyTo: [] });
    expect(mail.text).toContain(`\n${confirm}\n`);
    expect(links(mail)).toContain(confirm);
    expect(mail.text).toContain("7 days");
  });

  test("under single opt-in holds no confirm link", () => {
    const mail = write("newsletter-welcome", { welcome: { ...welcome, confirmToken: null } });
    for (const body of bodies(mail)) expect(body).not.toContain("confirm");
  });

  test.each(["c", null])("with the confirm token %s can be unsubscribed by link and by one click", (confirmToken) => {
    const mail = write("newsletter-welcome", { welcome: { ...welcome, confirmToken } });
    const url = "https://datasets.example/newsletter/unsubscribe?token=u%2B%2F%3D";
    const post = { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    expect(mail.headers).toMatchObject({ "List-Unsubscribe": `<${url}>`, ...post });
    expect(mail.text).toContain(url);
    expect(links(mail)).toContain(url);
  });
});

describe("the digest", () => {
  test("counts what waits, with the pages that list it, and names no person", () => {
    const mail = write("digest", { digest });
    expect(mail.to).toEqual(["desk@datasets.example"]);
    expect(mail.subject).toBe("13 new in the inbox (2026-11-21)");
    const page = "https://datasets.example/console";
    expect(mail.text).toContain(`  - 12 new inquiries: ${page}?kind=inquiry&status=new\n`);
    expect(mail.text).toContain(`  - 1 new application: ${page}?kind=application&status=new\n`);
    expect(mail.text).toContain(`  - 2 failed mails: ${page}/mails?status=failed\n`);
    expect(mail.text).not.toMatch(/ 0 |in doubt/);
    expect(links(mail)).toContain(`https://datasets.example/console/inquiries/${inquiry.reference}`);
    expect(mail.text).toContain(`${inquiry.reference} since 2026-11-21 09:30 UTC`);
  });

  test("says that nothing waits", () => {
    const none = { new: 0, open: 0 };
    const empty = { ...digest, inquiry: none, application: none, mails: { failed: 0, inDoubt: 0 }, longest: [] };
    expect(write("digest", { digest: empty }).subject).toBe("Nothing waits (2026-11-21)");
    expect(write("digest", { digest: { ...empty, inquiry: { new: 0, open: 3 } } }).text).toContain("3 open inquiries");
  });

  test("says when a backup was missed, in its subject where nothing else waits", () => {
    const none = { new: 0, open: 0 };
    const lastBackupAt = Date.UTC(2026, 10, 19, 3, 2);
    const empty = { ...digest, inquiry: none, application: none, mails: { failed: 0, inDoubt: 0 }, longest: [] };
    const alone = write("digest", { digest: { ...empty, lastBackupAt } });
    expect(alone.subject).toBe("A backup was missed (2026-11-21)");
    const among = write("digest", { digest: { ...digest, lastBackupAt } });
    expect(among.subject).toBe("13 new in the inbox (2026-11-21)");
    for (const { text } of [alone, among])
      expect(text).toContain("The last whole backup was made at 2026-11-19 03:02 UTC.");
  });

  test("is not written without an addressee", () => {
    expect(() => write("digest", { digest }, { digestTo: [] })).toThrow("no addressee");
  });
});

test("an invitation goes to the operator alone, with its link", () => {
  const mail = write("invitation", { invitation: { email: "sam@datasets.example", token: "t0ken" } });
  expect(mail).toMatchObject({ to: ["sam@datasets.example"], replyTo: [] });
  expect(mail.headers).toMatchObject({ "Auto-Submitted": "auto-generated" });
  for (const body of bodies(mail)) expect(body).toContain("https://datasets.example/console/invitation#token=t0ken");
});

describe("the mail of assignments", () => {
  const email = "sam+desk@datasets.example";
  const url = (reference: string) =>
    `https://datasets.example/console/${reference.startsWith("INQ-") ? "inquiries" : "applications"}/${reference}`;

  test("names the one submission, who assigned it and its page, and goes to the operator", () => {
    const mail = write("assignment", { assignment: { email, assigned: { [application.reference]: "<Eva>" } } });
    expect(mail).toMatchObject({ to: [email], replyTo: [], subject: `${application.reference} is assigned to you` });
    expect(mail.text).toContain(`  - ${application.reference}, assigned by <Eva>: ${url(application.reference)}\n`);
    expect(mail.html).toContain("assigned by &lt;Eva&gt;");
    expect(links(mail)).toContain(url(application.reference));
    expect(links(mail)).toContain("https://datasets.example/console?assignee=sam%2Bdesk%40datasets.example");
    expect(mail.text + mail.html).not.toContain(application.name);
  });

  test("lists 50 of many", () => {
    const references = Array.from({ length: 52 }, (_, index) => `INQ-20261121-${String(index).padStart(6, "0")}`);
    const assigned = Object.fromEntries(references.map((reference) => [reference, "Eva"]));
    const mail = write("assignment", { assignment: { email, assigned } });
    expect(mail.subject).toBe("52 submissions are assigned to you");
    for (const body of bodies(mail)) {
      expect(body).toContain(url(references[49]!));
      expect(body).not.toContain(references[50]);
      expect(body).toContain("And 2 more.");
    }
  });
});

test.each<[MailKind, MailSubject, string]>([
  ["inquiry-receipt", { submission: inquiry }, "auto-replied"],
  ["inquiry-notice", { submission: inquiry }, "auto-generated"],
  ["application-receipt", { submission: application }, "auto-replied"],
  ["application-notice", { submission: application }, "auto-generated"],
  ["newsletter-welcome", { welcome }, "auto-generated"],
  ["assignment", { assignment: { email: "sam@datasets.example", assigned: { "INQ-1": "Eva" } } }, "auto-generated"],
  ["digest", { digest }, "auto-generated"],
])("the %s says that a machine wrote it", (kind, about, value) => {
  const suppress = "DR, RN, NRN, OOF, AutoReply";
  expect(write(kind, about).headers).toMatchObject({ "Auto-Submitted": value, "X-Auto-Response-Suppress": suppress });
});

test.each(["a@b.example\r\nBcc: x@evil.example", "a@b.example\nX: y", "a@b.example\0"])(
  "no mail is written with the address %j",
  (email) => {
    const submission = { ...inquiry, email };
    for (const kind of ["inquiry-receipt", "inquiry-notice"] as const) {
      expect(() => write(kind, { submission })).toThrow("line break");
    }
    expect(() => write("newsletter-welcome", { welcome: { ...welcome, email } })).toThrow("line break");
  },
);

test.each<[MailKind, MailSubject]>([
  ["application-receipt", { submission: inquiry }],
  ["inquiry-notice", { submission: application }],
  ["newsletter-welcome", { submission: inquiry }],
  ["inquiry-receipt", { welcome }],
  ["digest", { welcome }],
  ["assignment", { digest }],
  ["inquiry-notice", { digest }],
])("the %s is not written about something else", (kind, about) => {
  expect(() => write(kind, about)).toThrow("something else");
});
