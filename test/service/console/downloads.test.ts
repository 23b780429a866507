// Resumes, exports and the person's file: what is sent, what is recorded, what is refused.
import { expect, test } from "vitest";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { applicant, json, rpc } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import {
  auditOf,
  inquireAll,
  operator,
  Operator,
  recordsIn,
  resumeBytes,
  scriptOf,
  submitAll,
} from "../../support/console/operator.ts";

const read = async (one: Operator, path: string) => {
  const response = await one.fetch(path);
  return { response, text: await response.text() };
};

test("a resume is sent to be saved, never shown by what it claims to be, to pages of the console only, and each view is recorded", async () => {
  await using service = await startService();
  const { application } = await submitAll(service);
  const rita = await operator(service, "rita@example.org", "recruiting");
  const { response, text } = await read(rita, `/console/resumes/${application}`);
  expect(text).toBe(resumeBytes);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-length": String(resumeBytes.length),
    "content-disposition": `attachment; filename="Ann Buyer CV.pdf"; filename*=UTF-8''Ann%20Buyer%20CV.pdf`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  const view = await read(rita, `/console/resumes/${application}?view=1`);
  expect([view.text, view.response.headers.get("content-disposition")]).toEqual([resumeBytes, null]);
  const entries = (await auditOf(service)).filter(({ subject }) => subject === application);
  const told = entries.map(({ operator: name, action }) => `${name} ${action}`);
  expect(told).toEqual(["rita@example.org resume.download", "rita@example.org resume.view"]);
  expect((await read(rita, "/console/resumes/APP-20200101-000000")).response.status).toBe(404);

  // Links on pages of other sites download nothing, and a HEAD is no download.
  for (const site of ["cross-site", "same-site"]) {
    rita.headers = { "sec-fetch-site": site };
    expect((await read(rita, `/console/resumes/${application}`)).response.status).toBe(403);
  }
  rita.headers = { "sec-fetch-site": "none" };
  expect((await rita.fetch(`/console/resumes/${application}`, { method: "HEAD" })).status).toBe(405);
  expect((await read(rita, `/console/resumes/${application}`)).response.status).toBe(200);
  expect((await auditOf(service)).filter(({ subject }) => subject === application)).toHaveLength(3);
});

test("a resume that no scanner has judged yet is withheld", async () => {
  await using clamd = await ClamdStandIn.open();
  clamd.excuses.push("say nothing");
  await using service = await startService({ env: { CLAMD_ADDRESS: clamd.address } });
  const { application } = await submitAll(service);
  const rita = await operator(service, "rita@example.org", "recruiting");
  const unjudged = await read(rita, `/console/resumes/${application}`);
  const message = expect.stringContaining("not judged this resume yet") as string;
  expect(unjudged.response.status).toBe(409);
  expect(JSON.parse(unjudged.text)).toMatchObject({ code: "CONFLICT", message });
  const { data } = await rita.call("submission.get", { reference: application });
  expect((data as { resume: object }).resume).toMatchObject({ download: "unscanned", size: resumeBytes.length });
  expect((await auditOf(service)).filter(({ subject }) => subject === application)).toEqual([]);
});

test("telephone numbers and what looks like dates stay texts in a CSV, times of ours and numbers are not touched", async () => {
  await using service = await startService();
  const typed = { phone: "01632960001", availability: "1/2", company: "1e5", accent: "A1" };
  const sent = await rpc.send(service, "applications.submit", json({ ...applicant, ...typed }));
  expect(sent.status).toBe(200);
  const rita = await operator(service, "rita@example.org", "recruiting");
  const { text } = await read(rita, "/console/exports/applications.csv");
  expect(text).toContain(`"Accent annotator","'01632960001","'1e5","'1/2","A1",`);
  const [stored] = (await service.stored()).applications;
  expect(text).toContain(`"new","${new Date(stored!.receivedAt).toISOString()}",`);
  expect(text).toContain(`"${stored!.arrival}"`);
});

