// Subscribers in the console: adding one or a file of them, unsubscribing, and the list by source.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { ImportProgress, ImportReport, Page, PageRequest } from "../../../shared/src/console.ts";
import { readPages } from "../../contract/records.ts";
import { json } from "../../support/doors.ts";
import { welcomed, welcomes, open } from "../../support/newsletter/reader.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { type Service, startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";
import { auditOf, operator, recordsIn, type Operator } from "../../support/console/operator.ts";
import { nightly } from "../../support/many-or-few.ts";

const credentials = "user:a-password-of-24-letters";

const statesOf = async (service: Service) =>
  Object.fromEntries((await service.stored()).subscribers.map(({ email, status }) => [email, status]));

const entriesOf = async (service: Service) =>
  (await auditOf(service))
    .filter(({ action }) => action.startsWith("subscriber."))
    .map(({ operator: who, action, subject, detail }) => [who, action, subject, detail]);

const importOf = async (one: Operator, csv: string) =>
  (await one.call("subscribers.import", { csv })).data as ImportReport;

const suppress = (service: Service, event: object) =>
  fetch(`${service.url}/webhooks/postmark`, {
    method: "POST",
    ...json(event, { authorization: `Basic ${btoa(credentials)}` }),
  });

const quiet = shared(() => startService());
const quietMia = shared(() => operator(quiet(), "mia@example.org", "marketing"));

async function nothingIn(service: Service): Promise<void> {
  expect([await statesOf(service), await service.mails(), await entriesOf(service)]).toEqual([{}, [], []]);
}

test("one who is added without a proof of consent gets the welcome mail, and is active once it is confirmed", async () => {
  await using service = await startService({ env: { NEWSLETTER_OPT_IN: "single" } });
  const mia = await operator(service, "mia@example.org", "marketing");
  const added = { email: "New@Example.org", source: "Trade Fair", consentText: "Yes" };
  const sent = await mia.call("subscribers.add", added);
  expect(sent.data).toEqual({ status: "pending" });
  expect((await service.stored()).subscribers).toMatchObject([
    { email: "New@example.org", status: "pending", source: "trade-fair", consent: null },
  ]);
  const [links] = await welcomes(service, "New@example.org", 1);
  expect((await open(links!.confirm!, { method: "POST" })).status).toBe(200);
  expect(await statesOf(service)).toEqual({ "New@example.org": "active" });
  expect(await entriesOf(service)).toEqual([
    ["mia@example.org", "subscriber.add", "subscribers", { source: "trade-fair", proven: false }],
  ]);
});

test("one who is added with a proof is active at once and gets no mail; the proof is kept and exported", async () => {
  await using service = await startService();
  const mia = await operator(service, "mia@example.org", "marketing");
  const proof = { consentText: "Yes,\nsend me news.", consentPage: "https://fair.example.org/?name=ann#me" };
  const sent = await mia.call("subscribers.add", { email: "new@example.org", ...proof, consentAt: "2026-05-01" });
  expect(sent.data).toEqual({ status: "active" });
  const consent = { text: proof.consentText, page: "https://fair.example.org/", at: Date.UTC(2026, 4, 1) };
  const [subscriber] = (await service.stored()).subscribers;
  expect(subscriber).toMatchObject({ status: "active", source: "console", consent });
  expect(subscriber!.confirmedAt).not.toBeNull();
  const exported = await (await mia.fetch("/console/exports/subscribers.ndjson")).text();
  expect(JSON.parse(exported)).toMatchObject({ consentText: proof.consentText, consentAt: "2026-05-01T00:00:00.000Z" });
  // A mail that was stored before this one would have been sent before it.
  await welcomed(service, "other@example.org");
  expect(await service.mails()).toHaveLength(1);
});

