import { expect, test } from "vitest";
import type { StoredApplication, StoredInquiry, StoredSubscriber } from "../storage/records.ts";
import { exportLines, type ExportFormat, type ExportSubject } from "./export.ts";

const receivedAt = Date.UTC(2026, 10, 21, 8, 30, 0, 5);
const origin = { door: "rest", requestId: "r-1" } as const;

const inquiry: StoredInquiry = {
  reference: "INQ-20261121-042137",
  status: "new",
  receivedAt,
  origin,
  name: "Ann Buyer",
  company: null,
  email: "ann@example.org",
  selectedPackageIds: ["de-AT", "en|GB"],
  emailDisposable: false,
};

const application: StoredApplication = {
  reference: "APP-20261121-907715",
  status: "spam",
  receivedAt,
  origin,
  fullName: "Ana Souza",
  email: "ana@example.org",
  position: "Annotator",
  phone: "+351 912 345 678",
  company: null,
  availability: null,
  accent: null,
  portfolioUrl: null,
  resumeUrl: null,
  coverLetter: 'Dear "team",\nhello',
  resume: { key: "secret-key", filename: "=cv.pdf", kind: "pdf", size: 12, sha256: "ab" },
  emailDisposable: true,
};

const subscriber: StoredSubscriber = {
  email: "reader@example.org",
  status: "active",
  source: "footer",
  lastSource: "blog",
  subscribedAt: receivedAt,
  confirmedAt: receivedAt + 1000,
  unsubscribedAt: null,
  emailDisposable: true,
};

async function exported(subject: ExportSubject, format: ExportFormat, rows = true): Promise<string> {
  const give = <T>(row: T) =>
    async function* () {
      if (rows) yield row;
    };
  const sources = {
    exportInquiries: give(inquiry),
    exportApplications: give(application),
    exportSubscribers: give(subscriber),
  };
  return (await Array.fromAsync(exportLines(sources, subject, format, 0))).join("");
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
  });
  expect(JSON.parse(await exported("applications", "ndjson"))).toEqual({
    applicationId: "APP-20261121-907715",
    status: "spam",
    receivedAt: "2026-11-21T08:30:00.005Z",
    fullName: "Ana Souza",
    email: "ana@example.org",
    position: "Annotator",
    phone: "+351 912 345 678",
    company: null,
    availability: null,
    accent: null,
    portfolioUrl: null,
    resumeUrl: null,
    coverLetter: 'Dear "team",\nhello',
    resume: { filename: "=cv.pdf", kind: "pdf", size: 12, sha256: "ab" },
    emailDisposable: true,
  });
  expect(JSON.parse(await exported("subscribers", "ndjson"))).toEqual({
    email: "reader@example.org",
    status: "active",
    source: "footer",
    lastSource: "blog",
    subscribedAt: "2026-11-21T08:30:00.005Z",
    confirmedAt: "2026-11-21T08:30:01.005Z",
    unsubscribedAt: null,
    emailDisposable: true,
  });
});

test("CSV has stable columns", async () => {
  expect(await exported("inquiries", "csv")).toBe(
    '\uFEFF"inquiryId","status","receivedAt","name","company","email","selectedPackageIds","emailDisposable"\r\n' +
      '"INQ-20261121-042137","new","2026-11-21T08:30:00.005Z","Ann Buyer",,"ann@example.org","de-AT|en\\|GB","false"\r\n',
  );
  expect(await exported("applications", "csv")).toBe(
    '\uFEFF"applicationId","status","receivedAt","fullName","email","position","phone","company","availability",' +
      '"accent","portfolioUrl","resumeUrl","coverLetter","resumeFilename","resumeKind","resumeSize","resumeSha256",' +
      '"emailDisposable"\r\n' +
      '"APP-20261121-907715","spam","2026-11-21T08:30:00.005Z","Ana Souza","ana@example.org","Annotator",' +
      `"'+351 912 345 678",,,,,,"Dear ""team"",\nhello","'=cv.pdf","pdf","12","ab","true"\r\n`,
  );
  expect(await exported("subscribers", "csv")).toBe(
    '\uFEFF"email","status","source","lastSource","subscribedAt","confirmedAt","unsubscribedAt","emailDisposable"\r\n' +
      '"reader@example.org","active","footer","blog","2026-11-21T08:30:00.005Z","2026-11-21T08:30:01.005Z",,"true"\r\n',
  );
});

test("an empty export is a header in CSV and nothing in NDJSON", async () => {
  expect((await exported("subscribers", "csv", false)).split("\r\n")).toHaveLength(2);
  expect(await exported("subscribers", "ndjson", false)).toBe("");
});
