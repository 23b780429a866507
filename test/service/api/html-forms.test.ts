// Forms that browsers send without script: thanks, once, or the form again with everything that was typed.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { formNames } from "../../../shared/src/forms/form-fields.ts";
import { applicant, buyer, form, json, pdf, type Procedure, rest } from "../../support/doors.ts";
import {
  browserAccept,
  fields,
  postForm,
  problemAt,
  summaryOf,
  tickedOn,
  typedIn,
  visit,
} from "../../support/pages.ts";
import { startService, type Service } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { type Stored } from "../../support/stored.ts";

const service = shared(() => startService());
/** Gets only what is refused. */
const quiet = shared(() => startService());

let before: Stored;
beforeEach(async () => {
  before = await service().stored();
});

async function nothingIn(one: Service): Promise<void> {
  expect(await one.stored()).toEqual({ inquiries: [], applications: [], subscribers: [] });
  expect(await one.mails()).toEqual([]);
  expect(await one.files("resumes")).toEqual([]);
}

/** The mails that name something of one test only: those of others may still be on their way. */
const mailsWith = async (words: string) =>
  (await service().mails()).filter((mail) => JSON.stringify(mail).includes(words));

const apply = (one: Service, sent: Parameters<typeof form>[0]) =>
  postForm(one, "applications.submit", form(sent).body as FormData);
const inquiry = { name: buyer.name, company: "Über & Co", email: buyer.email };

describe("what is accepted", () => {
  test("identifiers that were typed, one to a line, are packages too", async () => {
    const sent = fields({ ...inquiry, selectedPackageIds: " en-GB-scottish\r\n\r\nde-AT\n" });
    expect((await postForm(service(), "marketplace.inquiry", sent)).status).toBe(303);
    expect((await service().stored()).inquiries.at(-1)?.selectedPackageIds).toEqual(["en-GB-scottish", "de-AT"]);
  });

  test("a subscription is stored, mailed, and leads to a page that names no one", async () => {
    const sent = fields({ email: "reader@example.org", source: "Front Page" });
    const { status, headers } = await postForm(service(), "newsletter.subscribe", sent);
    expect([status, headers.get("location")]).toEqual([303, "../../thanks?kind=newsletter"]);
    const subscribers = (await service().stored()).subscribers;
    expect(subscribers.slice(before.subscribers.length)).toMatchObject([
      { email: "reader@example.org", source: "front-page", status: "pending" },
    ]);
    await expect.poll(() => mailsWith("reader@example.org")).toHaveLength(1);
    expect((await visit(service(), "/thanks?kind=newsletter")).text).toContain("<h1>Check your inbox</h1>");
  });

  test("an application is kept with its resume, byte for byte", async () => {
    const resumeFile = pdf("Ana’s résumé.pdf");
    const { status, headers } = await apply(service(), { ...applicant, resumeFile });
    expect(status).toBe(303);
    const stored = (await service().stored()).applications.at(-1);
    const { fullName: name, ...others } = applicant;
    expect(stored).toMatchObject({ name, ...others, resume: { filename: "Ana’s résumé.pdf", kind: "pdf" } });
    expect(headers.get("location")).toBe(`../../thanks?kind=application&reference=${stored?.reference}`);
    const [kept] = (await service().files("resumes")).slice(-1);
    expect(await readFile(kept!)).toEqual(Buffer.from(await resumeFile.arrayBuffer()));
  });

  test("a browser's form with no file chosen, and URL-encoded, is an application without a resume", async () => {
    const noFile = { ...applicant, phone: "", resumeFile: new File([], "") };
    expect((await apply(service(), noFile)).status).toBe(303);
    expect((await postForm(service(), "applications.submit", fields(applicant))).status).toBe(303);
    const stored = (await service().stored()).applications.slice(before.applications.length);
    expect(stored.flatMap(({ resume, phone }) => [resume, phone])).toEqual(Array(4).fill(null));
  });

  test("U+FFFD in a text was typed, if the bytes are UTF-8", async () => {
    const letter = { ...applicant, coverLetter: "r\uFFFDsum\uFFFD, out of a PDF" };
    expect((await apply(service(), letter)).status).toBe(303);
    expect((await postForm(service(), "applications.submit", fields(letter))).status).toBe(303);
    const stored = (await service().stored()).applications.slice(before.applications.length);
    expect(stored.map(({ coverLetter }) => coverLetter)).toEqual([letter.coverLetter, letter.coverLetter]);
  });
});