test.each([
  ["an address that is none", { email: "new" }, 400],
  ["a time that is none", { email: "new@example.org", consentText: "Yes", consentAt: "1.5.2026" }, 400],
  ["a page that is none", { email: "new@example.org", consentPage: "javascript:alert(1)" }, 400],
  ["a consent that is still to come", { email: "new@example.org", consentText: "Yes", consentAt: "2999-01-01" }, 409],
])("%s is refused, and nothing is stored", async (_, input, status) => {
  const refused = await quietMia().call("subscribers.add", input);
  expect([refused.status, refused.issues?.length]).toEqual([status, 1]);
  await nothingIn(quiet());
});

test("a file is imported; the report names each row that was left out and why; the mails go out at a pace", async () => {
  const clock = new MovableClock();
  await using receiver = await openReceiver();
  const env = { POSTMARK_WEBHOOK_AUTH: credentials, WEBHOOK_TARGETS: "loopback" };
  await using service = await startService({ clock, env });
  const left = await welcomed(service, "left@example.org");
  await open(left.unsubscribe, { method: "POST" });
  await welcomed(service, "pending@example.org");
  const active = await welcomed(service, "active@example.org");
  await open(active.confirm!, { method: "POST" });
  const at = { BouncedAt: new Date(clock.now()).toISOString() };
  for (const [Email, RecordType, Type] of [
    ["bounced@example.org", "Bounce", "HardBounce"],
    ["complained@example.org", "SpamComplaint", "SpamComplaint"],
  ] as const) {
    await welcomed(service, Email);
    expect((await suppress(service, { RecordType, Type, Email, ...at })).status).toBe(200);
  }
  await suppress(service, { RecordType: "Bounce", Type: "HardBounce", Email: "gone@example.org", ...at });
  const admin = await operator(service, "admin@example.org", "admin");
  await admin.call("webhooks.add", { url: receiver.url, events: ["subscriber.confirmed"] });
  const before = (await service.mails()).length;
  const csv = `email;source;consentText;consentPage;consentAt;Name
one@example.org;Fair;;;;One
two@example.org;Fair;"Yes; I agree";https://fair.example.org/form;2026-05-01T09:30:00Z;Two
ONE@example.org;;;;;
left@example.org;;Yes;;2026-05-01;
pending@example.org;;;;;
active@example.org;;Yes;;2026-05-01;
bounced@example.org;;;;;
complained@example.org;;Yes;;2026-05-01;
gone@example.org;;Yes;;2026-05-01;
nobody;;;;;
three@example.org;;Yes;;last year;
four@example.org;;Yes;;;
five@example.org;;;;;
`;
  const mia = await operator(service, "mia@example.org", "marketing");
  const report = await importOf(mia, csv);
  expect(report).toMatchObject({ active: 1, pending: 3, unread: ["Name"] });
  expect(report.leftOut.map(({ row, email, reason }) => [row, email, reason])).toEqual([
    [4, "ONE@example.org", "It stands in row 2 too."],
    [5, "left@example.org", expect.stringContaining("unsubscribed")],
    [6, "pending@example.org", expect.stringContaining("not confirmed yet")],
    [7, "active@example.org", "It is subscribed already."],
    [8, "bounced@example.org", expect.stringContaining("bounced")],
    [9, "complained@example.org", expect.stringContaining("complained")],
    [10, "gone@example.org", expect.stringContaining("suppressed")],
    [11, "nobody", expect.stringContaining("e-mail address")],
    [12, "three@example.org", expect.stringMatching(/^consentAt: /)],
  ]);
  const states = Object.entries(await statesOf(service)).map(([email, status]) => `${email.split("@")[0]} ${status}`);
  expect(states.join(", ")).toBe(
    "left unsubscribed, pending pending, active active, bounced bounced, complained complained, one pending, " +
      "two active, four pending, five pending",
  );
  const two = (await service.stored()).subscribers.find(({ email }) => email === "two@example.org");
  const consent = { text: "Yes; I agree", page: "https://fair.example.org/form" };
  expect(two).toMatchObject({ source: "fair", consent: { ...consent, at: Date.UTC(2026, 4, 1, 9, 30) } });
  const [told] = await receiver.got(1);
  expect(JSON.parse(told!.body)).toMatchObject({ type: "subscriber.confirmed", data: { email: "two@example.org" } });

  const { data } = await mia.call("mails.list", { page: {} });
  const waiting = (data as { rows: { email: string; createdAt: number; dueAt: number | null }[] }).rows
    .filter(({ email }) => ["one", "four", "five"].some((name) => email === `${name}@example.org`))
    .toSorted((one, other) => one.createdAt - other.createdAt);
  expect(waiting).toHaveLength(3);
  clock.advance(60_000);
  await eventually(async () => (await service.mails()).length).toBe(before + 3);
  await welcomes(service, "five@example.org", 1);
  const again = await importOf(mia, csv);
  expect([again.active, again.pending, again.leftOut.length]).toEqual([0, 0, 13]);
  expect(await entriesOf(service)).toEqual([
    ["mia@example.org", "subscriber.import.begin", "subscribers", { rows: 13 }],
    ["mia@example.org", "subscriber.import", "subscribers", { rows: 13, active: 1, pending: 3, leftOut: 9 }],
    ["mia@example.org", "subscriber.import.begin", "subscribers", { rows: 13 }],
    ["mia@example.org", "subscriber.import", "subscribers", { rows: 13, active: 0, pending: 0, leftOut: 13 }],
  ]);
  expect(receiver.received).toHaveLength(1);
});

