// One meaning, two doors: each case is sent through REST and through typed RPC, and both must answer and store alike.
import { gzipSync } from "node:zlib";
import { namesMax } from "@submissions/shared/limits";
import { afterAll, describe, expect, test } from "vitest";
import { applicant, buyer, doors, form, json, pdf, rest, rpc } from "../../support/doors.ts";
import { shared } from "../../support/shared.ts";
import { startService } from "../../support/service.ts";

const service = shared(() => startService());

const text = (body: string | Uint8Array<ArrayBuffer>, type: string, headers = {}): RequestInit => ({
  headers: { "content-type": type, ...headers },
  body,
});

const statuses = {
  BAD_REQUEST: 400,
  PARSE_ERROR: 400,
  FORBIDDEN: 403,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
} as const;

/** What is refused, with the paths of its issues; the last part of some is a position. */
type Refusal = readonly [name: string, init: () => RequestInit, code: keyof typeof statuses, paths?: string];

const inquire = (more: object) => () => json({ ...buyer, ...more });
const many = Array.from({ length: 51 }, (_, n) => `p${n}`);
const badItems = "selectedPackageIds.1 selectedPackageIds.2";
const ofInquiries: Refusal[] = [
  ["all missing fields at once", () => json({}), "BAD_REQUEST", "name email selectedPackageIds"],
  ["bad items of a list by their positions", inquire({ selectedPackageIds: ["a", 1, ""] }), "BAD_REQUEST", badItems],
  ["a selection that is too long", inquire({ selectedPackageIds: many }), "BAD_REQUEST", "selectedPackageIds"],
  ["a form where JSON belongs", () => form({ name: "Ann" }), "UNSUPPORTED_MEDIA_TYPE"],
];

const reader = '{"email":"a@b.org"}';
const gzipped = { "content-encoding": "gzip" };
const elsewhere = { "sec-fetch-site": "cross-site", origin: "https://elsewhere.example" };
const ofSubscriptions: Refusal[] = [
  ...(["[]", "null", '"text"', "1", "true"] as const).map((body): Refusal => [
    `JSON that is no object: ${body}`,
    () => text(body, "application/json"),
    "BAD_REQUEST",
  ]),
  ["an address that is no text", () => json({ email: {} }), "BAD_REQUEST", "email"],
  ["truncated JSON", () => text('{"email":', "application/json"), "PARSE_ERROR"],
  ["JSON that is not UTF-8", () => text(new Uint8Array([0x22, 0xff, 0x22]), "application/json"), "PARSE_ERROR"],
  ["an empty body", () => text("", "application/json"), "PARSE_ERROR"],
  ["JSON over 64 KiB", () => json({ email: "a@b.org", source: "x".repeat(65_536) }), "PAYLOAD_TOO_LARGE"],
  ...[
    "text/plain",
    "application/json garbage",
    "application/jsonx",
    "application/json; charset=latin1",
    "application/json; charset=utf-8; charset=latin1",
    'application/json; note=";charset=utf-8"; charset=latin1',
  ].map((type): Refusal => [`the content type ${type}`, () => text(reader, type), "UNSUPPORTED_MEDIA_TYPE"]),
  ["a compressed body", () => text(gzipSync(reader), "application/json", gzipped), "UNSUPPORTED_MEDIA_TYPE"],
  ["a page of another site", () => json({ email: "a@example.org" }, elsewhere), "FORBIDDEN"],
];

const apply = (more: Parameters<typeof form>[0]) => () => form({ ...applicant, ...more });
const withResume = (bytes: string | Uint8Array<ArrayBuffer>, more = {}) =>
  apply({ ...more, resumeFile: new File([bytes], "resume.pdf") });
