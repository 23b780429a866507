// Replies of operators, and mails to operators of what is assigned to them, from the console's call to the mail that goes out.
import type { ReplyOutcome, ReplyPreview, SubmissionDetail } from "../../../shared/src/console.ts";
import { expect, test } from "vitest";
import { json, rest } from "../../support/doors.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { addressees, PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { type Service, startService } from "../../support/service.ts";
import { auditOf, inquire, operator, type Operator, submitAll } from "../../support/console/operator.ts";
import { nightly } from "../../support/many-or-few.ts";

const text = 'Hello Ann,\n\n<script>alert(1)</script> & "quotes".';
const settings = { MAIL_FROM: "Accent Datasets <hello@datasets.example>", SALES_EMAIL: "sales@datasets.example" };

const detailOf = async (one: Operator, reference: string) =>
  (await one.call("submission.get", { reference })).data as SubmissionDetail;

const mailsTo = async (service: Service, address: string) =>
  (await service.mails()).filter(({ to }) => to?.some((one) => one.address === address));

/** Its reference. */
async function inquireWith(service: Service, fields: object): Promise<string> {
  const body = { email: "ann@example.org", selectedPackageIds: ["de-AT"], ...fields };
  const { receipt } = await rest.send(service, "marketplace.inquiry", json(body));
  return (receipt as { inquiryId: string }).inquiryId;
}

test("a reply goes out ten seconds later, in the thread of the receipt, with what the person wrote below it", async () => {
  const clock = new MovableClock();
  await using service = await startService({
    clock,
    env: { ...settings, REPLY_COPIES: "on", MAIL_SIGNATURE: "Kind\\nVienna" },
  });
  const beside = { message: "Three voices,\nplease.", utm_source: "expo", budget: "20000 EUR" };
  const inquiry = await inquireWith(service, { name: "Ann Buyer", company: "Kalomi", ...beside });
  const sam = await operator(service, "sam@example.org", "sales");
  await sam.call("session.setName", { name: 'Sam "Voices" Müller' });
  const [receipt] = await mailsTo(service, "ann@example.org");
  const { status } = await sam.call("reply.send", { reference: inquiry, text });
  expect(status).toBe(200);
  clock.advance(10_000);
  const statuses = async () => (await detailOf(sam, inquiry)).mails.map((mail) => mail.status);
  await eventually(statuses).toEqual(Array(4).fill("sent"));
  const reply = (await mailsTo(service, "ann@example.org")).find(({ subject }) => subject?.startsWith("Re: "))!;
  expect(reply).toMatchObject({
    from: { name: 'Sam "Voices" Müller', address: "hello@datasets.example" },
    replyTo: [{ address: "sales@datasets.example" }],
    subject: `Re: ${receipt!.subject}`,
    inReplyTo: receipt!.messageId,
    references: receipt!.messageId,
  });
  expect(receipt!.subject).toContain(inquiry);
  const headers = reply.headers.map(({ key }) => key);
  expect(headers).not.toContain("auto-submitted");
  expect(headers).not.toContain("x-auto-response-suppress");
  expect(reply.text).toMatch(/^Hello Ann,\n\n<script>/);
  expect(reply.text).toMatch(/\nAnn Buyer, .* UTC, INQ-.*:\n> Three voices,\n> please\.\n+$/);
  for (const known of ["Kalomi", "expo", "20000", "de-AT"])
    expect(reply.text + String(reply.html)).not.toContain(known);
  expect(reply.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;");
  expect(reply.html).not.toContain("<script");
  // As the receipts, in the HTML part alone: the frame, the signature below the letter, then the quote.
  expect(reply.html).toMatch(
    /Accent Datasets\s*<[^]*quot;\.<\/p>[^]*Kind<br \/>Vienna<[^]*<blockquote[^>]*>\s*Three voices,<br \/>/,
  );
  expect(reply.text).not.toContain("Vienna");
  const copy = (await mailsTo(service, "sales@datasets.example")).find(({ subject }) => subject === reply.subject)!;
  expect(copy).toMatchObject({ replyTo: [{ address: "ann@example.org" }], text: reply.text, from: reply.from });
  expect((await detailOf(sam, inquiry)).replies).toMatchObject([{ author: "sam@example.org", text }]);
  const entries = (await auditOf(service)).filter(({ action }) => action.startsWith("reply"));
  expect(entries).toMatchObject([{ operator: "sam@example.org", action: "reply", subject: inquiry }]);
  expect(JSON.stringify(entries)).not.toContain("Hello");
});

test("by Postmark the receipt keeps our Message-ID, and the reply names it", async () => {
  const clock = new MovableClock();
  await using postmark = await PostmarkStandIn.open();
  const env = { ...addressees, MAIL_TRANSPORT: "postmark", POSTMARK_SERVER_TOKEN: postmark.token };
  await using service = await startService({ clock, env: { ...env, POSTMARK_API_URL: postmark.url } });
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  await sam.call("reply.send", { reference, text });
  clock.advance(10_000);
  const replies = () => postmark.taken.filter(({ Tag }) => Tag === "inquiry-reply");
  await eventually(async () => replies().length).toBe(1);
  const headerOf = (tag: string, name: string) =>
    postmark.taken.find(({ Tag }) => Tag === tag)?.Headers?.find(({ Name }) => Name === name)?.Value;
  expect(headerOf("inquiry-receipt", "X-PM-KeepID")).toBe("true");
  expect(headerOf("inquiry-receipt", "Message-ID")).toMatch(/^<\w+@datasets\.example>$/);
  expect(headerOf("inquiry-reply", "In-Reply-To")).toBe(headerOf("inquiry-receipt", "Message-ID"));
  expect(headerOf("inquiry-reply", "Message-ID")).not.toBe(headerOf("inquiry-receipt", "Message-ID"));
  expect(replies()[0]).toMatchObject({ From: '"sam" <hello@datasets.example>', ReplyTo: "sales@datasets.example" });
});

test("a suppressed address is refused with the reason, another role's submission like an unknown one, and the 61st in an hour with a time", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: { POSTMARK_WEBHOOK_AUTH: "user:a-password-of-24-letters" } });
  const { inquiry } = await submitAll(service);
  const gone = await inquire(service, "gone@example.org");
  const authorization = `Basic ${btoa("user:a-password-of-24-letters")}`;
  const BouncedAt = new Date(clock.now()).toISOString();
  const bounce = { RecordType: "Bounce", Type: "HardBounce", Email: "gone@example.org", BouncedAt };
  await fetch(`${service.url}/webhooks/postmark`, { method: "POST", ...json(bounce, { authorization }) });
  const sam = await operator(service, "sam@example.org", "sales");
  const refused = await sam.call("reply.send", { reference: gone, text });
  expect([refused.status, refused.issues?.[0]?.message]).toEqual([409, expect.stringContaining("bounced")]);
  const rita = await operator(service, "rita@example.org", "recruiting");
  expect((await rita.call("reply.send", { reference: inquiry, text })).status).toBe(404);
  expect((await sam.call("reply.send", { reference: inquiry, text: " \n" })).status).toBe(400);
  for (let sent = 0; sent < 60; sent += 1) await sam.call("reply.send", { reference: inquiry, text });
  const limited = await sam.call("reply.send", { reference: inquiry, text });
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(3_500);
  expect((await detailOf(sam, inquiry)).replies).toHaveLength(60);
});

