// What stands in the audit log beside changes: refused calls, what tokens read, and who a token is.
import { expect, test } from "vitest";
import { json } from "../../support/doors.ts";
import { startService } from "../../support/service.ts";
import { auditOf, Operator, operator, scriptOf, submitAll } from "../../support/console/operator.ts";

const seen = (entries: Awaited<ReturnType<typeof auditOf>>, ...actions: string[]) =>
  entries
    .filter(({ action }) => actions.includes(action))
    .map(({ operator: who, action, subject, detail }) => [who, action, subject, detail]);

test("refused calls are entries with who, what and why, counted; those of strangers are none", async () => {
  await using service = await startService();
  const { inquiry, application } = await submitAll(service);
  const ben = await operator(service, "ben@example.org", "sales");
  for (let tries = 0; tries < 3; tries += 1) {
    expect((await ben.call("submission.get", { reference: application })).status).toBe(404);
  }
  expect((await ben.call("operators.list")).status).toBe(404);
  expect((await ben.fetch(`/console/resumes/${application}`)).status).toBe(404);
  expect((await ben.fetch("/console/exports/audit.csv")).status).toBe(404);
  expect((await ben.call("submission.get", { reference: inquiry })).status).toBe(200);
  expect((await new Operator(service).call("inbox.counts")).status).toBe(401);
  await service.stop();
  expect(seen(await auditOf(service), "refused")).toEqual([
    ["ben@example.org", "refused", "submission.get", { notFound: 3 }],
    ["ben@example.org", "refused", "operators.list", { notFound: 1 }],
    ["ben@example.org", "refused", "/console/resumes/", { notFound: 1 }],
    ["ben@example.org", "refused", "/console/exports/audit.csv", { notFound: 1 }],
  ]);
});

test("what comes with a session from another site, asks for what does not exist, or is too much is an entry", async () => {
  await using service = await startService();
  const ben = await operator(service, "ben@example.org", "sales");
  const admin = await operator(service, "admin@example.org", "admin");
  const from = (one: Operator, headers: Record<string, string>) => {
    const page = new Operator(service, headers);
    page.cookie = one.cookie;
    return page;
  };
  const foreign = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    {},
  ];
  for (const headers of foreign) {
    expect((await from(ben, headers).call("reply.send", {})).status).toBe(403);
    const exported = await from(ben, headers).fetch("/console/exports/inquiries.csv", { method: "POST" });
    expect(exported.status).toBe(403);
    // An unknown name is a stranger's text: it is not written.
    expect((await from(ben, headers).call("what.is@example.org")).status).toBe(403);
    expect((await new Operator(service, headers).call("reply.send", {})).status).toBe(403);
  }
  expect((await from(ben, { "sec-fetch-site": "same-site" }).fetch("/console/resumes/APP-1")).status).toBe(403);
  expect((await ben.call("what.is@example.org")).status).toBe(404);
  expect((await ben.fetch("/console/exports/persons.csv")).status).toBe(404);
  expect((await ben.fetch("/console/trpc/inbox.counts")).status).toBe(405);
  const many = Array(11).fill("inbox.counts").join();
  expect((await ben.fetch(`/console/trpc/${many}?batch=1`, { method: "POST", ...json({}) })).status).toBe(400);
  const plain = { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" };
  expect((await ben.fetch("/console/trpc/inbox.counts", plain)).status).toBe(415);
  const script = await scriptOf(admin, "sales");
  expect((await script.call("session.signIn", { email: "ben@example.org", password: "x" })).status).toBe(403);
  await service.stop();
  const entries = seen(await auditOf(service), "refused").map(([who, , subject, detail]) => [who, subject, detail]);
  expect(entries).toEqual(
    expect.arrayContaining([
      ["ben@example.org", "reply.send", { consoleOnly: 4 }],
      ["ben@example.org", "/console/exports/inquiries.csv", { consoleOnly: 4 }],
      ["ben@example.org", "unknown", { consoleOnly: 4, notFound: 2 }],
      ["ben@example.org", "/console/resumes/", { consoleOnly: 1 }],
      ["ben@example.org", "inbox.counts", { batchTooLarge: 1, contentTypeUnsupported: 1, methodNotSupported: 1 }],
      ["token 1 (script)", "session.signIn", { tokenReadsOnly: 1 }],
    ]),
  );
  expect(entries).toHaveLength(6);
});

test("a call over the limit of its operator is an entry", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1", TRUST_PROXY: "1" } });
  const ben = await operator(service, "ben@example.org", "sales");
  const statuses: number[] = [];
  for (let at = 0; at < 22; at += 1) {
    ben.headers = { ...ben.headers, "x-forwarded-for": `198.51.100.${at}` };
    statuses.push((await ben.call("inbox.counts")).status);
  }
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  await service.stop();
  expect(seen(await auditOf(service), "refused")).toEqual([["ben@example.org", "refused", "", { tooManyRequests: 2 }]]);
});

test("what tokens read and are refused is told by their numbers, although their names are the same", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service);
  const admin = await operator(service, "admin@example.org", "admin");
  const [first, second] = [await scriptOf(admin, "sales", "crm"), await scriptOf(admin, "sales", "crm")];
  for (let at = 0; at < 4; at += 1) await first.call("inbox.list", { filter: { search: "ann" }, page: {} });
  await second.call("inbox.counts");
  await second.call("submission.addNote", { reference: inquiry, text: "x" });
  await (await second.fetch("/console/exports/inquiries.ndjson")).text();
  await service.stop();
  const entries = seen(await auditOf(service), "read", "refused", "export");
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      ["token 1 (crm)", "read", "inbox.list", { count: 4 }],
      ["token 2 (crm)", "export", "inquiries", { format: "ndjson" }],
      ["token 2 (crm)", "read", "inbox.counts", { count: 1 }],
      ["token 2 (crm)", "refused", "submission.addNote", { tokenReadsOnly: 1 }],
    ]),
  );
});

test("names of tokens are one line, which shows as it is written", async () => {
  await using service = await startService();
  const admin = await operator(service, "admin@example.org", "admin");
  const create = (name: string) => admin.call("tokens.create", { name, role: "sales", expiresAt: null });
  for (const name of ["a\nb", "a\u2028b", "a\u200Fb", " \u200B ", "a\u0000", "x".repeat(101)]) {
    const refused = await create(name);
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, ["name"]]);
  }
  expect((await create("  crm\u202Egnp.exe \u200B")).status).toBe(200);
  const { data } = await admin.call("tokens.list");
  expect((data as { name: string }[]).map(({ name }) => name)).toEqual(["crmgnp.exe"]);
  const webhook = { url: "https://hook.example.org/\u202Egnp", events: ["inquiry.received"] };
  expect((await admin.call("webhooks.add", webhook)).issues?.[0]?.path).toEqual(["url"]);
  for (const email of ["ann\u202E@example.org", "ann@example.org\nbcc: x@example.org", "ann\u2028@example.org"]) {
    const refused = await admin.call("operators.invite", { email, role: "sales" });
    expect(refused.status === 200 ? [] : refused.issues?.[0]?.path).toEqual(email.includes("\u202E") ? [] : ["email"]);
  }
  const { data: operators } = await admin.call("operators.list");
  expect(operators).toMatchObject([{ email: "admin@example.org" }, { email: "ann@example.org" }]);
});
