// A form says its language; receipts, the welcome mail and the pages behind its links speak it. Notices do not.
import type { Email } from "postal-mime";
import { expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest } from "../../support/doors.ts";
import { fields, postForm, visit } from "../../support/pages.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { open, press, subscribe, welcomes } from "../../support/newsletter/reader.ts";

const service = shared(() => startService());

const mailsAbout = async (reference: unknown): Promise<Email[]> =>
  (await service().mails()).filter(({ subject }) => subject?.includes(String(reference)));

test.each(doors)("the receipt of a German inquiry is German over $name, and the notice says so", async (door) => {
  const inquiry = { ...buyer, email: `${door.name}@example.org`, lang: "de-AT" };
  const { receipt } = await door.send(service(), "marketplace.inquiry", json(inquiry));
  const reference = receipt?.["inquiryId"];
  await expect.poll(async () => (await mailsAbout(reference)).length).toBe(2);
  const subjects = (await mailsAbout(reference)).map(({ subject }) => subject);
  expect(subjects).toContain(`Ihre Anfrage ist angekommen ${String(reference)}`);
  const notice = (await mailsAbout(reference)).find(({ subject }) => subject?.startsWith("New inquiry from Ann Buyer"));
  expect(notice?.text).toContain("Language of the form: German\n");
});

test("a German application with a resume is kept with its language", async () => {
  const sent = form({ ...applicant, resumeFile: pdf(), lang: "de" });
  const reference = (await rest.send(service(), "applications.submit", sent)).receipt?.["applicationId"];
  const stored = (await service().stored()).applications.find((one) => one.reference === reference);
  expect(stored?.language).toBe("de");
  const texts = async () => (await mailsAbout(reference)).map(({ text }) => text).join("");
  await expect.poll(texts).toContain("Ihr Lebenslauf ist dabei (PDF, 1 kB).");
});

test.each([undefined, "fr", "", "DEN", 7, ["de"]])("a form in the language %j is answered in English", async (lang) => {
  const inquiry = { ...buyer, email: `${crypto.randomUUID()}@example.org`, lang };
  const { receipt } = await rest.send(service(), "marketplace.inquiry", json(inquiry));
  const reference = String(receipt?.["inquiryId"]);
  const subjects = async () => (await mailsAbout(reference)).map(({ subject }) => subject);
  await expect.poll(subjects).toContain(`We received your inquiry ${reference}`);
});

test("a German subscription is confirmed and ended on German pages", async () => {
  await subscribe(service(), "leserin@example.org", { lang: "de" });
  expect((await service().stored()).subscribers).toMatchObject([{ email: "leserin@example.org", language: "de" }]);
  const [links] = await welcomes(service(), "leserin@example.org", 1);
  expect((await open(links!.confirm!)).text).toMatch(/<html lang="de">[^]*Bestätigen Sie Ihr Abonnement/);
  expect((await press(links!.confirm!)).text).toContain("Sie haben unseren Newsletter abonniert");
  expect((await press(links!.unsubscribe)).text).toContain("Sie sind abgemeldet");
  const dead = await open(links!.confirm!);
  expect(dead).toMatchObject({ status: 404, text: expect.stringContaining("Dieser Link funktioniert nicht") });
});

test("without script a German form is thanked for and refused in German", async () => {
  const inquiry = { ...buyer, email: "ohne@example.org", lang: "de" };
  const thanked = await postForm(service(), "marketplace.inquiry", fields(inquiry));
  expect(thanked.status).toBe(303);
  const address = new URL(thanked.headers.get("location")!, `${service().url}/api/marketplace/inquiry`);
  expect((await visit(service(), address.pathname + address.search)).text).toContain("Ihre Anfrage ist angekommen");
  const refused = await postForm(service(), "marketplace.inquiry", fields({ ...inquiry, email: "ohne" }));
  expect(refused.text).toMatch(/Ihre Anfrage ist noch nicht gesendet[^]*Bitte geben Sie eine E-Mail-Adresse ein/);
  expect(refused.text).toMatch(/<input type="hidden" name="lang" value="de"/);
});