test("several are answered with a saved answer, each with its own values, and refused as a whole beyond the limit", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const sam = await operator(service, "sam@example.org", "sales");
  const answer = { id: null, kind: "inquiry", title: "Thanks", text: "Hello {name}, {reference}: {packages}" };
  const refused = await sam.call("reply.saveAnswer", { ...answer, text: "Hello {nmae}" });
  expect([refused.status, refused.issues?.[0]?.message]).toEqual([400, expect.stringContaining("{nmae}")]);
  expect((await sam.call("reply.saveAnswer", answer)).status).toBe(200);
  const [saved] = (await sam.call("reply.answers")).data as { id: number; text: string }[];
  // What another operator has made of it is not overwritten.
  const change = (words: string, was: string) =>
    sam.call("reply.saveAnswer", { ...answer, id: saved!.id, text: words, was });
  expect((await change("Thanks, {name}", saved!.text)).status).toBe(200);
  const late = await change("Lost", saved!.text);
  expect([late.status, late.issues?.[0]?.message]).toEqual([400, expect.stringContaining("changed meanwhile")]);
  expect((await sam.call("reply.answers")).data).toMatchObject([{ text: "Thanks, {name}" }]);
  expect((await change(saved!.text, "Thanks, {name}")).status).toBe(200);
  const references = [await inquire(service, "one@example.org"), await inquire(service, "two@example.org")];
  const { application } = await submitAll(service);
  const many = { references: [...references, application], text: saved!.text };
  const previews = (await sam.call("reply.preview", many)).data as { mail: string; subject: string }[];
  const named = references.map((reference) => ({ reference, name: "Ann Buyer" }));
  const filled = (reference: string) => `Hello Ann Buyer, ${reference}: Austrian German, conversations`;
  expect(previews).toMatchObject(named.map((one) => ({ ...one, text: filled(one.reference) })));
  const queued = named.map((one) => ({ ...one, result: "queued" }));
  expect((await sam.call("reply.sendMany", many)).data).toMatchObject(queued);
  clock.advance(10_000);
  const { subject: expected, mail: written } = previews[1]!;
  const sent = async () => (await mailsTo(service, "two@example.org")).find(({ subject }) => subject === expected);
  await eventually(async () => (await sent())?.text?.trimEnd()).toBe(written.trimEnd());
  for (let round = 0; round < 28; round += 1) await sam.call("reply.sendMany", many);
  await sam.call("reply.send", { reference: references[0], text });
  const before = (await detailOf(sam, references[0]!)).replies.length;
  expect((await sam.call("reply.sendMany", many)).status).toBe(429);
  expect((await detailOf(sam, references[0]!)).replies).toHaveLength(before);
  expect((await sam.call("reply.send", { reference: references[0], text })).status).toBe(200);
});