describe("the form's key", () => {
  const keyed = (idempotencyKey: string, more = {}) =>
    fields({ ...inquiry, selectedPackageIds: "de-AT", idempotencyKey, ...more });

  test("works in a form with a resume", async () => {
    const send = () => apply(service(), { idempotencyKey: "key-2", ...applicant, resumeFile: pdf() });
    const files = (await service().files("resumes")).length;
    const [first, again] = [await send(), await send()];
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
    expect((await service().stored()).applications).toHaveLength(before.applications.length + 1);
    expect(await service().files("resumes")).toHaveLength(files + 1);
  });

  test("gives way to the header", async () => {
    const headers = { "idempotency-key": "key-3" };
    await postForm(service(), "marketplace.inquiry", keyed("key-4"), headers);
    await postForm(service(), "marketplace.inquiry", keyed("key-5"), headers);
    expect((await service().stored()).inquiries).toHaveLength(before.inquiries.length + 1);
  });

  test("stays with the form while it is refused, and is new once it stands for something else", async () => {
    const refused = await postForm(service(), "marketplace.inquiry", keyed("key-6", { email: "nobody" }));
    expect([refused.status, typedIn(refused, "idempotencyKey")]).toEqual([400, "key-6"]);
    expect((await postForm(service(), "marketplace.inquiry", keyed("key-6"))).status).toBe(303);

    const changed = { name: "Ann Other" };
    const other = await postForm(service(), "marketplace.inquiry", keyed("key-6", changed));
    expect(other.status).toBe(422);
    expect(summaryOf(other)).toContain("To send this as well, press the button again.");
    expect([typedIn(other, "name"), tickedOn(other)]).toEqual(["Ann Other", ["de-AT"]]);
    const fresh = typedIn(other, "idempotencyKey")!;
    expect(fresh).toMatch(/^[\w-]{36}$/);
    expect((await postForm(service(), "marketplace.inquiry", keyed(fresh, changed))).status).toBe(303);
    expect((await service().stored()).inquiries).toHaveLength(before.inquiries.length + 2);
  });

  test.each([["umläut"], ["x".repeat(256)]])("is refused when it is none: %s", async (key) => {
    const page = await postForm(quiet(), "marketplace.inquiry", keyed(key));
    expect(page.status).toBe(400);
    expect(typedIn(page, "idempotencyKey")).toMatch(/^[\w-]{36}$/);
    await nothingIn(quiet());
  });

  test("is different in every form that is handed out", async () => {
    const keys = [await visit(service(), "/"), await visit(service(), "/")].flatMap(({ text }) =>
      [...text.matchAll(/name="idempotencyKey" value="([^"]+)"/g)].map(([, key]) => key),
    );
    expect(keys).toHaveLength(2 * formNames.length);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("is a field like any unknown one to programs", async () => {
    const send = () => rest.send(service(), "applications.submit", form({ ...applicant, idempotencyKey: "key-7" }));
    expect((await send()).receipt?.["applicationId"]).not.toBe((await send()).receipt?.["applicationId"]);
  });
});

// server/src/http/pages/page-answer.test.ts has every preference.
test("programs that like JSON as well get it: of forms where JSON belongs, and of applications", async () => {
  const headers = { accept: "text/html, application/json" };
  for (const procedure of ["marketplace.inquiry", "newsletter.subscribe"] as const) {
    const refused = await rest.send(quiet(), procedure, { body: fields(inquiry), headers });
    expect([refused.status, refused.fault?.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8");
  }
  await nothingIn(quiet());
  const taken = await rest.send(service(), "applications.submit", { ...form(applicant), headers });
  expect([taken.status, taken.headers.get("vary")]).toEqual([200, "Accept"]);
  expect(Object.keys(taken.receipt ?? {}).toSorted()).toEqual(["applicationId", "confirmationEmailSent", "message"]);
  const refused = await rest.send(service(), "applications.submit", { ...form({ fullName: "A" }), headers });
  expect([refused.status, refused.fault?.code, refused.headers.get("vary")]).toEqual([400, "BAD_REQUEST", "Accept"]);
});

test("programs that send JSON, or come by typed RPC, get JSON whatever they accept", async () => {
  const { receipt } = await rest.send(service(), "marketplace.inquiry", json(buyer, { accept: browserAccept }));
  expect(receipt).toMatchObject({ inquiryId: expect.stringMatching(/^INQ-/) });
  const response = await fetch(`${service().url}/trpc/nothing`, { headers: { accept: browserAccept } });
  expect(await response.json()).toHaveProperty("error.data.code", "NOT_FOUND");
});

describe("what is refused comes back as the form", () => {
  test("with each problem at its field and above, everything that was typed, and nothing stored", async () => {
    const wrong = { name: "", email: "ann@localhost", selectedPackageIds: ["de-AT", "fr-CA"] };
    const sent = fields({ ...inquiry, ...wrong });
    const page = await postForm(quiet(), "marketplace.inquiry", sent);
    expect(page.status).toBe(400);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("vary")).toBe("Accept");
    expect(page.headers.get("x-robots-tag")).toContain("noindex");
    expect(page.text).toContain("<h1>Your inquiry has not been sent yet</h1>");
    expect(problemAt(page, "name")).toBe("Enter your name.");
    expect(problemAt(page, "email")).toBe("Enter one e-mail address, like name@example.org.");
    expect(problemAt(page, "company")).toBe("");
    expect(summaryOf(page)).toContain("Enter your name.");
    expect(summaryOf(page)).toContain("Enter one e-mail address");
    expect([typedIn(page, "company"), typedIn(page, "email")]).toEqual(["Über & Co", "ann@localhost"]);
    expect(tickedOn(page)).toEqual(["de-AT", "fr-CA"]);
    await nothingIn(quiet());
  });

  test("with the packages that were typed where no box stands for them", async () => {
    const page = await postForm(quiet(), "marketplace.inquiry", fields({ selectedPackageIds: "own-1\nde-AT" }));
    expect([page.status, typedIn(page, "selectedPackageIds")]).toEqual([400, "own-1\nde-AT"]);
  });

  test("when a field was sent twice, or too many were", async () => {
    const emails = fields({ email: ["a@example.org", "b@example.org"] });
    const twice = await postForm(quiet(), "newsletter.subscribe", emails);
    expect([twice.status, problemAt(twice, "email")]).toEqual([400, "This field must be one text."]);
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`x${index}`, "1"]));
    const tooMany = fields({ email: "a@example.org", ...many });
    expect((await postForm(quiet(), "newsletter.subscribe", tooMany)).status).toBe(400);
    const ids = Array.from({ length: 51 }, (_, index) => `package-${index}`);
    const packages = await postForm(quiet(), "marketplace.inquiry", fields({ ...inquiry, selectedPackageIds: ids }));
    expect([packages.status, problemAt(packages, "selectedPackageIds")]).toEqual([400, "Select at most 50 packages."]);
    await nothingIn(quiet());
  });

  test("with what a page's own fields held, sent again with the corrected form", async () => {
    const own = { budget: 'large "<b>"', "needs[]": "one\r\ntwo", utm_source: "ad", message: "Dear team,\r\nhello." };
    const email = { ...inquiry, selectedPackageIds: "de-AT", email: "ann@" };
    const page = await postForm(quiet(), "marketplace.inquiry", fields({ ...email, ...own }));
    expect(page.status).toBe(400);
    for (const [name, value] of Object.entries({ ...own, "needs[]": "one\ntwo" }))
      expect(typedIn(page, name.replace("[]", "\\[\\]")), name).toBe(value);
    const application = await apply(quiet(), { ...applicant, email: "ana@", budget: "small", resumeFile: pdf() });
    expect([application.status, typedIn(application, "budget")]).toEqual([400, "small"]);
    await nothingIn(quiet());
    const again = [...page.text.matchAll(/<input type="hidden" name="([^"]*)"/g)].map(([, name = ""]) => name);
    const kept = Object.fromEntries(again.map((name) => [name, typedIn(page, name.replace("[]", "\\[\\]"))!]));
    const sent = fields({ ...inquiry, selectedPackageIds: "de-AT", ...kept, message: typedIn(page, "message")! });
    expect((await postForm(service(), "marketplace.inquiry", sent)).status).toBe(303);
    const more = { ...own, "needs[]": "one\ntwo", message: "Dear team,\nhello." };
    expect((await service().stored()).inquiries.at(-1)).toMatchObject({ email: buyer.email, more });
  });

  const letter = "Dear all,\r\n\r\n<b>Bold</b> & “quoted”.";
  const typed = { ...applicant, phone: "+44 20 7946 0018", availability: "May", accent: "Lisbon", coverLetter: letter };
  const keepsAll = (page: Awaited<ReturnType<typeof visit>>) => {
    for (const [name, value] of Object.entries(typed)) expect(typedIn(page, name), name).toBe(value);
  };

  // In the order of the form: the letter comes after the file.
  const withResume = (resumeFile: File, more = {}) => {
    const { coverLetter, ...others } = { ...typed, ...more };
    return { ...others, resumeFile, coverLetter };
  };

  const tooLarge = "The resume is larger than 5 MiB.";
  test.each([
    ["is none", 415, new File(["GIF89a"], "resume.pdf"), "Only PDF, DOC or DOCX files are accepted."],
    ["is empty", 400, new File([], "resume.pdf"), "The file is empty."],
    ["is one byte too large", 413, pdf("resume.pdf", 5 * 1024 * 1024 + 200), tooLarge],
    ["is far too large", 413, new File([new Uint8Array(9 * 1024 * 1024)], "resume.pdf"), tooLarge],
  ])("with the letter behind a resume that %s", async (_what, expected, resumeFile, problem) => {
    const files = await quiet().files(".");
    const page = await apply(quiet(), withResume(resumeFile));
    expect([page.status, problemAt(page, "resumeFile")]).toEqual([expected, `${problem} Please choose another file.`]);
    keepsAll(page);
    expect(page.text).not.toContain("resume.pdf");
    expect(await quiet().files(".")).toEqual(files);
    await nothingIn(quiet());
  });

  test("a resume that is too large is told together with what is wrong in the fields", async () => {
    const resumeFile = pdf("resume.pdf", 5 * 1024 * 1024 + 200);
    const wrongEmail = { email: "no address" };
    const page = await apply(quiet(), withResume(resumeFile, wrongEmail));
    expect(page.status).toBe(400);
    expect(problemAt(page, "email")).toContain("Enter one e-mail address");
    expect(problemAt(page, "resumeFile")).toContain("larger than 5 MiB");
    await nothingIn(quiet());
  });

  test("and a resume that was accepted has to be chosen again", async () => {
    const page = await apply(quiet(), { ...typed, email: "nobody", resumeFile: pdf() });
    expect([page.status, typedIn(page, "email")]).toEqual([400, "nobody"]);
    expect(problemAt(page, "resumeFile")).toBe("Please choose the file again. A page cannot keep it.");
    await nothingIn(quiet());
  });

  test.each([
    ["cannot be decoded", 400, "email=%zz", undefined],
    ["is escaped, but not UTF-8", 400, "email=ann%40example.org&source=%E9", undefined],
    ["is not UTF-8", 400, Uint8Array.from(Buffer.from("email=ann%40example.org&source=\u00E9", "latin1")), undefined],
    ["is larger than any form", 413, `email=${"a".repeat(300_000)}`, undefined],
    ["is in another charset", 415, "email=a", "application/x-www-form-urlencoded; charset=latin1"],
    ["is of another type", 415, "email=a", "text/plain"],
    ["is empty", 400, "", undefined],
  ])("or as a page that says why, when the form %s", async (_what, expected, body, type) => {
    const headers = { "content-type": type ?? "application/x-www-form-urlencoded" };
    const page = await postForm(quiet(), "newsletter.subscribe", body, headers);
    expect([page.status, page.headers.get("content-type")]).toEqual([expected, "text/html; charset=utf-8"]);
    expect(page.text).toContain("<h1>You are not subscribed yet</h1>");
    await nothingIn(quiet());
  });
});