test("an export of subscribers is imported as it was, whatever a spreadsheet would make of its cells", async () => {
  await using before = await startService();
  await using after = await startService();
  const mia = await operator(before, "mia@example.org", "marketing");
  const added = [
    { email: "-dash@example.org", source: "1/2" },
    { email: "'quoted@example.org", source: "MAR1" },
    { email: "=sum@example.org", source: "0123456" },
  ];
  const proof = { consentText: "2026-11", consentAt: "2026-05-01" };
  for (const one of added) expect((await mia.call("subscribers.add", { ...one, ...proof })).status).toBe(200);
  const exported = await (await mia.fetch("/console/exports/subscribers.csv")).text();
  expect(exported).toContain(`"'-dash@example.org","active","'1-2"`);
  const other = await operator(after, "mia@example.org", "marketing");
  expect(await importOf(other, `sep=,\r\n${exported}`)).toMatchObject({ active: 3, pending: 0, leftOut: [] });
  const factsOf = async (service: Service) =>
    (await service.stored()).subscribers.map(({ email, source, consent }) => ({ email, source, consent }));
  expect(await factsOf(after)).toEqual(await factsOf(before));
  expect((await factsOf(after)).map(({ email }) => email)).toEqual(added.map(({ email }) => email));
});

test("the mails of a file are due one after the other, three a second, whichever batch stored them", async () => {
  const clock = new MovableClock();
  clock.hold();
  await using service = await startService({ clock });
  const mia = await operator(service, "mia@example.org", "marketing");
  const addresses = Array.from({ length: 250 }, (_, n) => `reader-${n}@example.org`);
  // More than 64 KiB, which is what other calls may send.
  const csv = `email,note\n${addresses.map((email) => `${email},"${"x".repeat(300)}"\n`).join("")}`;
  expect(await importOf(mia, csv)).toEqual({ active: 0, pending: 250, leftOut: [], unread: ["note"] });
  const pageAt = async (page: PageRequest) =>
    (await mia.call("mails.list", { page })).data as Page<{ email: string; dueAt: number }>;
  const mails = await readPages(100, pageAt);
  const due = new Map(mails.map(({ email, dueAt }) => [email, dueAt - clock.now()]));
  // The first is due at once, and may be sent by now.
  const later = addresses.slice(1);
  expect(later.map((email) => due.get(email))).toEqual(later.map((_, n) => (n + 1) * 330));
});