const misplaced = { phone: "x y z", coverLetter: pdf(), attachment: pdf() };
const part = '--b\r\nContent-Disposition: form-data; name="fullName"\r\n\r\nAna';
const twoBoundaries = "multipart/form-data; boundary=b; Boundary=a";
const large = "x".repeat(99_000);
const manyFields = Array.from({ length: namesMax }, () => "x");
const ofApplications: Refusal[] = [
  ["more than 256 KiB of JSON", () => json({ ...applicant, note: "x".repeat(262_144) }), "PAYLOAD_TOO_LARGE"],
  ["a form with two boundaries", () => text(`${part}\r\n--b--\r\n`, twoBoundaries), "UNSUPPORTED_MEDIA_TYPE"],
  ["a field sent twice", apply({ email: ["a@b.org", "c@d.org"] }), "BAD_REQUEST", "email"],
  [
    "text where the file belongs, with every other problem",
    apply({ email: "not an address", resumeFile: "text" }),
    "BAD_REQUEST",
    "email resumeFile",
  ],
  ["files where none belong", apply(misplaced), "BAD_REQUEST", "phone coverLetter attachment"],
  ["two resumes", apply({ resumeFile: [pdf(), pdf()] }), "BAD_REQUEST", "resumeFile"],
  ["an empty resume", withResume(""), "BAD_REQUEST", "resumeFile"],
  ["a resume that is no document", withResume("hello"), "UNSUPPORTED_MEDIA_TYPE", "resumeFile"],
  ["such a resume with other problems", withResume("hello", { email: "none" }), "BAD_REQUEST", "email resumeFile"],
  ["a resume of another name", apply({ resumeFile: pdf("resume.docx") }), "UNSUPPORTED_MEDIA_TYPE", "resumeFile"],
  ["a resume of one byte over 5 MiB", withResume(new Uint8Array(5_242_881)), "PAYLOAD_TOO_LARGE", "resumeFile"],
  ["a form over its limit", withResume(new Uint8Array(8_000_000)), "PAYLOAD_TOO_LARGE", "resumeFile"],
  ["a text field over its limit", apply({ coverLetter: "x".repeat(100_001) }), "PAYLOAD_TOO_LARGE", "coverLetter"],
  ["more text than a form may have", apply({ coverLetter: large, one: large, two: large }), "PAYLOAD_TOO_LARGE"],
  ["more fields than a form may have", apply({ extra: manyFields }), "BAD_REQUEST"],
  ["a form of another site", () => ({ ...form(applicant), headers: { origin: "null" } }), "FORBIDDEN"],
  ["a multipart body without its boundary", () => text("--b\r\n\r\n--b--", "multipart/form-data"), "PARSE_ERROR"],
  ["a form without its boundary", () => text("--b\r\n\r\n--b--", "multipart/form-data; boundary="), "PARSE_ERROR"],
  ["a multipart body that ends too early", () => text(part, "multipart/form-data; boundary=b"), "PARSE_ERROR"],
];

describe.each([
  ["marketplace.inquiry", ofInquiries],
  ["newsletter.subscribe", ofSubscriptions],
  ["applications.submit", ofApplications],
] as const)("%s refuses alike on both doors, and keeps nothing:", (procedure, refusals) => {
  const refusing = shared(() => startService());
  afterAll(async () => {
    expect(await refusing().stored()).toEqual({ inquiries: [], applications: [], subscribers: [] });
    expect(await refusing().files("resumes")).toEqual([]);
    expect(await refusing().mails()).toEqual([]);
  });

  test.for<Refusal>(refusals)("%s", async ([name, init, code, paths = ""]) => {
    const answers = [];
    for (const door of doors) answers.push(await door.send(refusing(), procedure, init()));
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: statuses[code], fault: { code } });
      expect((answer.fault?.issues ?? []).map(({ path }) => path.join(".")).join(" ")).toBe(paths);
      expect(answer.fault?.requestId).toBe(answer.headers.get("x-request-id"));
      if (name.endsWith("without its boundary"))
        expect(answer.fault?.message).toBe(
          "The multipart boundary is missing. Do not set Content-Type yourself: the client sets it, with the boundary.",
        );
    }
    // The typed door takes no URL-encoded form, so the accepted types that a 415 names may differ.
    const said = (message = "") => message.replace(/ Send \S+\/.*/, "");
    const [ofRest, ofRpc] = answers.map(({ fault }) => ({ ...fault, message: said(fault?.message), requestId: "" }));
    expect(ofRpc).toEqual(ofRest);
  });
});

