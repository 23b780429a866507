import { expect, test } from "vitest";
import type { ApplicationRecord, InquiryRecord, NewMail } from "../storage/records.ts";
import { composeApplicationMails, composeInquiryMails, composeWelcomeMail, type MailSettings } from "./compose.ts";

const settings: MailSettings = {
  brand: "Datasets & Söhne",
  publicUrl: "https://datasets.example/",
  salesTo: ["sales@datasets.example", "boss@datasets.example"],
  recruitingTo: ["jobs@datasets.example"],
};
const received = { receivedAt: Date.UTC(2026, 10, 21, 9, 30), origin: { door: "rest", requestId: "r" } } as const;
const inquiry: InquiryRecord = {
  ...received,
  reference: "INQ-20261121-042137",
  name: "Ann <Buyer> & visit evil.com",
  company: '"><script>alert(1)</script>',
  email: "ann@buyer.example",
  selectedPackageIds: ["en-GB-scottish", "evil.com/free", "<img src=x>"],
};
const application: ApplicationRecord = {
  ...received,
  reference: "APP-20261121-907715",
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
  resume: { key: "k", filename: "evil <name>.pdf", kind: "docx", size: 2_000_000, sha256: "ab".repeat(32) },
};
const welcome = { email: "r@example.org", confirmToken: "c+/=", unsubscribeToken: "u+/=" };

