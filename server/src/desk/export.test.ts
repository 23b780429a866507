import { expect, test } from "vitest";
import { namedFields, valuesOf } from "../field-values.ts";
import type { StoredSubmission, StoredSubscriber } from "../storage/records.ts";
import type { ReadFrom, ReadRows, Store } from "../storage/store.ts";
import { allRows, exportRecords, type ExportFormat, type ExportSubject } from "./export.ts";

const receivedAt = Date.UTC(2026, 10, 21, 8, 30, 0, 5);
const filed = {
  arrival: 7,
  disposable: false,
  stage: null,
  declineReason: null,
  decidedAt: null,
  assignee: "eva@example.org",
  tags: ["hot", "lead|A"],
  version: 1,
  firstReplyAt: receivedAt,
  lastReplyAt: null,
  lastAnswerAt: null,
  waitedFor: "us",
  snoozedUntil: null,
  door: "rest",
  requestId: "r-1",
  language: "en",
  receivedAt,
} as const;

const inquiry: StoredSubmission<"inquiry"> = {
  ...filed,
  kind: "inquiry",
  reference: "INQ-20261121-042137",
  status: "new",
  ...valuesOf("inquiry", { name: "Ann Buyer", email: "ann@example.org", selectedPackageIds: ["de-AT", "en|GB"] }),
  resume: null,
  consent: { text: "2026-11", page: "https://example.org/contact", at: receivedAt },
  more: null,
};

const application: StoredSubmission<"application"> = {
  ...filed,
  stage: "declined",
  declineReason: "=far",
  decidedAt: receivedAt,
  language: "de",
  kind: "application",
  reference: "APP-20261121-907715",
  status: "spam",
  ...valuesOf("application", {
    fullName: "Ana Souza",
    email: "ana@throwaway.example",
    position: "Annotator",
    phone: "+351 912 345 678",
    coverLetter: 'Dear "team",\nhello',
  }),
  consent: { text: "=3", page: null, at: receivedAt },
  more: { budget: "=5", message: "one\ntwo" },
  resume: { key: "secret-key", filename: "=cv.pdf", kind: "pdf", size: 12, sha256: "ab" },
};

const subscriber: StoredSubscriber = {
  arrival: 9,
  email: "reader@throwaway.example",
  status: "active",
  source: "footer",
  lastSource: "blog",
  subscribedAt: receivedAt,
  confirmedAt: receivedAt + 1000,
  unsubscribedAt: null,
  language: "de",
  consent: null,
};

async function exported(subject: ExportSubject, format: ExportFormat, hasRows = true): Promise<string> {
  const from = { after: 5, since: receivedAt };
  const rows: Partial<Record<keyof ReadRows, object>> = { inquiry, application, subscriber };
  async function* readAll(kind: keyof ReadRows, asked: ReadFrom) {
    expect(asked).toEqual(from);
    if (kind === "audit") expect.unreachable();
    else if (hasRows) yield [rows[kind]];
  }
  const isDisposable = (email: string) => email.endsWith("@throwaway.example");
  const pages = allRows({ readAll } as Pick<Store, "readAll">, subject, from);
  const pieces = await Array.fromAsync(exportRecords(pages, { subject, format, isDisposable }));
  return pieces.map(({ text }) => text).join("");
}

test("NDJSON holds the fields of the request under their own names, absent ones as null", async () => {
  expect(JSON.parse(await exported("inquiries", "ndjson"))).toEqual({
    inquiryId: "INQ-20261121-042137",
    status: "new",
    receivedAt: "2026-11-21T08:30:00.005Z",
    name: "Ann Buyer",
    company: null,
    email: "ann@example.org",
    selectedPackageIds: ["de-AT", "en|GB"],
    emailDisposable: false,
    arrival: 7,
    consentText: "2026-11",
    consentPage: "https://example.org/contact",
    consentAt: "2026-11-21T08:30:00.005Z",
    language: "en",
    more: null,
    tags: ["hot", "lead|A"],
    assignee: "eva@example.org",
    firstReplyAt: "2026-11-21T08:30:00.005Z",
  });
  expect(JSON.parse(await exported("applications", "ndjson"))).toEqual({
    applicationId: "APP-20261121-907715",
    status: "spam",
    receivedAt: "2026-11-21T08:30:00.005Z",
    fullName: "Ana Souza",
    email: "ana@throwaway.example",
    position: "Annotator",
    phone: "+351 912 345 678",
    company: null,
    availability: null,
    accent: null,
    portfolioUrl: null,
    resumeUrl: null,
    coverLetter: 'Dear "team",\nhello',
    opening: null,
    resume: { filename: "=cv.pdf", kind: "pdf", size: 12, sha256: "ab" },
    emailDisposable: true,
    arrival: 7,
    consentText: "=3",
    consentPage: null,
    consentAt: "2026-11-21T08:30:00.005Z",
    language: "de",
    more: { budget: "=5", message: "one\ntwo" },
    tags: ["hot", "lead|A"],
    stage: "declined",
    declineReason: "=far",
    decidedAt: "2026-11-21T08:30:00.005Z",
    assignee: "eva@example.org",
    firstReplyAt: "2026-11-21T08:30:00.005Z",
  });
  expect(JSON.parse(await exported("subscribers", "ndjson"))).toEqual({
    email: "reader@throwaway.example",
    status: "active",
    source: "footer",
    lastSource: "blog",
    subscribedAt: "2026-11-21T08:30:00.005Z",
    confirmedAt: "2026-11-21T08:30:01.005Z",
    unsubscribedAt: null,
    emailDisposable: true,
    arrival: 9,
    consentText: null,
    consentPage: null,
    consentAt: null,
    language: "de",
  });
});