describe.each(doors)("accepts on $name", (door) => {
  test("an inquiry, cleaned", async () => {
    const email = `ann@${door.name}.example`;
    const sent = { email, name: "  Zoe\u0301 ", company: " ", selectedPackageIds: ["b", "a", "b"], unknown: 1 };
    const { status, receipt } = await door.send(service(), "marketplace.inquiry", json(sent));
    expect(status).toBe(200);
    expect(receipt).toEqual({
      message: expect.any(String),
      inquiryId: expect.stringMatching(/^INQ-\d{8}-\d{6}$/),
      confirmationEmailSent: true,
    });
    const { inquiries } = await service().stored();
    expect(inquiries.at(-1)).toMatchObject({
      reference: receipt?.["inquiryId"],
      name: "Zoé",
      company: null,
      email,
      selectedPackageIds: ["b", "a"],
      door: door.name,
    });
    const about = async () =>
      (await service().mails()).filter(({ subject }) => subject?.includes(String(receipt?.["inquiryId"])));
    await expect.poll(async () => (await about()).length).toBe(2);
    const to = (await about()).map((mail) => mail.to?.[0]?.address);
    expect(new Set(to)).toEqual(new Set([email, "sales@marketplace.example"]));
  });

  test("a subscription, and the same one again without a second mail", async () => {
    const email = `Reader@${door.name}.example`;
    const subscribe = (address: string, source: string) =>
      door.send(service(), "newsletter.subscribe", json({ email: address, source }));
    const first = await subscribe(email, "Footer!");
    const again = await subscribe(email.toLowerCase(), "blog");
    expect(again.receipt).toEqual(first.receipt);
    expect(Object.keys(first.receipt ?? {})).toEqual(["message"]);
    const stored = { email, status: "pending", source: "footer", lastSource: "blog" };
    expect((await service().stored()).subscribers.at(-1)).toMatchObject(stored);
    const welcomes = async () => (await service().mails()).filter((mail) => mail.to?.[0]?.address === email).length;
    await expect.poll(welcomes).toBe(1);
  });

  test("an application with a resume of exactly 5 MiB", async () => {
    const resume = pdf("Lebenslauf – Ana.pdf", 5_242_880);
    const bytes = Buffer.from(await resume.arrayBuffer());
    const padded = [bytes.subarray(0, 9), Buffer.alloc(5_242_880 - bytes.length, " "), bytes.subarray(9)];
    const sent = form({ ...applicant, resumeFile: new File(padded, resume.name) });
    const before = (await service().files("resumes")).length;
    const { status, receipt } = await door.send(service(), "applications.submit", sent);
    expect(status).toBe(200);
    expect(receipt).toEqual({
      message: expect.any(String),
      applicationId: expect.stringMatching(/^APP-\d{8}-\d{6}$/),
      confirmationEmailSent: expect.any(Boolean),
    });
    const application = (await service().stored()).applications.at(-1);
    expect(application?.resume).toMatchObject({ filename: "Lebenslauf – Ana.pdf", kind: "pdf", size: 5_242_880 });
    expect(await service().files("resumes")).toHaveLength(before + 1);
  });

  test("a cover letter of 20,000 letters that are written as escapes", async () => {
    const coverLetter = "я".repeat(20_000);
    const body = JSON.stringify({ ...applicant, coverLetter }).replaceAll("я", String.raw`\u044f`);
    expect((await door.send(service(), "applications.submit", text(body, "application/json"))).status).toBe(200);
    expect((await service().stored()).applications.at(-1)).toMatchObject({ coverLetter });
  });

  test("a source of any kind, which is unknown where it is no text", async () => {
    const sources = [5, false, [], ["footer"], { footer: 1 }, "x".repeat(60_000), "Footer!"];
    for (const [index, source] of sources.entries()) {
      const sent = json({ email: `any${index}@${door.name}.example`, source });
      expect((await door.send(service(), "newsletter.subscribe", sent)).status).toBe(200);
    }
    const { subscribers } = await service().stored();
    const kept = subscribers.filter(({ email }) => email.startsWith("any") && email.endsWith(`@${door.name}.example`));
    expect(kept.map(({ source }) => source)).toEqual([...Array(6).fill("unknown"), "footer"]);
  });

  test("what is pasted and typed with any keyboard, as it was meant", async () => {
    const pasted = {
      fullName: "Ana\tSouza",
      email: `ａｎａ\u00AD＠${door.name}．\u200Bｅｘａｍｐｌｅ`,
      coverLetter: "Dear team,\u000BI apply.\u000CPage two\r\nEnd",
      message: "one\u000Btwo\u000C\tthree",
    };
    for (const init of [json({ ...applicant, ...pasted }), form({ ...applicant, ...pasted })]) {
      expect((await door.send(service(), "applications.submit", init)).status).toBe(200);
      expect((await service().stored()).applications.at(-1)).toMatchObject({
        name: "Ana Souza",
        email: `ana@${door.name}.example`,
        coverLetter: "Dear team,\nI apply.\nPage two\nEnd",
        more: { message: "one\ntwo\n\tthree" },
      });
    }
  });

  test("a resume whose name ends in a degree", async () => {
    const sent = form({ ...applicant, resumeFile: pdf("CV John Smith Ph.D") });
    expect((await door.send(service(), "applications.submit", sent)).status).toBe(200);
    expect((await service().stored()).applications.at(-1)).toMatchObject({
      resume: { filename: "CV John Smith Ph.D" },
    });
  });

  test("null as an absent field", async () => {
    expect((await door.send(service(), "marketplace.inquiry", json({ ...buyer, company: null }))).status).toBe(200);
    const subscription = { email: `null@${door.name}.example`, source: null };
    expect((await door.send(service(), "newsletter.subscribe", json(subscription))).status).toBe(200);
    const application = { ...applicant, phone: null, portfolioUrl: null, coverLetter: null, resumeFile: null };
    expect((await door.send(service(), "applications.submit", json(application))).status).toBe(200);
    const { fault } = await door.send(service(), "marketplace.inquiry", json({ ...buyer, name: null }));
    expect(fault?.issues).toEqual([{ path: ["name"], message: "This field is required." }]);
  });

  test.each(["null", "undefined", "", " "])("the text “%s” in place of the resume as no resume", async (resumeFile) => {
    const sent = [json({ ...applicant, resumeFile }), form({ ...applicant, resumeFile })];
    for (const init of sent) expect((await door.send(service(), "applications.submit", init)).status).toBe(200);
    const { applications } = await service().stored();
    expect(applications.slice(-2).map(({ resume }) => resume)).toEqual([null, null]);
  });

  test("an application as JSON, and as a form with no file chosen", async () => {
    const before = (await service().files("resumes")).length;
    expect((await door.send(service(), "applications.submit", json(applicant))).status).toBe(200);
    const noFile = form({ ...applicant, phone: "", resumeFile: new File([], "") });
    expect((await door.send(service(), "applications.submit", noFile)).status).toBe(200);
    const { applications } = await service().stored();
    expect(applications.slice(-2).flatMap(({ phone, resume }) => [phone, resume])).toEqual(Array(4).fill(null));
    expect(await service().files("resumes")).toHaveLength(before);
  });
});