const links = (mail: NewMail) => [...mail.content.html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
const auto = (mail: NewMail) => [mail.kind, mail.content.headers["Auto-Submitted"]];
const bodies = (mail: NewMail) => [mail.content.text, mail.content.html] as const;

test("an inquiry makes a receipt for the buyer and a notice for sales", () => {
  const [receipt, notice, ...more] = composeInquiryMails(inquiry, settings);
  expect(more).toEqual([]);
  expect(receipt).toMatchObject({
    kind: "inquiry-receipt",
    reference: inquiry.reference,
    content: { to: [inquiry.email], replyTo: null, subject: `We received your inquiry ${inquiry.reference}` },
  });
  expect(notice).toMatchObject({
    kind: "inquiry-notice",
    reference: inquiry.reference,
    content: { to: settings.salesTo, replyTo: inquiry.email },
  });
  expect(receipt!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(receipt!.id).not.toBe(notice!.id);
});

test("nobody is told of a submission when there is nobody to tell", () => {
  const alone = { ...settings, salesTo: [], recruitingTo: [] };
  expect(composeInquiryMails(inquiry, alone).map(({ kind }) => kind)).toEqual(["inquiry-receipt"]);
  expect(composeApplicationMails(application, alone).map(({ kind }) => kind)).toEqual(["application-receipt"]);
});

test("an inquiry's receipt quotes the reference and the identifiers, and counts what does not look like one", () => {
  const receipt = composeInquiryMails(inquiry, settings)[0]!;
  for (const body of bodies(receipt)) {
    expect(body).toContain(inquiry.reference);
    expect(body).toContain("en-GB-scottish");
    expect(body).toContain("and 2 more");
    expect(body).not.toMatch(/evil|script|img|Buyer|Ann/);
  }
  expect(receipt.content.text).toMatch(/^Hello,\n/);
  expect(links(receipt)).toEqual([]);
});

test("an inquiry's receipt only counts when nothing looks like an identifier", () => {
  const [receipt] = composeInquiryMails({ ...inquiry, selectedPackageIds: ["evil.com"] }, settings);
  expect(receipt!.content.text).toContain("You asked about:\n  1 package\n");
});

test("with a catalogue the receipt shows titles, and nothing that is not in it", () => {
  const packageTitles = new Map([["en-GB-scottish", "Scottish English"]]);
  const [receipt, notice] = composeInquiryMails(
    { ...inquiry, selectedPackageIds: ["en-GB-scottish", "de-AT"] },
    { ...settings, packageTitles },
  );
  expect(receipt!.content.text).toContain("  - Scottish English\n  and 1 more\n");
  expect(notice!.content.text).toContain("  - Scottish English (en-GB-scottish)\n  - de-AT\n");
});

test("an application's receipt holds no word of the applicant but a name that looks like one", () => {
  const receipt = composeApplicationMails(application, settings)[0]!;
  for (const body of bodies(receipt)) {
    expect(body).toContain(application.reference);
    expect(body).toContain("Hello Ana Souza,");
    expect(body).toContain("Your resume arrived too (DOCX, 1.9 MB).");
    expect(body).not.toMatch(/evil/i);
  }
  expect(links(receipt)).toEqual([]);
  const [without] = composeApplicationMails({ ...application, resume: null }, settings);
  expect(without!.content.text).not.toContain("resume");
});

test("notices hold everything, escaped, with the console for the only link", () => {
  const notices = [composeInquiryMails(inquiry, settings)[1]!, composeApplicationMails(application, settings)[1]!];
  const [sales, recruiting] = notices.map(({ content }) => content);
  const sent = [inquiry.name, inquiry.company!, inquiry.email, ...inquiry.selectedPackageIds];
  for (const value of sent) expect(sales!.text).toContain(value);
  expect(sales!.html).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  const { position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter, resume } = application;
  const applied = [position, phone, company, availability, accent, portfolioUrl, resumeUrl, coverLetter];
  for (const value of [...applied, resume!.filename, resume!.sha256]) expect(recruiting!.text).toContain(value);
  expect(recruiting!.html).toContain("&lt;b&gt;evil letter&lt;/b&gt;");
  for (const { html } of [sales!, recruiting!]) expect(html).not.toMatch(/<(?:script|img|b|iframe)[\s>]/);
  expect(new Set(notices.flatMap(links))).toEqual(
    new Set([
      `https://datasets.example/console/inquiries/${inquiry.reference}`,
      `https://datasets.example/console/applications/${application.reference}`,
    ]),
  );
});

test("in the text of a notice the letter comes last, and a value cannot begin a line of its own", () => {
  const [, notice] = composeApplicationMails({ ...application, accent: "a\u2028Reference: APP-0" }, settings);
  expect(notice!.content.text.endsWith(`${application.coverLetter}\n`)).toBe(true);
  expect(notice!.content.text).toContain("Accent: a Reference: APP-0\n");
});

test("a welcome mail under double opt-in asks for confirmation", () => {
  const mail = composeWelcomeMail({ ...welcome, optIn: "double" }, settings);
  const confirm = "https://datasets.example/newsletter/confirm?token=c%2B%2F%3D";
  expect(mail).toMatchObject({ kind: "newsletter-welcome", reference: null, content: { to: ["r@example.org"] } });
  expect(mail.content.text).toContain(`\n${confirm}\n`);
  expect(links(mail)).toContain(confirm);
  expect(mail.content.text).toContain("7 days");
});

test("a welcome mail under single opt-in holds no confirm link", () => {
  const mail = composeWelcomeMail({ ...welcome, optIn: "single" }, settings);
  for (const body of bodies(mail)) expect(body).not.toContain("confirm");
});

test.each(["double", "single"] as const)(
  "a welcome mail (%s) can be unsubscribed by link and by one click",
  (optIn) => {
    const { content } = composeWelcomeMail({ ...welcome, optIn }, settings);
    const url = "https://datasets.example/newsletter/unsubscribe?token=u%2B%2F%3D";
    expect(content.headers).toMatchObject({
      "List-Unsubscribe": `<${url}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    expect(content.text).toContain(url);
    expect(content.html).toContain(`href="${url}"`);
  },
);

test("every mail says that a machine wrote it", () => {
  const mails = [
    ...composeInquiryMails(inquiry, settings),
    ...composeApplicationMails(application, settings),
    composeWelcomeMail({ ...welcome, optIn: "double" }, settings),
  ];
  expect(mails.map(auto)).toEqual([
    ["inquiry-receipt", "auto-replied"],
    ["inquiry-notice", "auto-generated"],
    ["application-receipt", "auto-replied"],
    ["application-notice", "auto-generated"],
    ["newsletter-welcome", "auto-generated"],
  ]);
});

test.each(["a@b.example\r\nBcc: x@evil.example", "a@b.example\nX: y", "a@b.example\0"])(
  "makes no mail with the address %j",
  (email) => {
    expect(() => composeInquiryMails({ ...inquiry, email }, settings)).toThrow("line break");
    expect(() => composeApplicationMails({ ...application, email }, settings)).toThrow("line break");
    expect(() => composeWelcomeMail({ ...welcome, email, optIn: "single" }, settings)).toThrow("line break");
  },
);
