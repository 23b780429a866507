// Whatever a stranger sends: receipts carry none of it, notices escape all of it, headers stay whole.
import { applicationInput } from "@submissions/shared/application";
import { inquiryInput } from "@submissions/shared/inquiry";
import fc from "fast-check";
import { expect, test } from "vitest";
import { valuesOf } from "../../../server/src/field-values.ts";
import { compileMails } from "../../../server/src/mail/compose.ts";
import type { MailContent } from "../../../server/src/mail/mailer.ts";
import type { StoredSubmission } from "../../../server/src/storage/records.ts";
import { application, inquiry, settings } from "../../support/mail/examples.ts";

// Words that stand in no template of ours, in the clothes that strangers put on them.
const urls = ["zqxjk.example", "https://zqxjk.example/?a=<b>&c='d'"];
const words = fc.constantFrom("zqxjk", "evil-zqxjk", ...urls, "+49 555 0199 11");
const dressed = fc.tuple(
  fc.constantFrom(...'|<b>|"><script>|\u202E|&lt;|=?utf-8?Q?x?= |=|{{|${|\u2028|Bcc: |\0'.split("|")),
  words,
  fc.constantFrom("", "</b>", "'", "<!--", "\u200D", "%0d%0a", "💰", "ــ", ".", "\0subject\0"),
);
const text = fc.oneof(
  dressed.map((parts) => parts.join("")),
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).map((noise) => `${noise}zqxjk`),
);
const optional = fc.option(text, { nil: null });

const inquiries = fc.record({ name: text, company: optional, ids: fc.array(text, { minLength: 1, maxLength: 5 }) });

const optionals = {
  phone: optional,
  company: optional,
  availability: optional,
  accent: optional,
  portfolioUrl: optional,
};
const applications = fc
  .record({ name: text, position: text, filename: text, ...optionals, resumeUrl: optional, coverLetter: optional })
  .map(({ filename, ...fields }): StoredSubmission<"application"> => {
    return { ...application, ...fields, resume: { ...application.resume!, filename } };
  });

const escaped = (value: string) =>
  value.replace(/[&<>"']/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[sign]!);

const compose = compileMails(settings);

function mailsOf(submission: StoredSubmission): [receipt: MailContent, notice: MailContent] {
  const about = { submission };
  const write = (kind: `${StoredSubmission["kind"]}-${"receipt" | "notice"}`) => compose({ kind, about });
  return [write(`${submission.kind}-receipt`), write(`${submission.kind}-notice`)];
}

// The bare word may be a name ("Hello zqxjk,"). Nothing else of a stranger's may be there.
const greetings = /Hello [\p{L}\p{M}'’ʼ.· -]{1,60},/gu;

function expectClean({ subject, text: plain, html }: MailContent): void {
  for (const part of [subject, plain, html]) {
    expect(part.replaceAll("&#39;", "'").replace(greetings, "")).not.toContain("zqxjk");
  }
  expect(plain + html).not.toMatch(/zqxjk\.[a-z]|555/);
  expect(html).not.toContain("href=");
}

/** Whatever was sent, a notice leads to the console, to the address and to a number only. */
function expectLinksOfOurs({ html }: MailContent): void {
  for (const [, url] of html.matchAll(/href='([^']*)'/g)) {
    expect(url).toMatch(/^(?:https:\/\/datasets\.example\/console\/[\w/-]+|mailto:an[na]@[\w.]+|tel:\+?\d+)$/);
  }
}

function expectWhole(mails: readonly MailContent[]): void {
  for (const { to, subject, replyTo, headers } of mails) {
    const values = [...to, subject, ...replyTo, ...Object.entries(headers).flat()];
    for (const value of values) expect(value).not.toMatch(/[\r\n\0]/);
    expect(Array.from(subject).length).toBeLessThanOrEqual(130);
    expect(subject).not.toContain("=?");
  }
}

// Our own markup has no comment, and no tag that is not in the list.
const tags =
  /<(?!\/?(?:html|head|meta|style|title|body|div|table|tr|td|h1|h2|p|a|ul|li|dl|dt|dd|bdi|br)[\s>/]|!doctype)/i;

test("an inquiry's mails", () => {
  fc.assert(
    fc.property(inquiries, ({ name, company, ids }) => {
      const [receipt, notice] = mailsOf({ ...inquiry, name, company, selectedPackageIds: ids });
      expectClean(receipt);
      expectWhole([receipt, notice]);
      for (const value of [name, ...(company === null ? [] : [company]), ...ids]) {
        expect(notice.html).toContain(escaped(value));
      }
      expect(notice.html).not.toMatch(tags);
      expectLinksOfOurs(notice);
    }),
    { numRuns: 500 },
  );
});

test("an application's mails", () => {
  fc.assert(
    fc.property(applications, (submission) => {
      const [receipt, notice] = mailsOf(submission);
      expectClean(receipt);
      expectWhole([receipt, notice]);
      const { name, position, portfolioUrl, resume } = submission;
      for (const value of [name, position, portfolioUrl ?? "", resume!.filename]) {
        expect(notice.html).toContain(escaped(value));
      }
      expect(notice.html).not.toMatch(tags);
      expectLinksOfOurs(notice);
    }),
    { numRuns: 500 },
  );
});

test("what the schemas accept can be written", () => {
  const email = "a@b.example";
  const loose = fc.string({ unit: "binary", minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(loose, loose, loose, (name, position, coverLetter) => {
      const asked = inquiryInput.safeParse({ name, email, selectedPackageIds: [position] });
      if (asked.success) expectWhole(mailsOf({ ...inquiry, ...valuesOf("inquiry", asked.data) }));
      const applied = applicationInput.safeParse({ fullName: name, email, position, coverLetter });
      if (applied.success) expectWhole(mailsOf({ ...application, ...valuesOf("application", applied.data) }));
    }),
    { numRuns: 500 },
  );
});