test("a text in the file's place is refused with what to do about it", async () => {
  const message = "A file belongs here, not a text. In a form, its part needs a file name (filename=).";
  const sent = { ...applicant, resumeFile: "JVBERi0=" };
  // A file whose part lacks a file name: its bytes are no UTF-8, or more than a text may have.
  const nameless = [Buffer.from("%PDF-1.7\n%\u00E2\u00E3", "latin1"), Buffer.alloc(300_000, " ")].map((bytes) => {
    const parts = Object.entries({ ...applicant, resumeFile: "@" }).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const body = Buffer.concat([Buffer.from(parts.join("").slice(0, -3)), bytes, Buffer.from("\r\n--b--\r\n")]);
    return text(body, "multipart/form-data; boundary=b");
  });
  for (const door of doors) {
    for (const init of [json(sent), form(sent), ...nameless]) {
      const { status, fault } = await door.send(service(), "applications.submit", init);
      expect([status, fault?.issues]).toEqual([400, [{ path: ["resumeFile"], message }]]);
    }
  }
});

test("a URL-encoded application is taken on REST and refused on the typed door", async () => {
  const init = () => ({ body: new URLSearchParams({ ...applicant, coverLetter: "a\r\nb" }) });
  expect((await rest.send(service(), "applications.submit", init())).status).toBe(200);
  for (const resumeFile of ["null", "undefined", ""]) {
    const body = new URLSearchParams({ ...applicant, coverLetter: "a\r\nb", resumeFile });
    expect((await rest.send(service(), "applications.submit", { body })).status).toBe(200);
  }
  expect((await rpc.send(service(), "applications.submit", init())).status).toBe(415);
  expect((await service().stored()).applications.at(-1)).toMatchObject({ coverLetter: "a\nb" });
});