const readers = (count: number) =>
  `email\n${Array.from({ length: count }, (_, n) => `reader-${n}@example.org\n`).join("")}`;

const progressOf = async (one: Operator) =>
  (await one.call("subscribers.importProgress")).data as ImportProgress | null;

/** Begins an import, and waits until a part of it is stored. Answers its answer. */
async function halfImport(one: Operator, csv: string, init: RequestInit = {}): Promise<{ answer: Promise<Response> }> {
  const answer = one.fetch("/console/trpc/subscribers.import", { method: "POST", ...json({ csv }), ...init });
  answer.catch(() => {});
  await eventually(async () => (await progressOf(one))?.done ?? 0).toBeGreaterThan(0);
  return { answer };
}

nightly("the report of an import says what was not stored because the database could not be reached", async () => {
  await using service = await startService();
  const mia = await operator(service, "mia@example.org", "marketing");
  const { answer } = await halfImport(mia, readers(4_000));
  {
    // Another process that writes on and on.
    using writer = new DatabaseSync(join(service.dataFolder, "submissions.sqlite"), { timeout: 10_000 });
    writer.exec("BEGIN IMMEDIATE");
    await answer;
  }
  const response = await answer;
  const { data } = ((await response.json()) as { result: { data: ImportReport } }).result;
  expect([response.status, data.active, data.pending + data.leftOut.length]).toEqual([200, 0, 4_000]);
  expect(Object.keys(await statesOf(service))).toHaveLength(data.pending);
  expect(data.leftOut.length).toBeGreaterThan(0);
  for (const { reason } of data.leftOut) expect(reason).toBe("It could not be stored. Import the file again.");
  // The entry of its end could not be stored either.
  expect((await entriesOf(service)).map(([, action]) => action)).toEqual(["subscriber.import.begin"]);
  const again = await importOf(mia, readers(4_000));
  expect([again.pending, again.leftOut.length]).toEqual([data.leftOut.length, data.pending]);
});

test("an import whose connection breaks keeps its report for its operator: what was stored is in it", async () => {
  await using service = await startService();
  const mia = await operator(service, "mia@example.org", "marketing");
  const max = await operator(service, "max@example.org", "marketing");
  expect(await progressOf(mia)).toBeNull();
  const gone = new AbortController();
  const { answer } = await halfImport(mia, readers(2_000), { signal: gone.signal });
  gone.abort();
  await expect(answer).rejects.toThrow("abort");
  await eventually(async () => (await progressOf(mia))?.report !== null).toBe(true);
  const { rows, done, report } = (await progressOf(mia))!;
  expect([rows, done]).toEqual([2_000, 2_000]);
  expect(Object.keys(await statesOf(service))).toHaveLength(report!.pending);
  expect(await progressOf(max)).toBeNull();
});

test.each([
  ["more than 10,000 rows", `email\n${"a@example.org\n".repeat(10_001)}`, "more than 10,000 rows"],
  ["no column of addresses", "name\nAnn\n", "There is no email."],
  ["a quotation mark that is not closed", 'email\na@example.org\n"b@example.org\n', "not closed"],
])("a file with %s is refused as a whole", async (_, csv, problem) => {
  const { status, issues } = await quietMia().call("subscribers.import", { csv });
  expect([status, issues]).toEqual([400, [{ path: ["csv"], message: expect.stringContaining(problem) as string }]]);
  await nothingIn(quiet());
});

