// What must hold for whatever a stranger sends: receipts carry none of it, notices escape all of it, headers stay whole.
import { applicationInput } from "@submissions/shared/application";
import { inquiryInput } from "@submissions/shared/inquiry";
import fc from "fast-check";
import { expect, test } from "vitest";
import { composeApplicationMails, composeInquiryMails } from "../../server/src/mail/compose.ts";
import type { ApplicationRecord, InquiryRecord, NewMail } from "../../server/src/storage/records.ts";
import { application, inquiry, settings } from "./examples.ts";

// Words that stand in no template of ours, in the clothes that strangers put on them.
const words = fc.constantFrom(
  "zqxjk",
  "evil-zqxjk",
  "zqxjk.example",
  "https://zqxjk.example/?a=<b>&c='d'",
  "+49 555 0199 11",
);
const dressed = fc.tuple(
  fc.constantFrom("", "<b>", '"><script>', "\u202E", "&lt;", "=?utf-8?Q?x?= ", "=", "{{", "${", "\u2028", "Bcc: "),
  words,
  fc.constantFrom("", "</b>", "'", "<!--", "\u200D", "%0d%0a", "💰", "ــ", "."),
);
const text = fc.oneof(
  dressed.map((parts) => parts.join("")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).map((noise) => `${noise}zqxjk`),
);
const optional = fc.option(text, { nil: null });

const inquiries = fc.record({ name: text, company: optional, ids: fc.array(text, { minLength: 1, maxLength: 5 }) });

const applications = fc
  .record({
    fullName: text,
    position: text,
    phone: optional,
    company: optional,
    availability: optional,
    accent: optional,
    portfolioUrl: optional,
    resumeUrl: optional,
    coverLetter: optional,
    filename: text,
  })
  .map(({ filename, ...fields }) => ({
    ...application,
    ...fields,
    resume: { ...application.resume!, filename },
  }));

const escaped = (value: string) =>
  value.replace(/[&<>"']/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[sign]!);

// The bare word may be a name ("Hello zqxjk,") or an identifier; everything else of a stranger's must be absent.
const allowed = /Hello [\p{L}\p{M}'’ʼ.· -]{1,60},|^ {2}- [A-Za-z0-9._:-]{1,100}$|>[A-Za-z0-9._:-]{1,100}<\/li>/gmu;

function expectClean(receipt: NewMail): void {
  const { subject, text: plain, html } = receipt.content;
  for (const part of [subject, plain, html])
    expect(part.replaceAll("&#39;", "'").replace(allowed, "")).not.toContain("zqxjk");
  expect(plain + html).not.toMatch(/zqxjk\.[a-z]|555/);
  expect(html).not.toContain("href=");
}

function expectWhole(mails: readonly NewMail[]): void {
  for (const { content } of mails) {
    const values = [...content.to, content.subject, content.replyTo ?? "", ...Object.entries(content.headers).flat()];
    for (const value of values) expect(value).not.toMatch(/[\r\n\0]/);
    expect(Array.from(content.subject).length).toBeLessThanOrEqual(130);
  }
}

// Our own markup has no comment, and no tag that is not in the list.
const tags =
  /<(?!\/?(?:html|head|meta|style|title|body|div|table|tr|td|h1|h2|p|a|ul|li|dl|dt|dd|bdi|br)[\s>/]|!doctype)/i;

test("an inquiry's mails", () => {
  fc.assert(
    fc.property(inquiries, ({ name, company, ids }) => {
      const record: InquiryRecord = { ...inquiry, name, company, selectedPackageIds: ids };
      const [receipt, notice] = composeInquiryMails(record, settings);
      expectClean(receipt!);
      expectWhole([receipt!, notice!]);
      for (const value of [name, ...(company === null ? [] : [company]), ...ids]) {
        expect(notice!.content.html).toContain(escaped(value));
      }
      expect(notice!.content.html).not.toMatch(tags);
    }),
    { numRuns: 500 },
  );
});

test("an application's mails", () => {
  fc.assert(
    fc.property(applications, (record: ApplicationRecord) => {
      const [receipt, notice] = composeApplicationMails(record, settings);
      expectClean(receipt!);
      expectWhole([receipt!, notice!]);
      const { fullName, position, portfolioUrl, resume } = record;
      for (const value of [fullName, position, portfolioUrl ?? "", resume!.filename]) {
        expect(notice!.content.html).toContain(escaped(value));
      }
      expect(notice!.content.html).not.toMatch(tags);
    }),
    { numRuns: 500 },
  );
});

test("whatever the schemas accept can be composed", () => {
  const loose = fc.string({ unit: "binary", minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(loose, loose, loose, (name, position, letter) => {
      const asked = inquiryInput.safeParse({ name, email: "a@b.example", selectedPackageIds: [position] });
      if (asked.success) {
        const { company = null, ...rest } = asked.data;
        expectWhole(composeInquiryMails({ ...inquiry, ...rest, company }, settings));
      }
      const applied = applicationInput.safeParse({
        fullName: name,
        email: "a@b.example",
        position,
        coverLetter: letter,
      });
      if (applied.success) {
        const { fullName, coverLetter = null } = applied.data;
        expectWhole(
          composeApplicationMails({ ...application, fullName, position: applied.data.position, coverLetter }, settings),
        );
      }
    }),
    { numRuns: 500 },
  );
});