test("CSV has stable columns", async () => {
  expect(await exported("inquiries", "csv")).toBe(
    '\uFEFF"inquiryId","status","receivedAt","name","company","email","selectedPackageIds","emailDisposable","arrival","consentText","consentPage","consentAt","language","more","tags","assignee","firstReplyAt"\r\n' +
      '"INQ-20261121-042137","new","2026-11-21T08:30:00.005Z","Ann Buyer",,"ann@example.org","de-AT|en\\|GB",' +
      `"false","7","'2026-11","https://example.org/contact","2026-11-21T08:30:00.005Z","en",,"hot|lead\\|A","eva@example.org","2026-11-21T08:30:00.005Z"\r\n`,
  );
  expect(await exported("applications", "csv")).toBe(
    '\uFEFF"applicationId","status","receivedAt","fullName","email","position","phone","company","availability",' +
      '"accent","portfolioUrl","resumeUrl","coverLetter","resumeFilename","resumeKind","resumeSize","resumeSha256",' +
      '"emailDisposable","arrival","consentText","consentPage","consentAt","language","more","tags","stage","declineReason","decidedAt","opening","assignee","firstReplyAt"\r\n' +
      '"APP-20261121-907715","spam","2026-11-21T08:30:00.005Z","Ana Souza","ana@throwaway.example","Annotator",' +
      `"'+351 912 345 678",,,,,,"Dear ""team"",\nhello","'=cv.pdf","pdf","12","ab","true","7","'=3",,"2026-11-21T08:30:00.005Z","de","{""budget"":""=5"",""message"":""one\\ntwo""}","hot|lead\\|A","declined","'=far","2026-11-21T08:30:00.005Z",,"eva@example.org","2026-11-21T08:30:00.005Z"\r\n`,
  );
  expect(await exported("subscribers", "csv")).toBe(
    '\uFEFF"email","status","source","lastSource","subscribedAt","confirmedAt","unsubscribedAt","emailDisposable","arrival","consentText","consentPage","consentAt","language"\r\n' +
      '"reader@throwaway.example","active","footer","blog","2026-11-21T08:30:00.005Z","2026-11-21T08:30:01.005Z",,"true","9",,,,"de"\r\n',
  );
});

test("an empty export is a header in CSV and nothing in NDJSON", async () => {
  expect((await exported("subscribers", "csv", false)).split("\r\n")).toHaveLength(2);
  expect(await exported("subscribers", "ndjson", false)).toBe("");
});

const exportOf = (pages: AsyncIterable<readonly StoredSubmission<"application">[]>) =>
  exportRecords(pages, { subject: "applications", format: "csv", isDisposable: () => false });

test("a page of long letters is several pieces, with each record once", async () => {
  const long = { ...application, coverLetter: "x".repeat(20_000) };
  const rows = Array.from({ length: 30 }, (_, arrival) => ({ ...long, arrival }));
  async function* pages() {
    yield rows.slice(0, 20);
    yield rows.slice(20);
  }
  const pieces = await Array.fromAsync(exportOf(pages()));
  expect(pieces.map(({ records }) => records)).toEqual([4, 4, 4, 4, 4, 4, 4, 2]);
  const written = pieces.map(({ text }) => text).join("");
  expect(written.match(/(?<=,"false",")\d+(?=",)/g)).toEqual(rows.map(({ arrival }) => `${arrival}`));
});

test("an export that cannot read its first page has written nothing, not even a header", async () => {
  const failure = new Error("away");
  const pages = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) };
  await expect(exportOf(pages).next()).rejects.toBe(failure);
});

test("every field of the tables has a column", async () => {
  for (const [subject, kind] of Object.entries({ inquiries: "inquiry", applications: "application" } as const)) {
    const head = (await exported(subject as ExportSubject, "csv", false)).replace("\uFEFF", "").trim();
    const columns = head.split(",").map((cell) => JSON.parse(cell) as string);
    expect(columns).toEqual(expect.arrayContaining(namedFields[kind].map(({ name }) => name)));
  }
});
