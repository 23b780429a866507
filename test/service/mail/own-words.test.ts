// Mails in words of the installation's own: a folder with a text file a mail and language, an image and a signature.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const words = {
  "inquiry-receipt.de.txt": `Subject: Ihre Anfrage {{reference}} <b>

{{ hello }}

es geht um:
{{packages}}
Wir schreiben an {{email}}.

-- 
{{brand}}, Impressum & mehr
`,
  "newsletter-welcome.en.txt": `Subject: One more step

{{hello}}

Confirm: {{confirmUrl}}

Leave: {{unsubscribeUrl}}
`,
};
const MAIL_SIGNATURE = String.raw`Example GmbH\nwww.example.org`;
const look = { MAIL_LOGO_URL: "https://www.example.org/logo.png", MAIL_SIGNATURE };

const folder = shared(async () => {
  const opened = await openFolder();
  for (const [name, text] of Object.entries(words)) await writeFile(join(opened.path, name), text);
  return opened;
});
const service = shared(() => startService({ env: { MAIL_TEMPLATES: folder().path, BRAND: "Ex & Co", ...look } }));

async function mailOf(subject: string) {
  const find = async () => (await service().mails()).find((mail) => mail.subject?.startsWith(subject));
  await expect.poll(find).toBeDefined();
  return (await find())!;
}

test("both parts of a receipt are made from the file of its language", async () => {
  await rest.send(service(), "marketplace.inquiry", json({ ...buyer, lang: "de" }));
  const { subject, text, html } = await mailOf("Ihre Anfrage INQ-");
  expect(text?.replaceAll("\r\n", "\n").trimEnd()).toBe(
    "Guten Tag Ann Buyer,\n\nes geht um:\n  - Scottish English, conversations\nWir schreiben an ann@example.org.\n\n" +
      "Example GmbH\nwww.example.org\n\n--\nEx & Co, Impressum & mehr",
  );
  expect(subject).toMatch(/ <b>$/);
  const shown = ["Guten Tag Ann Buyer,", "Scottish English", "ann@example.org", "Ex &amp; Co, Impressum &amp; mehr"];
  for (const one of [...shown, "&lt;b&gt;"]) expect(html).toContain(one);
  expect(html).toMatch(/<img src=["']https:\/\/www\.example\.org\/logo\.png["'] alt=["']Ex &amp; Co["']/);
});

test("a language without a file has the built-in words, with the signature", async () => {
  await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email: "en@example.org" }));
  const { text, html } = await mailOf("We received your inquiry");
  expect(text).toMatch(/Thank you for your inquiry\.[^]*\nExample GmbH\r?\nwww\.example\.org\r?\n\r?\n--/);
  expect(html).toContain("Example GmbH<br />www.example.org");
});

test("the links of a welcome mail work", async () => {
  await rest.send(service(), "newsletter.subscribe", json({ email: "reader@example.org" }));
  const { text, html } = await mailOf("One more step");
  const confirm = /Confirm: (\S+)/.exec(text ?? "")?.[1] ?? "";
  expect((await fetch(confirm)).status).toBe(200);
  expect(html).toContain(`href='${confirm.replaceAll("&", "&amp;")}'`);
});

test("a line whose places are empty is left out", async () => {
  const env = { MAIL_TEMPLATES: folder().path, NEWSLETTER_OPT_IN: "single" };
  const { stdout } = await runCommand(["mail", "preview", "newsletter-welcome", "--text"], env);
  expect(stdout).toMatch(/^Subject: One more step\n\nHello,\n\nLeave: \S+\n/);
});

describe("check-config tries each file", () => {
  test.each([
    [
      "inquiry-receipt.de.txt",
      "Subject: A\n\n{{nmae}} {{a}} {{nmae}}",
      "names the unknown {{nmae}}, {{a}}; it may name {{hello}}",
    ],
    ["inquiry-reciept.de.txt", "Subject: A\n\nB", "inquiry-reciept.de.txt is no mail and language"],
    ["inquiry-receipt.fr.txt", "Subject: A\n\nB", "is no mail and language"],
    ["constructor.de.txt", "Subject: A\n\nB", "is no mail and language"],
    ["application-receipt.en.txt", "Subject: Gr\uFFFDsse\n\nB", "application-receipt.en.txt is not in UTF-8"],
    ["application-receipt.en.txt", "Hello", 'must begin with a line "Subject: …" and a blank line'],
    ["inquiry-receipt.en.txt", "Subject: {{packages}}\n\nB", "must not name {{packages}} in its subject"],
    ["newsletter-welcome.de.txt", "Subject: A\n\n{{confirmUrl}}", "lacks {{unsubscribeUrl}}"],
    ["inquiry-receipt.en.txt", "Subject: A {{email}}\n\n{reference}", "has {reference} in it: write {{…}}"],
    ["inquiry-receipt.en.txt", "Subject: A {{reference\n\n{{email}}", "has {{reference in it: write {{…}}"],
    ["inquiry-receipt.en.txt", "Subject: A\n\n{{hello} {{email}}", "has {{hello} in it: write {{…}}"],
    ["inquiry-receipt.txt.bak", "Subject: A\n\nB", "the folder has no text file"],
  ])("%s: %j", async (name, text, problem) => {
    await using own = await openFolder();
    await writeFile(join(own.path, name), text);
    await writeFile(join(own.path, "notes.md"), "{{whatever}}");
    const { code, stderr } = await runCommand(["check-config"], { MAIL_TEMPLATES: own.path });
    expect([code, stderr.includes("MAIL_TEMPLATES: "), stderr]).toEqual([78, true, expect.stringContaining(problem)]);
  });

  test("and a folder that is not there is named", async () => {
    const { code, stderr } = await runCommand(["check-config"], { MAIL_TEMPLATES: join(folder().path, "nothing") });
    expect([code, stderr]).toEqual([78, expect.stringContaining("the folder cannot be read (ENOENT)")]);
  });
});

test.each(
  "inquiry-receipt inquiry-notice inquiry-reply application-receipt application-notice application-reply newsletter-welcome".split(
    " ",
  ),
)("mail preview %s writes HTML and stores nothing", async (kind) => {
  await using own = await openFolder();
  const { code, stdout } = await runCommand(["mail", "preview", kind, "--language", "de"], { DATA_DIR: own.path });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^<!doctype html>\s<html lang=["'](?:de|en)["']/)]);
  expect(!/receipt|welcome/.test(kind) || stdout.includes("Guten Tag")).toBe(true);
});