test("no word of a stranger stands unquoted in a reply that may be a link, and the preview says what was left out", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const sam = await operator(service, "sam@example.org", "sales");
  const evil = "evil.example";
  const hostile = {
    name: `${evil}/login - sign in there`,
    company: `See ${evil}`,
    selectedPackageIds: [`${evil}/1`, "de-AT"],
    message: `See ${evil}\u2028and ${evil}`,
  };
  const reference = await inquireWith(service, hostile);
  const many = { references: [reference], text: "Dear {name}, {company} asks about {packages} ({reference})." };
  const [preview] = (await sam.call("reply.preview", many)).data as ReplyPreview[];
  expect(preview).toMatchObject({
    text: `Dear, asks about Austrian German, conversations (${reference}).`,
    leftOut: ["{name}", "{company}", "{packages}"],
  });
  expect((await sam.call("reply.sendMany", many)).status).toBe(200);
  expect((await sam.call("reply.send", { reference, text: "Hello," })).status).toBe(200);
  clock.advance(10_000);
  const replies = async () =>
    (await mailsTo(service, "ann@example.org")).filter(({ subject }) => subject?.startsWith("Re:"));
  await eventually(async () => (await replies()).length).toBe(2);
  for (const { text: written = "", html, subject } of await replies()) {
    expect(subject).not.toContain(evil);
    const lines = written.split("\n");
    expect(lines.filter((line) => line.includes(evil) && !line.startsWith("> "))).toEqual([]);
    expect(lines.filter((line) => line.includes(evil))).toHaveLength(2);
    expect(lines.some((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d UTC, INQ-\S+:$/.test(line))).toBe(true);
    expect(String(html).split("<blockquote")[0]).not.toContain(evil);
  }
});

nightly(
  "a reply and a notice that were sent go out three times more in a day, and the operator has 60 an hour",
  async () => {
    const clock = new MovableClock();
    await using service = await startService({ clock, env: settings });
    const sam = await operator(service, "sam@example.org", "sales");
    const reference = await inquire(service, "ann@example.org");
    await sam.call("reply.send", { reference, text });
    clock.advance(10_000);
    const mails = async () => (await detailOf(sam, reference)).mails;
    await eventually(async () => (await mails()).map((mail) => mail.status)).toEqual(Array(3).fill("sent"));
    for (const kind of ["inquiry-reply", "inquiry-notice"]) {
      const { id } = (await mails()).find((mail) => mail.kind === kind)!;
      const answers = await Promise.all(Array.from({ length: 20 }, () => sam.call("mails.retry", { id })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(17);
    }
    await eventually(async () => (await mails()).map((mail) => mail.status)).toEqual(Array(9).fill("sent"));
    expect(await mailsTo(service, "ann@example.org")).toHaveLength(1 + 4);
    const others = Array.from({ length: 53 }, () => ({ reference, text }));
    for (const other of others) expect((await sam.call("reply.send", other)).status).toBe(200);
    const next = await inquire(service, "bea@example.org");
    const notice = (await detailOf(sam, next)).mails.find((mail) => mail.kind === "inquiry-notice")!;
    await eventually(async () => (await detailOf(sam, next)).mails.map((mail) => mail.status)).toEqual([
      "sent",
      "sent",
    ]);
    const refused = await sam.call("mails.retry", { id: notice.id });
    expect([refused.status, Number(refused.headers.get("retry-after")) > 3_500]).toEqual([429, true]);
  },
);

test("one batch that sends a reply again and takes it back leaves the reply and its words", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const sam = await operator(service, "sam@example.org", "sales");
  const reference = await inquire(service, "ann@example.org");
  const { version } = await detailOf(sam, reference);
  const { id: reply } = (await sam.call("reply.send", { reference, text, doneAt: version })).data as { id: number };
  clock.advance(10_000);
  const sentMail = async () => (await detailOf(sam, reference)).mails.find((mail) => mail.reply === reply)!;
  await eventually(async () => (await sentMail()).status).toBe("sent");
  const inputs = { 0: { id: (await sentMail()).id }, 1: { id: reply } };
  const batch = await sam.fetch("/console/trpc/mails.retry,reply.undo?batch=1", { method: "POST", ...json(inputs) });
  const [again, undone] = (await batch.json()) as { error?: { data: { httpStatus: number } } }[];
  expect([again?.error, undone?.error?.data.httpStatus]).toEqual([undefined, 409]);
  expect(await detailOf(sam, reference)).toMatchObject({ replies: [{ text }], status: "done" });
  expect((await auditOf(service)).map(({ action }) => action)).not.toContain("reply.undo");
});

test("an operator gets one mail for what another one assigns at once, and none of what is assigned by oneself", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock });
  const eva = await operator(service, "eva@example.org", "admin");
  const sam = await operator(service, "sam@example.org", "sales");
  await eva.call("session.setName", { name: "Eva Novák" });
  const references = [await inquire(service, "ann@example.org"), await inquire(service, "bea@example.org")];
  const own = await inquire(service, "cem@example.org");
  const targetsOf = (named: readonly string[]) => named.map((reference) => ({ reference, version: 1 }));
  const assign = (one: typeof eva, named: readonly string[]) =>
    one.call("inbox.triage", { targets: targetsOf(named), assignee: "sam@example.org" });
  expect((await assign(eva, references)).status).toBe(200);
  expect((await assign(sam, [own])).status).toBe(200);
  clock.advance(5_000);
  await eventually(async () => (await mailsTo(service, "sam@example.org")).length).toBe(1);
  const [mail] = await mailsTo(service, "sam@example.org");
  expect(mail?.subject).toBe("2 submissions are assigned to you");
  for (const reference of references) {
    expect(mail?.text).toContain(`${reference}, assigned by Eva Novák: ${service.url}/console/inquiries/${reference}`);
  }
  expect(mail?.text).not.toMatch(/Ann|Kalomi/);
  expect(mail?.text).not.toContain(own);
  expect(await mailsTo(service, "eva@example.org")).toEqual([]);
});

