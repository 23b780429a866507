// Languages beside English and German: a folder with a file for each, for forms, pages and mails.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/desk/run-command.ts";
import { applicant, buyer, doors, form, json, pdf, rest } from "../../support/doors.ts";
import { openFolder } from "../../support/folder.ts";
import { fields, postForm, visit } from "../../support/pages.ts";
import { open, press, subscribe, welcomes } from "../../support/newsletter/reader.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";

const LANGUAGES = new URL("../../fixtures/languages", import.meta.url).pathname;
const service = shared(() => startService({ env: { LANGUAGES } }));

const mailsAbout = async (reference: unknown) =>
  (await service().mails()).filter(({ subject }) => subject?.includes(String(reference)));

test.each(doors)("a French inquiry has its receipt in French over $name, and the notice says so", async (door) => {
  const inquiry = { ...buyer, email: `${door.name}@example.org`, lang: "fr-CA" };
  const { receipt } = await door.send(service(), "marketplace.inquiry", json(inquiry));
  const reference = String(receipt?.["inquiryId"]);
  await expect.poll(async () => (await mailsAbout(reference)).length).toBe(2);
  const [mail] = (await mailsAbout(reference)).filter(({ subject }) => subject?.startsWith("Nous avons reçu"));
  expect(mail?.text).toMatch(/^Bonjour Ann Buyer,\n/);
  expect(mail?.html).toMatch(/<html lang='fr' dir='ltr'>/);
  const notice = (await mailsAbout(reference)).find(({ subject }) => subject?.startsWith("New inquiry"));
  expect(notice?.text).toContain("Language of the form: French\n");
  const stored = (await service().stored()).inquiries.find((one) => one.reference === reference);
  expect(stored?.language).toBe("fr");
});

test("the resume of a French application is told as French writes numbers", async () => {
  const sent = form({ ...applicant, resumeFile: pdf(), lang: "fr" });
  const reference = (await rest.send(service(), "applications.submit", sent)).receipt?.["applicationId"];
  const texts = async () => (await mailsAbout(reference)).map(({ text }) => text).join("");
  await expect.poll(texts).toMatch(/Votre CV est joint \(PDF, 1\sko\)/u);
});

test("a French subscription is confirmed and ended on French pages", async () => {
  await subscribe(service(), "lectrice@example.org", { lang: "fr" });
  const [links] = await welcomes(service(), "lectrice@example.org", 1);
  expect((await open(links!.confirm!)).text).toMatch(/<html lang="fr">[^]*Confirmez votre abonnement/);
  expect((await press(links!.confirm!)).text).toContain("Vous êtes abonné");
  expect((await press(links!.unsubscribe)).text).toContain("Vous êtes désabonné");
  expect((await open(links!.confirm!)).text).toContain("Ce lien ne fonctionne pas");
});

test("without script a French form is thanked for and refused in French", async () => {
  const inquiry = { ...buyer, email: "sans@example.org", lang: "fr" };
  const thanked = await postForm(service(), "marketplace.inquiry", fields(inquiry));
  const address = new URL(thanked.headers.get("location")!, `${service().url}/api/marketplace/inquiry`);
  expect((await visit(service(), address.pathname + address.search)).text).toContain("Votre demande est envoyée");
  const refused = await postForm(service(), "marketplace.inquiry", fields({ ...inquiry, email: "sans" }));
  const page = refused.text;
  expect(page).toContain("Votre demande n’est pas encore envoyée");
  expect(page).toContain("Indiquez une adresse électronique, comme nom@example.org.");
  expect(page).toContain('name="lang" value="fr"');
});

test("the forms' script is told which languages there are, and given their words", async () => {
  const config = await (await fetch(`${service().url}/forms/config.json`)).json();
  expect(config).toMatchObject({ languages: ["fr"] });
  const words = await fetch(`${service().url}/forms/fr.json`);
  expect(words.headers.get("access-control-allow-origin")).toBe("*");
  expect(await words.json()).toMatchObject({ optional: "facultatif" });
  expect((await fetch(`${service().url}/forms/de.json`)).status).toBe(404);
});