test("a package that the catalogue lacks is refused by its name on both doors", async () => {
  const catalogue = new URL("../../fixtures/catalogue.json", import.meta.url).pathname;
  await using own = await startService({ env: { PACKAGE_CATALOGUE: catalogue } });
  for (const door of doors) {
    const sent = { ...buyer, selectedPackageIds: ["en-GB-scottish", "nope"] };
    const { status, fault } = await door.send(own, "marketplace.inquiry", json(sent));
    const unknown = { path: ["selectedPackageIds", 1], message: "“nope” is not a package we offer." };
    expect([status, fault?.issues]).toEqual([400, [unknown]]);
    // At its place in the list as it was sent.
    const repeated = { ...buyer, selectedPackageIds: ["en-GB-scottish", "en-GB-scottish", " nope"] };
    const behind = await door.send(own, "marketplace.inquiry", json(repeated));
    expect(behind.fault?.issues).toEqual([{ ...unknown, path: ["selectedPackageIds", 2] }]);
    // With the problems that the schema sees, and an identifier that is none only once.
    const wrong = { email: "nobody", selectedPackageIds: ["en-GB-scottish", " nope ", ""] };
    const refused = await door.send(own, "marketplace.inquiry", json({ ...buyer, ...wrong }));
    const paths = refused.fault?.issues?.map(({ path }) => path.join("."));
    expect(paths).toEqual(["email", "selectedPackageIds.2", "selectedPackageIds.1"]);
    expect(refused.fault?.issues?.at(-1)).toEqual(unknown);
  }
  expect((await own.stored()).inquiries).toEqual([]);
  expect((await rest.send(own, "marketplace.inquiry", json(buyer))).status).toBe(200);
});

test.each([
  ["marketplace.inquiry", "application/json"],
  ["newsletter.subscribe", "application/json"],
  ["applications.submit", "multipart/form-data or application/json or application/x-www-form-urlencoded"],
] as const)("a content type that %s does not take is refused with those that it takes", async (procedure, accepted) => {
  // Bytes have no content type of their own: the second request names none.
  for (const headers of [{ "content-type": "text/plain" }, {}] as Record<string, string>[]) {
    const init = { headers, body: Buffer.from("{}") };
    const answer = await rest.send(service(), procedure, init);
    expect(answer.fault?.message).toBe(`This content type is not accepted here. Send ${accepted}.`);
    expect(answer.headers.get("accept")).toBe(accepted.replaceAll(" or ", ", "));
    const typed = await rpc.send(service(), procedure, init);
    expect(typed.status).toBe(415);
    expect(typed.fault?.message).toMatch(/ Send .*application\/json/);
  }
});