test("exports have the rows of the command line, go on behind a number, and are recorded", async () => {
  await using service = await startService();
  await submitAll(service, "one@example.org");
  await submitAll(service, "two@example.org");
  const admin = await operator(service, "admin@example.org", "admin");
  const inquiries = await read(admin, "/console/exports/inquiries.ndjson");
  const rows = recordsIn<{ email: string; arrival: number }>(inquiries.text);
  expect(rows.map(({ email }) => email)).toEqual(["one@example.org", "two@example.org"]);
  expect(inquiries.response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");

  const rest = await read(admin, `/console/exports/inquiries.csv?after=${rows[0]!.arrival}`);
  expect(rest.response.headers.get("content-disposition")).toMatch(/filename="inquiries-\d{4}-\d\d-\d\d\.csv"/);
  expect(rest.text.startsWith("\uFEFF")).toBe(false);
  expect(rest.text.trim().split("\r\n")).toHaveLength(2);
  const late = await read(admin, "/console/exports/subscribers.csv?since=2100-01-01");
  expect(late.text.trim().split("\r\n")).toHaveLength(1);
  for (const wrong of ["after=x", "since=yesterday", "since=2026-13-01", "after=1&after=2"]) {
    const { status } = (await read(admin, `/console/exports/inquiries.csv?${wrong}`)).response;
    expect([wrong, status]).toEqual([wrong, 400]);
  }
  const entries = (await auditOf(service)).filter(({ action }) => action === "export");
  expect(entries.map(({ subject, detail }) => [subject, detail])).toEqual([
    ["inquiries", { format: "ndjson" }],
    ["inquiries", { format: "csv", after: rows[0]!.arrival }],
    ["subscribers", { format: "csv", since: Date.UTC(2100, 0, 1) }],
  ]);
});

test("an export of what a filter shows has these rows only, and the audit log not what was searched for", async () => {
  await using service = await startService();
  const many = Array.from({ length: 119 }, (_, at) => `many${at + 1}@example.org`);
  const all = [(await submitAll(service, "many0@example.org")).inquiry, ...(await inquireAll(service, many))];
  const anna = await operator(service, "anna@example.org", "sales");
  const done = all.slice(3, 113);
  const targets = done.map((reference) => ({ reference, version: 1 }));
  await anna.call("inbox.triage", { targets, status: "done" });
  const take = async (path: string, filter: unknown, headers = {}) => {
    const body = new URLSearchParams({ filter: JSON.stringify(filter) });
    const response = await anna.fetch(path, { method: "POST", body, headers });
    return { response, text: await response.text() };
  };
  const { text, response } = await take("/console/exports/inquiries.ndjson", { status: "done", order: "newest" });
  expect(response.headers.get("content-disposition")).toMatch(/filename="inquiries-\d{4}-\d\d-\d\d\.ndjson"/);
  const read_ = recordsIn<{ inquiryId: string; arrival: number }>(text);
  // More than a page, in the order of arrival, as every export.
  expect(read_.map(({ inquiryId }) => inquiryId)).toEqual(done);
  const rest = await take(`/console/exports/inquiries.csv?after=${read_[108]!.arrival}`, { status: "done" });
  expect(rest.text.trim().split("\r\n")).toHaveLength(2);
  // The kind and the scope are those of the address, whatever the filter says.
  const ofInquiries = await take("/console/exports/inquiries.csv", { kind: "application", status: "done" });
  expect(ofInquiries.text).toContain('"inquiryId"');
  expect((await take("/console/exports/applications.csv", {})).response.status).toBe(404);
  await take("/console/exports/inquiries.csv", { search: "many7", status: "new" });

  const before = (await auditOf(service)).length;
  expect((await take("/console/exports/inquiries.csv", { status: "lost" })).response.status).toBe(400);
  const body = new URLSearchParams({ filter: "{" });
  const malformed = await anna.fetch("/console/exports/inquiries.csv", { method: "POST", body });
  expect(malformed.status).toBe(400);
  const foreign = await take("/console/exports/inquiries.csv", {}, { "sec-fetch-site": "same-site" });
  expect(foreign.response.status).toBe(403);
  const entries = await auditOf(service);
  expect(entries).toHaveLength(before);
  const detail = { format: "csv", filter: { status: "new", searched: true } };
  expect(entries.at(-1)).toMatchObject({ action: "export", subject: "inquiries", detail });
  expect(JSON.stringify(entries)).not.toContain("many7");
});

test("the audit log is exported oldest first, in both formats", async () => {
  await using service = await startService();
  const admin = await operator(service, "admin@example.org", "admin");
  const { text } = await read(admin, "/console/exports/audit.ndjson");
  const entries = recordsIn<{ id: number; action: string; at: string }>(text);
  expect(entries.map(({ action }) => action)).toEqual(["operator.invite", "operator.accept", "sign-in", "export"]);
  expect(entries[0]!.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  const csv = (await read(admin, `/console/exports/audit.csv?after=${entries[2]!.id}`)).text.trim().split("\r\n");
  expect(csv[0]).toContain('"id","at","operator","action","subject","detail"');
  expect(csv).toHaveLength(3);
});

test("everything of one person, without the vault's key, recorded without the address", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service, "ann@example.org");
  await submitAll(service, "other@example.org");
  const admin = await operator(service, "admin@example.org", "admin");
  await admin.call("submission.addNote", { reference: inquiry, text: "Called.\r\nWill call again." });
  const { text, response } = await read(admin, "/console/people/ann%40example.org.ndjson");
  expect(response.headers.get("content-disposition")).toContain("attachment");
  expect(text).toContain("Called.\\nWill call again.");
  expect(text).not.toContain("other@example.org");
  expect(text).not.toContain('"key"');
  expect((await read(admin, "/console/people/nobody@example.org.ndjson")).response.status).toBe(404);
  const { personId } = (await admin.call("people.get", { person: "Ann@example.org" })).data as { personId: string };
  const byId = await read(admin, `/console/people/${personId}.ndjson`);
  expect(byId.text).toBe(text);
  expect(byId.response.headers.get("content-disposition")).toBe(response.headers.get("content-disposition"));
  expect((await read(admin, `/console/people/${personId.slice(1)}.ndjson`)).response.status).toBe(404);
  const entry = (await auditOf(service)).findLast(({ action }) => action === "export");
  expect(entry).toMatchObject({ subject: "person", operator: "admin@example.org" });
  expect(JSON.stringify(entry)).not.toContain("ann@");
});