test("French has all that English has", async () => {
  const german = new URL("../../../shared/src/languages/de.json", import.meta.url);
  const [fr, de] = await Promise.all(
    [join(LANGUAGES, "fr.json"), german].map(async (file) => JSON.parse(await readFile(file, "utf8")) as object),
  );
  expect(namesIn(fr!)).toEqual(namesIn(de!));
});

const namesIn = (words: object): string[] =>
  Object.entries(words)
    .flatMap(([name, one]: [string, unknown]) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? namesIn(one).map((inner) => `${name}.${inner}`)
        : [name],
    )
    .toSorted();

describe("a folder of one's own", () => {
  async function folderWith(files: Readonly<Record<string, string>>) {
    const folder = await openFolder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
    return folder;
  }

  test("may lack anything: it is said in English, and Arabic runs from right to left", async () => {
    const arabic = { forms: { optional: "اختياري" }, mails: { hello: "مرحبا" } };
    await using folder = await folderWith({ "ar.json": JSON.stringify(arabic) });
    await using own = await startService({ env: { LANGUAGES: folder.path } });
    const inquiry = fields({ ...buyer, email: "x", lang: "ar-EG" });
    const page = (await postForm(own, "marketplace.inquiry", inquiry)).text;
    expect(page).toContain('<html lang="ar" dir="rtl">');
    expect(page).toContain('lang="ar" dir="rtl"');
    expect(page).toContain("اختياري");
    expect(page).toContain("Enter one e-mail address");
    const { receipt } = await rest.send(own, "marketplace.inquiry", json({ ...buyer, lang: "ar" }));
    const subjects = async () => (await own.mails()).map(({ subject }) => subject);
    await expect.poll(subjects).toContain(`We received your inquiry ${String(receipt?.["inquiryId"])}`);
  });

  test("is refused with all its mistakes", async () => {
    const wrong = {
      forms: {
        optionl: "x",
        optional: 7,
        sentTo: "to you",
        fields: { nme: {} },
        messages: { "At most # characters.": "x" },
      },
      pages: [],
      mails: { "inquiry-receipt": ["Hello"], hello: "", packages: { some: "x" } },
      more: {},
    };
    await using folder = await folderWith({
      "fr.json": JSON.stringify(wrong),
      "en.json": "{}",
      "french.json": "{}",
      "pl.json": "{",
    });
    const { code, stderr } = await runCommand(["check-config"], { LANGUAGES: folder.path });
    expect(code).toBe(78);
    for (const mistake of [
      "en.json: this language is built in.",
      "french.json is not named by a language",
      "pl.json is not valid JSON.",
      "forms.optionl is not known.",
      "forms.optional must be a text.",
      "forms.sentTo must have {email} and not none.",
      "forms.fields.nme is not known.",
      "forms.messages.At most # characters. must have # and not none.",
      "pages must be an object.",
      "mails.hello must be a text.",
      "mails.packages.some is not known.",
      "more is not known.",
    ])
      expect(stderr).toContain(mistake);
    const mail = { mails: { "inquiry-receipt": ["Hello"] } };
    await using other = await folderWith({ "fr.json": JSON.stringify(mail) });
    const { stderr: told } = await runCommand(["check-config"], { LANGUAGES: other.path });
    expect(told).toContain('inquiry-receipt.fr.txt must begin with a line "Subject: …"');
  });

  test("may be corrected by words of one's own for a mail", async () => {
    await using own = await folderWith({ "inquiry-receipt.fr.txt": "Subject: À nous {{reference}}\n\n{{hello}}\n" });
    const preview = ["mail", "preview", "inquiry-receipt", "--language", "fr", "--text"];
    const { stdout } = await runCommand(preview, { LANGUAGES, MAIL_TEMPLATES: own.path });
    expect(stdout).toMatch(/^Subject: À nous INQ-\d+-\d+\n\nBonjour Ann Buyer,\n/);
    const { stderr } = await runCommand(preview, { MAIL_TEMPLATES: own.path });
    expect(stderr).toContain("inquiry-receipt.fr.txt is no mail and language");
  });
});