test("a reply that missed another one is refused with who wrote and when, and goes out where it is sent anyway", async () => {
  await using service = await startService({ env: settings });
  const reference = await inquireWith(service, { name: "Ann Buyer" });
  const sam = await operator(service, "sam@example.org", "sales");
  const suki = await operator(service, "suki@example.org", "sales");
  await suki.call("session.setName", { name: "Suki Tanaka" });
  await suki.call("reply.send", { reference, text, seen: 0 });
  const refused = await sam.call("reply.send", { reference, text, seen: 0 });
  expect(refused).toMatchObject({ status: 409 });
  expect(JSON.stringify(refused)).toMatch(/Suki Tanaka replied at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./);
  const { replies, assignee, status, lastReplyAt } = await detailOf(sam, reference);
  expect(replies).toHaveLength(1);
  expect([status, assignee]).toEqual(["open", "suki@example.org"]);
  expect((await sam.call("reply.send", { reference, text, seen: lastReplyAt })).status).toBe(200);
  expect((await sam.call("reply.send", { reference, text })).status).toBe(200);
});

test("several replies mark as done, leave out who was answered meanwhile, quote nothing where told, and are undone at once", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: settings });
  const sam = await operator(service, "sam@example.org", "sales");
  const message = "Three voices, please.";
  const references: string[] = [];
  for (let number = 0; number < 3; number += 1) {
    references.push(await inquireWith(service, { name: "Ann", message, email: `ann-${number}@example.org` }));
  }
  await sam.call("reply.send", { reference: references[2], text });
  const seen = Object.fromEntries(references.map((one) => [one, 0]));
  const many = { references, text: "Dear {name}", done: true, quote: false, seen };
  const outcomes = (await sam.call("reply.sendMany", many)).data as ReplyOutcome[];
  expect(outcomes.map(({ result }) => result)).toEqual(["queued", "queued", "overtaken"]);
  const stateOf = async () => {
    const details = await Promise.all(references.map((one) => detailOf(sam, one)));
    return details.map(({ status, assignee, replies }) => [status, assignee, replies.length]);
  };
  const answered = ["open", "sam@example.org", 1];
  expect(await stateOf()).toEqual([["done", "sam@example.org", 1], ["done", "sam@example.org", 1], answered]);
  const ids = outcomes.flatMap((one) => (one.result === "queued" ? [one.id] : []));
  expect((await sam.call("reply.undoMany", { ids })).data).toEqual({ undone: 2 });
  expect(await stateOf()).toEqual([["new", null, 0], ["new", null, 0], answered]);
  await sam.call("reply.sendMany", { ...many, references: references.slice(0, 1) });
  clock.advance(10_000);
  const repliesTo = async (address: string) =>
    (await mailsTo(service, address)).filter(({ subject }) => subject?.startsWith("Re:"));
  await eventually(async () => (await repliesTo("ann-0@example.org")).length).toBe(1);
  expect((await repliesTo("ann-0@example.org"))[0]!.text).not.toContain(message);
});