test("a file is taken of those who may import one only, and a refusal of others is in the audit log", async () => {
  await using service = await startService();
  const sam = await operator(service, "sam@example.org", "sales");
  const csv = `email,note\nnew@example.org,${"x".repeat(200_000)}\n`;
  expect((await sam.call("subscribers.import", { csv })).status).toBe(404);
  sam.cookie = null;
  expect((await sam.call("subscribers.import", { csv })).status).toBe(401);
  const mia = await operator(service, "mia@example.org", "marketing");
  expect((await mia.call("subscribers.add", { email: "a@example.org", source: "x".repeat(200_000) })).status).toBe(413);
  expect((await mia.call("subscribers.import", { csv: "x".repeat(6_000_000) })).status).toBe(413);
  expect(await statesOf(service)).toEqual({});
  await service.stop();
  const [refused] = (await auditOf(service)).filter(({ action }) => action === "refused");
  expect(refused).toMatchObject({
    operator: "sam@example.org",
    subject: "subscribers.import",
    detail: { notFound: 1 },
  });
});

test("unsubscribing does what the link does: webhooks are told, the link to confirm is dead, and only the owner comes back", async () => {
  await using receiver = await openReceiver();
  await using service = await startService({ env: { WEBHOOK_TARGETS: "loopback" } });
  const admin = await operator(service, "admin@example.org", "admin");
  await admin.call("webhooks.add", { url: receiver.url, events: ["subscriber.unsubscribed"] });
  const { confirm } = await welcomed(service, "ann@example.org");
  await open(confirm!, { method: "POST" });
  const mia = await operator(service, "mia@example.org", "marketing");
  expect((await mia.call("subscribers.unsubscribe", { email: "nobody@example.org" })).status).toBe(404);
  expect(await entriesOf(service)).toEqual([]);
  expect((await mia.call("subscribers.unsubscribe", { email: "ANN@example.org" })).status).toBe(200);
  expect(await statesOf(service)).toEqual({ "ann@example.org": "unsubscribed" });
  const [told] = await receiver.got(1);
  expect(JSON.parse(told!.body)).toMatchObject({ type: "subscriber.unsubscribed", data: { email: "ann@example.org" } });
  expect((await open(confirm!, { method: "POST" })).status).not.toBe(200);
  const again = { email: "ann@example.org", consentText: "Yes", consentAt: "2026-05-01" };
  const refused = await mia.call("subscribers.add", again);
  expect([refused.status, refused.issues?.[0]?.message]).toEqual([409, expect.stringContaining("unsubscribed")]);
  expect(await statesOf(service)).toEqual({ "ann@example.org": "unsubscribed" });
  expect(await entriesOf(service)).toEqual([
    ["mia@example.org", "subscriber.unsubscribe", "subscribers", { subscriber: 1, from: "active" }],
  ]);
});

test("subscribers are counted, listed and exported by source", async () => {
  await using service = await startService();
  const mia = await operator(service, "mia@example.org", "marketing");
  await importOf(mia, "email,source\na@example.org,fair\nb@example.org,footer\nc@example.com,fair\n");
  const counts = [
    ["fair", 2],
    ["footer", 1],
  ].map(([source, count]) => ({ source, count }));
  expect((await mia.call("subscribers.sources")).data).toEqual(counts);
  const listed = (await mia.call("subscribers.list", { filter: { source: "fair" }, page: {} })).data;
  expect(listed).toMatchObject({ rows: [{ email: "c@example.com" }, { email: "a@example.org" }] });
  const exported = async (filter: object) => {
    const body = new URLSearchParams({ filter: JSON.stringify(filter) });
    const answer = await mia.fetch("/console/exports/subscribers.ndjson", { method: "POST", body });
    return recordsIn(await answer.text()).map(({ email }) => email);
  };
  expect(await exported({ source: "fair" })).toEqual(["a@example.org", "c@example.com"]);
  expect(await exported({ source: "fair", search: "@EXAMPLE.ORG" })).toEqual(["a@example.org"]);
  expect(await exported({ status: "pending", source: "footer" })).toEqual(["b@example.org"]);
  const exports = (await auditOf(service)).filter(({ action }) => action === "export").map(({ detail }) => detail);
  expect(exports[1]).toEqual({ format: "ndjson", filter: { source: "fair", searched: true } });
});
