// What the typed client gets when all is well, from a whole service in this process.
import { createSubmissionsClient } from "@submissions/client";
import { expect, test } from "vitest";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { littleWork, proveWork } from "../../support/solve-challenge.ts";
import { applicant, pdf } from "../../support/doors.ts";
import { failureOf } from "../../support/client/failure-of.ts";

const service = shared(() => startService());
const submissions = shared(() => createSubmissionsClient({ url: service().url }));

const told = { message: expect.any(String) as string, confirmationEmailSent: true };

test("an inquiry gets a reference and a confirmation", async () => {
  const inquiry = { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["en-GB-scottish", "de-AT"] };
  const receipt = await submissions().marketplace.inquiry(inquiry);
  expect(receipt).toEqual({ ...told, inquiryId: expect.stringMatching(/^INQ-\d{8}-\d{6}$/) });
  expect((await service().stored()).inquiries.at(-1)).toMatchObject({ ...inquiry, reference: receipt.inquiryId });
});

test("each kind may say its language and which privacy notice was shown", async () => {
  const said = { consent: { text: "2026-11", page: "https://example.org/contact?email=ann" }, language: "de" } as const;
  const email = "told@example.org";
  await submissions().marketplace.inquiry({ name: "Ann", email, selectedPackageIds: ["de-AT"] }, said);
  await submissions().newsletter.subscribe({ email }, { consent: { text: "2026-11" }, language: "de" });
  await submissions().applications.submit({ ...applicant, email }, said);
  await submissions().applications.submit(applicant);
  const { inquiries, subscribers, applications } = await service().stored();
  const kept = [inquiries, subscribers, applications].map((all) => all.find((one) => one.email === email));
  expect([...kept, applications.at(-1)].map((one) => [one?.consent?.text, one?.consent?.page, one?.language])).toEqual([
    ["2026-11", "https://example.org/contact", "de"],
    ["2026-11", null, "de"],
    ["2026-11", "https://example.org/contact", "de"],
    [undefined, undefined, "en"],
  ]);
});

test("further fields go by name, and none replaces a field", async () => {
  const further = { message: "Dear team,\nhello.", utm_source: "ad", email: "thief@example.org" };
  const email = "further@example.org";
  const selectedPackageIds: readonly string[] = ["de-AT"];
  await submissions().marketplace.inquiry({ name: "Ann", email, company: null, selectedPackageIds }, { further });
  await submissions().applications.submit({ ...applicant, email, phone: null, resumeFile: null }, { further });
  const { inquiries, applications } = await service().stored();
  const more = { message: "Dear team,\nhello.", utm_source: "ad" };
  expect(inquiries.find((one) => one.email === email)).toMatchObject({ more, company: null, selectedPackageIds });
  expect(applications.find((one) => one.email === email)).toMatchObject({ more, phone: null, resume: null });
});

test("a FormData whose entries cannot be read, as in React Native, is refused by name, and nothing is sent", async () => {
  const form = new FormData();
  form.set("fullName", "Ana");
  Object.defineProperty(form, "entries", { value: undefined });
  const before = (await service().stored()).applications.length;
  await expect(submissions().applications.submit(form)).rejects.toThrow(
    new TypeError("This FormData has no entries(). Pass an object of fields."),
  );
  expect((await service().stored()).applications).toHaveLength(before);
});

test("each kind takes the solution of a challenge, where proofs of work are asked for", async () => {
  await using asking = await startService({ env: littleWork });
  const { marketplace, newsletter, applications } = createSubmissionsClient({ url: asking.url });
  const inquiry = { name: "Ann", email: "ann@example.org", selectedPackageIds: ["de-AT"] };
  const refused = await failureOf(marketplace.inquiry(inquiry));
  expect(refused.issues.map(({ path }) => path)).toEqual([["altcha"]]);
  expect((await asking.stored()).inquiries).toEqual([]);

  await marketplace.inquiry(inquiry, { altcha: await proveWork(asking) });
  await newsletter.subscribe({ email: "reader@example.org" }, { altcha: await proveWork(asking) });
  await applications.submit({ ...applicant, resumeFile: pdf() }, { altcha: await proveWork(asking) });
  const stored = await asking.stored();
  expect([stored.inquiries.length, stored.subscribers.length, stored.applications.length]).toEqual([1, 1, 1]);
  expect(await asking.files("resumes")).toHaveLength(1);
});

test("each submission is one request, with the caller's headers, through the caller's fetch", async () => {
  const requests: string[] = [];
  const watched = createSubmissionsClient({
    url: `${service().url}/`,
    headers: { "x-trace": "abc" },
    fetch: (url, init) => {
      const request = new Request(url, init);
      requests.push(`${request.method} ${request.url} ${request.headers.get("x-trace")}`);
      return fetch(request);
    },
  });
  await Promise.all(["e", "f"].map((name) => watched.newsletter.subscribe({ email: `${name}@example.org` })));
  expect(requests).toEqual(Array(2).fill(`POST ${service().url}/trpc/newsletter.subscribe abc`));
});