test("a filter that comes twice is refused, and nothing is exported", async () => {
  await using service = await startService();
  const anna = await operator(service, "anna@example.org", "sales");
  for (const format of ["csv", "ndjson"]) {
    const body = new URLSearchParams([
      ["filter", '{"status":"new"}'],
      ["filter", "{}"],
    ]);
    const refused = await anna.fetch(`/console/exports/inquiries.${format}`, { method: "POST", body });
    const { issues } = (await refused.json()) as { issues?: readonly { readonly path: readonly string[] }[] };
    expect([refused.status, issues?.[0]?.path]).toEqual([400, ["filter"]]);
  }
  expect((await auditOf(service)).map(({ action }) => action)).not.toContain("export");
});

const urlencoded = "application/x-www-form-urlencoded";

test("an export with anything that it does not know is refused by name, and nothing is exported", async () => {
  await using service = await startService();
  const admin = await operator(service, "admin@example.org", "admin");
  const refusalOf = async (list: string, search: string, type?: string, body = "") => {
    const post = type && { method: "POST", headers: { "content-type": type }, body };
    const refused = await admin.fetch(`/console/exports/${list}${search}`, post || {});
    const { issues } = (await refused.json()) as { issues?: readonly { readonly path: readonly string[] }[] };
    return [refused.status, issues?.flatMap(({ path }) => path)];
  };
  for (const list of ["inquiries.csv", "subscribers.ndjson"]) {
    expect(await refusalOf(list, "?tag=university")).toEqual([400, ["tag"]]);
    expect(await refusalOf(list, "?after=0&status=spam")).toEqual([400, ["status"]]);
    expect(await refusalOf(list, "?status=spam", urlencoded, 'filter={"status":"new"}')).toEqual([400, ["status"]]);
    expect(await refusalOf(list, "", urlencoded, "tag=university")).toEqual([400, ["tag"]]);
    expect(await refusalOf(list, "", urlencoded, 'filter={"tags":"university"}')).toEqual([400, ["tags"]]);
    expect(await refusalOf(list, "", "application/json", '{"status":"new"}')).toEqual([400, ["status"]]);
    expect(await refusalOf(list, "", "application/json", '{"filter":{"tags":"x"}}')).toEqual([400, ["tags"]]);
  }
  expect(await refusalOf("audit.csv", "?action=export")).toEqual([400, ["action"]]);
  expect((await auditOf(service)).map(({ action }) => action)).not.toContain("export");
});

test("a filter comes as JSON, too, and a body of another kind is refused", async () => {
  await using service = await startService();
  const [one] = await inquireAll(service, ["one@example.org", "two@example.org"]);
  const admin = await operator(service, "admin@example.org", "admin");
  await admin.call("tags.change", { references: [one], add: "University" });
  const script = await scriptOf(admin, "sales");
  const post = async (type: string, body: string) => {
    const answer = await script.fetch("/console/exports/inquiries.ndjson", {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    return [answer.status, (await answer.text()).trim().split("\n").length];
  };
  expect(await post("application/json", '{"filter":{"tag":" UNIVERSITY "}}')).toEqual([200, 1]);
  expect(await post(urlencoded, 'filter={"tag":"university"}')).toEqual([200, 1]);
  expect(await post("application/json", "{}")).toEqual([200, 2]);
  for (const body of ["[]", "null", '{"filter":[]}', '"new"']) {
    expect([body, (await post("application/json", body))[0]]).toEqual([body, 400]);
  }
  expect((await post("text/plain", '{"filter":{}}'))[0]).toBe(415);
  expect((await auditOf(service)).filter(({ action }) => action === "export")).toHaveLength(3);
});

test("an export without any header asks for a session, and one from another page is refused", async () => {
  await using service = await startService();
  const url = "/console/exports/inquiries.csv";
  const filePath = "/console/replies/files/1";
  const silent = new Operator(service, {});
  expect((await silent.fetch(url)).status).toBe(401);
  const anna = await operator(service, "anna@example.org", "sales");
  silent.cookie = anna.cookie;
  const ok = await silent.fetch(url);
  expect([ok.status, ok.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
  await ok.text();
  const foreign = [
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example" },
  ];
  for (const headers of foreign)
    expect([headers, (await silent.fetch(url, { headers })).status]).toEqual([headers, 403]);
  const put = await anna.fetch(url, { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, POST"]);
  for (const download of [url, "/console/resumes/APP-1", "/console/people/a@example.org.ndjson", filePath]) {
    const { status, headers } = await anna.fetch(download, { method: "HEAD" });
    const allow = download === url || download === filePath ? "GET, POST" : "GET";
    expect([download, status, headers.get("allow")]).toEqual([download, 405, allow]);
  }
  expect((await auditOf(service)).filter(({ action }) => action === "export")).toHaveLength(1);
});