test("a name of the catalogue is refused in its place, and what the catalogue has is ticked still", async () => {
  const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
  await using strict = await startService({ env: { PACKAGE_CATALOGUE: catalogue } });
  const sent = fields({ ...inquiry, selectedPackageIds: ["de-AT", "<script>alert(1)</script>"] });
  const page = await postForm(strict, "marketplace.inquiry", sent);
  expect([page.status, tickedOn(page)]).toEqual([400, ["de-AT"]]);
  expect(problemAt(page, "selectedPackageIds")).toBe("“<script>alert(1)</script>” is not a package we offer.");
  expect(page.text).not.toContain("<script>");
  expect((await strict.stored()).inquiries).toEqual([]);
});

test("where a proof of work is asked for, people without script are told so in their words", async () => {
  await using proving = await startService({ env: { ALTCHA_HMAC_KEY: "a".repeat(32) } });
  expect((await visit(proving, "/")).text.match(/<noscript>/g)).toHaveLength(formNames.length);
  expect((await visit(service(), "/")).text).not.toContain("<noscript>");
  const page = await postForm(proving, "newsletter.subscribe", fields({ email: "reader@example.org" }));
  expect([page.status, typedIn(page, "email")]).toEqual([400, "reader@example.org"]);
  expect(summaryOf(page)).toContain("We could not verify that you are human.");
  expect(/<noscript>.*?<\/noscript>/s.exec(page.text)?.[0]).toContain("This form needs JavaScript");
  const german = await postForm(proving, "newsletter.subscribe", fields({ email: "reader@example.org", lang: "de" }));
  expect(/<noscript>.*?<\/noscript>/s.exec(german.text)?.[0]).toContain("Dieses Formular braucht JavaScript");
  expect(/<header>.*?<\/header>/s.exec(german.text)?.[0]).toContain(">Pakete<");
  expect(page.text).not.toContain("/altcha/challenge");
  expect((await proving.stored()).subscribers).toEqual([]);
});

test("while the storage is unusable the form comes back with all that was typed, and with 503", async () => {
  await using broken = await startService();
  // A file in the place of the year's folder.
  await writeFile(join(broken.dataFolder, "resumes", String(new Date().getUTCFullYear())), "");
  const page = await apply(broken, { ...applicant, resumeFile: pdf() });
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(typedIn(page, "fullName")).toBe(applicant.fullName);
  expect(summaryOf(page)).toContain("We cannot take submissions right now.");
  expect((await broken.stored()).applications).toEqual([]);
  expect(await broken.mails()).toEqual([]);
});

test.each<[Procedure, string]>([
  ["marketplace.inquiry", "Your inquiry has not been sent yet"],
  ["newsletter.subscribe", "You are not subscribed yet"],
  ["applications.submit", "Your application has not been sent yet"],
])("%s under overload is a page, with 503 and a time", async (procedure, heading) => {
  await using busy = await startService({ limits: { requestsMax: 0, uploadsMax: 0 } });
  const page = await postForm(busy, procedure, fields({ email: "reader@example.org" }));
  expect([page.status, page.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(page.text).toContain(`<h1>${heading}</h1>`);
});
