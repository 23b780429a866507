// What persons write back: who is believed, which submission is meant, and what follows, through Postmark's door.
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { SubmissionDetail } from "../../../shared/src/console.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { buyer, json, rest } from "../../support/doors.ts";
import { type Operator, operator, recordsIn } from "../../support/console/operator.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import { handOver, inboundEnv, passes, rawMail, reportBody, resultOf } from "../../support/answers/mails.ts";

const clock = new MovableClock();
const service = shared(() => startService({ clock, env: inboundEnv }));
let admin: Operator | undefined;
const root = async () => (admin ??= await operator(service(), "root@example.org", "admin"));

const detailOf = async (reference: string) =>
  (await (await root()).call("submission.get", { reference })).data as SubmissionDetail;

let inquiries = 0;

/** An inquiry, the address that its person answers to, and the Message-ID of the receipt. */
async function inquire(email = "ann@example.org") {
  // At most three receipts a day go to one address.
  const from = email.replace("@", `+${(inquiries += 1)}@`);
  const { receipt } = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email: from }));
  const reference = receipt!["inquiryId"] as string;
  const mails = await service().mails();
  const mail = mails.find(({ subject = "", to }) => subject.includes(reference) && to?.[0]?.address === from)!;
  return { reference, from, answerTo: mail.replyTo![0]!.address!, messageId: mail.messageId! };
}

const mailsAbout = async (reference: string) =>
  (await service().mails()).filter(({ subject = "" }) => subject.includes(`answer to ${reference}`));

const setStatus = async (reference: string, status: string) => {
  const { version } = await detailOf(reference);
  await (await root()).call("inbox.triage", { targets: [{ reference, version }], status });
};

describe("which submission", () => {
  test("the token in any recipient, in any case, says it; subject, text and sender do not", async () => {
    const one = await inquire();
    const to = one.answerTo.toUpperCase();
    expect(await resultOf(service(), { from: one.from, to, text: "First" })).toBe("filed");
    const beside = `Ann <someone@example.org>, ${one.answerTo}`;
    expect(await resultOf(service(), { from: one.from, to: beside, text: "Second" })).toBe("filed");
    const delivered = [`Delivered-To: ${one.answerTo}`, passes("example.org")];
    expect(await resultOf(service(), { from: one.from, to: "desk@x.example", headers: delivered })).toBe("filed");
    expect(
      await handOver(service(), rawMail({ to: "undisclosed:;" }), { recipient: one.answerTo }).then((r) => r.json()),
    ).toEqual({ result: "filed" });
    const { answers } = await detailOf(one.reference);
    expect(answers.map(({ text, sender }) => [text.trim(), sender])).toEqual([
      ["First", "person"],
      ["Second", "person"],
      ["Thank you!", "person"],
      ["Thank you!", "unverified"],
    ]);
    const bare = { from: one.from, to: "answers@desk.example", subject: `Re: ${one.reference}`, text: one.reference };
    expect(await resultOf(service(), bare)).toBe("unmatched");
    expect((await detailOf(one.reference)).answers).toHaveLength(4);
  });

  test("a wrong token makes a mail unmatched, also where it answers a mail of ours", async () => {
    const one = await inquire();
    const wrong = one.answerTo.replace(/\+./, (found) => (found === "+a" ? "+b" : "+a"));
    const headers = [`In-Reply-To: ${one.messageId}`, passes("example.org")];
    expect(await resultOf(service(), { from: one.from, to: wrong, headers })).toBe("unmatched");
    expect((await detailOf(one.reference)).answers).toEqual([]);
  });

  test("without a token, In-Reply-To or References name a mail of ours", async () => {
    const one = await inquire();
    const to = "answers@desk.example";
    const by = (header: string) => ({ from: one.from, to, headers: [header, passes("example.org")] });
    expect(await resultOf(service(), by(`In-Reply-To: ${one.messageId}`))).toBe("filed");
    expect(await resultOf(service(), by(`References: <x@y.example> ${one.messageId} <z@y.example>`))).toBe("filed");
    const forged = one.messageId.replace(/<./, (found) => (found === "<a" ? "<b" : "<a"));
    expect(await resultOf(service(), by(`In-Reply-To: ${forged}`))).toBe("unmatched");
    expect((await detailOf(one.reference)).answers).toHaveLength(2);
  });

  test("a mail that bears a Message-ID of ours is dropped", async () => {
    const one = await inquire();
    expect(await resultOf(service(), { to: one.answerTo, messageId: one.messageId })).toBe("own");
    expect((await detailOf(one.reference)).answers).toEqual([]);
  });

  test("unmatched mails wait for an administrator, who files or deletes them", async () => {
    const one = await inquire();
    const subject = `Where to? ${one.reference}`;
    expect(await resultOf(service(), { from: "Bob <bob@example.org>", to: "answers@desk.example", subject })).toBe(
      "unmatched",
    );
    const list = async () =>
      ((await (await root()).call("unmatched.list", { page: {} })).data as { rows: { id: number; subject: string }[] })
        .rows;
    const [newest, ...older] = await list();
    expect(newest).toMatchObject({ subject, senderAddress: "bob@example.org" });
    expect(
      await (await root()).call("unmatched.file", { id: newest!.id, reference: "INQ-20200101-000000" }),
    ).toMatchObject({ status: 400 });
    expect(await (await root()).call("unmatched.file", { id: newest!.id, reference: one.reference })).toMatchObject({
      status: 200,
    });
    expect((await detailOf(one.reference)).answers).toMatchObject([{ sender: "unverified", subject }]);
    expect(await list()).toHaveLength(older.length);
    const sales = await operator(service(), "sam@example.org", "sales");
    expect(await sales.call("unmatched.list", { page: {} })).toMatchObject({ status: 404 });
    if (older[0] === undefined) throw new Error("The tests before have left an unmatched mail.");
    expect(await (await root()).call("unmatched.remove", { id: older[0].id })).toMatchObject({ status: 200 });
    expect(await list()).toHaveLength(older.length - 1);
  });
});

describe("who wrote it", () => {
  const ours = (...results: string[]) => results.map((result) => `Authentication-Results: mx.desk.example; ${result}`);

  test.each<[string, "person" | "unverified", (from: string) => { from?: string; headers: string[] }]>([
    ["DMARC passes", "person", () => ({ headers: ours("dmarc=pass header.from=example.org") })],
    [
      "SPF passes for a host of the same organisation",
      "person",
      () => ({ headers: ours("spf=pass smtp.mailfrom=bounce.example.org") }),
    ],
    ["DKIM passes for it", "person", () => ({ headers: ours("dkim=pass header.d=mail.example.org") })],
    [
      "SPF passes for another organisation",
      "unverified",
      () => ({ headers: ours("spf=pass smtp.mailfrom=evil.example; dkim=pass header.d=evil.example") }),
    ],
    ["DMARC fails", "unverified", () => ({ headers: ours("dmarc=fail header.from=example.org") })],
    ["nothing is said", "unverified", () => ({ headers: [] })],
    [
      "another server says it",
      "unverified",
      () => ({ headers: ["Authentication-Results: mx.evil.example; dmarc=pass header.from=example.org"] }),
    ],
    [
      "a forged line stands below the one of our server",
      "unverified",
      () => ({ headers: ours("dmarc=fail header.from=example.org", "dmarc=pass header.from=example.org") }),
    ],
    [
      "only Received-SPF says it, where our server is named",
      "unverified",
      () => ({ headers: ["Received-SPF: pass envelope-from=ann@example.org"] }),
    ],
    [
      "the address stands in the display name",
      "unverified",
      (from) => ({ from: `"${from}" <eve@example.org>`, headers: ours("dmarc=pass header.from=example.org") }),
    ],
    [
      "there are two in From",
      "unverified",
      (from) => ({ from: `${from}, eve@example.org`, headers: ours("dmarc=pass header.from=example.org") }),
    ],
    [
      "there are two headers From",
      "unverified",
      (from) => ({ from, headers: [...ours("dmarc=pass header.from=example.org"), "From: eve@example.org"] }),
    ],
    [
      "a group holds another address too",
      "unverified",
      (from) => ({ from: `Us: ${from}, eve@example.org;`, headers: ours("dmarc=pass header.from=example.org") }),
    ],
    [
      "the host is international",
      "person",
      (from) => ({ from: from.replace("xn--bcher-kva", "bücher"), headers: ours("dmarc=pass") }),
    ],
    [
      "another person wrote",
      "unverified",
      () => ({ from: "bob@example.org", headers: ours("dmarc=pass header.from=example.org") }),
    ],
  ])("where %s: %s", async (name, sender, written) => {
    const one = await inquire(name === "the host is international" ? "ann@xn--bcher-kva.example" : "ann@example.org");
    await setStatus(one.reference, "done");
    expect(await resultOf(service(), { from: one.from, to: one.answerTo, ...written(one.from) })).toBe("filed");
    const { answers, status } = await detailOf(one.reference);
    expect([answers.map((answer) => answer.sender), status]).toEqual([[sender], sender === "person" ? "open" : "done"]);
    // Both are told of.
    expect((await detailOf(one.reference)).mails.filter(({ kind }) => kind === "answer")).toHaveLength(1);
  });
});

describe("what follows", () => {
  test("a person's answer reopens, is told of once in ten minutes, and is searched and told to webhooks", async () => {
    const one = await inquire();
    await setStatus(one.reference, "done");
    for (const text of ["I would like the zebra package.", "And one more thing.", "Hello?"]) {
      expect(await resultOf(service(), { from: one.from, to: one.answerTo, text })).toBe("filed");
    }
    const { status, answers, history, mails } = await detailOf(one.reference);
    expect([status, answers.length]).toEqual(["open", 3]);
    expect(history.at(-1)).toMatchObject({
      operator: "answer",
      action: "status",
      detail: { from: "done", to: "open" },
    });
    expect(mails.filter(({ kind }) => kind === "answer")).toMatchObject([{ email: null }]);
    await expect.poll(() => mailsAbout(one.reference)).toHaveLength(1);
    const [told] = await mailsAbout(one.reference);
    expect(told?.to).toMatchObject([{ address: "sales@marketplace.example" }]);
    expect(told?.text).toContain("The sender is verified.");
    const search = async () =>
      (
        (await (await root()).call("inbox.list", { filter: { letter: "zebra" }, page: {} })).data as {
          rows: { reference: string; match: string }[];
        }
      ).rows.map(({ reference, match }) => ({ reference, match }));
    await expect.poll(search).toEqual([{ reference: one.reference, match: "I would like the zebra package." }]);
  });

  test("the assignee is told in place of the team", async () => {
    const one = await inquire();
    const { version } = await detailOf(one.reference);
    await operator(service(), "sally@example.org", "sales");
    const targets = [{ reference: one.reference, version }];
    await (await root()).call("inbox.triage", { targets, assignee: "sally@example.org" });
    await resultOf(service(), { from: one.from, to: one.answerTo, headers: [] });
    const told = { to: [{ address: "sally@example.org" }], text: expect.stringContaining("Sender not verified") };
    await expect.poll(() => mailsAbout(one.reference)).toMatchObject([told]);
  });

  test("the team is told where the assignee has a role since that does not see it", async () => {
    const one = await inquire();
    const { version } = await detailOf(one.reference);
    await operator(service(), "mona@example.org", "sales");
    const targets = [{ reference: one.reference, version }];
    await (await root()).call("inbox.triage", { targets, assignee: "mona@example.org" });
    await (await root()).call("operators.setRole", { email: "mona@example.org", role: "recruiting" });
    await resultOf(service(), { from: one.from, to: one.answerTo, headers: [] });
    const told = { to: [{ address: "sales@marketplace.example" }] };
    await expect.poll(() => mailsAbout(one.reference)).toMatchObject([told]);
  });

  test.each([
    ["Auto-Submitted", "Auto-Submitted: auto-replied"],
    ["Precedence", "Precedence: bulk"],
    ["List-Id", "List-Id: <news.example.org>"],
    ["an empty return path", "Return-Path: <>"],
  ])("a program's mail, by %s, is filed, reopens nothing and tells no one", async (_, header) => {
    const one = await inquire();
    await setStatus(one.reference, "done");
    const headers = [passes("example.org"), header];
    expect(await resultOf(service(), { from: one.from, to: one.answerTo, headers })).toBe("filed");
    const { status, answers, mails } = await detailOf(one.reference);
    expect([status, answers.map(({ sender }) => sender)]).toEqual(["done", ["automatic"]]);
    expect(mails.filter(({ kind }) => kind === "answer")).toEqual([]);
  });

  test("a mail of a team or of the assignee is filed, and no notice goes to its sender", async () => {
    const one = await inquire();
    const { version } = await detailOf(one.reference);
    await operator(service(), "olga@example.org", "sales");
    const targets = [{ reference: one.reference, version }];
    await (await root()).call("inbox.triage", { targets, assignee: "olga@example.org" });
    const froms = ["Sales <SALES@marketplace.example>", `${one.from}, Olga@example.org`];
    for (const from of froms) expect(await resultOf(service(), { from, to: one.answerTo })).toBe("filed");
    const { answers, mails } = await detailOf(one.reference);
    expect(answers.map(({ sender }) => sender)).toEqual(["unverified", "unverified"]);
    expect(mails.filter(({ kind }) => kind === "answer")).toEqual([]);
  });

  test("an answer to spam is filed and tells no one", async () => {
    const one = await inquire();
    await setStatus(one.reference, "spam");
    expect(await resultOf(service(), { from: one.from, to: one.answerTo })).toBe("filed");
    const { status, answers, mails } = await detailOf(one.reference);
    expect([status, answers.length, mails.filter(({ kind }) => kind === "answer")]).toEqual(["spam", 1, []]);
  });

  test("a reply that follows an answer names it, and the receipt beside it", async () => {
    const one = await inquire();
    await resultOf(service(), { from: one.from, to: one.answerTo, messageId: "<second@example.org>" });
    await (await root()).call("reply.send", { reference: one.reference, text: "Here it is." });
    clock.advance(10_000);
    await expect
      .poll(async () => (await service().mails()).find(({ text = "" }) => text.startsWith("Here it is.")))
      .toMatchObject({
        inReplyTo: "<second@example.org>",
        references: `${one.messageId} <second@example.org>`,
        replyTo: [{ address: one.answerTo }],
      });
  });

  test("what quotes the mail before is shown without that, and whole", async () => {
    const one = await inquire();
    const text =
      "Yes, please.\r\n\r\nOn Sat, 21 Nov 2026 at 10:00, Desk <desk@desk.example> wrote:\r\n> We received your inquiry";
    await resultOf(service(), { from: one.from, to: one.answerTo, text });
    const [answer] = (await detailOf(one.reference)).answers;
    expect(answer?.reply?.trim()).toBe("Yes, please.");
    expect(answer?.text).toContain("We received your inquiry");
  });
});

describe("once", () => {
  test("the same mail, fifty times at once, is one entry, whose files are kept once", async () => {
    const one = await inquire();
    const pdf = Buffer.from(
      "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n",
    );
    const before = (await service().files("resumes")).length;
    const raw = rawMail({ from: one.from, to: one.answerTo, files: [{ name: "offer.pdf", bytes: pdf }] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => handOver(service(), raw)));
    // Two at once are read; Postmark brings the others again.
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    for (const { status, headers } of answers) if (status === 503) expect(headers.get("retry-after")).not.toBeNull();
    for (const response of answers)
      if (response.status !== 200) expect((await handOver(service(), raw)).status).toBe(200);
    const detail = await detailOf(one.reference);
    expect(detail.answers).toHaveLength(1);
    expect(detail.mails.filter(({ kind }) => kind === "answer")).toHaveLength(1);
    expect((await service().files("resumes")).length).toBe(before + 1);
  });

  test("a mail of someone else under the Message-ID of the person's hides it not", async () => {
    const one = await inquire();
    const real = { from: one.from, to: one.answerTo, text: "The real one", messageId: "<known@example.org>" };
    expect(await resultOf(service(), { ...real, text: "Forged", headers: [] })).toBe("filed");
    expect(await resultOf(service(), real)).toBe("filed");
    for (const again of [real, { ...real, headers: [] }, { ...real, text: "Forged again", headers: [] }]) {
      expect(await resultOf(service(), again)).toBe("repeated");
    }
    const { answers } = await detailOf(one.reference);
    expect(answers.map(({ text, sender }) => [text, sender])).toEqual([
      ["Forged", "unverified"],
      ["The real one", "person"],
    ]);
  });

  test("without a Message-ID, the same content is one entry and other content another", async () => {
    const one = await inquire();
    const mail = { from: one.from, to: one.answerTo, messageId: null };
    expect(await resultOf(service(), mail)).toBe("filed");
    expect(await resultOf(service(), mail)).toBe("repeated");
    expect(await resultOf(service(), { ...mail, text: "Something else" })).toBe("filed");
    const withFile = (bytes: string) => ({ ...mail, files: [{ name: "plan.pdf", bytes: Buffer.from(bytes) }] });
    expect(await resultOf(service(), withFile("one file"))).toBe("filed");
    expect(await resultOf(service(), withFile("two file"))).toBe("filed");
    expect(await resultOf(service(), withFile("one file"))).toBe("repeated");
  });
});

describe("files", () => {
  test("documents and images are kept by their bytes and given out to be saved; of others the name is known", async () => {
    const one = await inquire();
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
    const files = [
      { name: "screen.png", bytes: png },
      { name: "run.exe", bytes: Buffer.from("MZ\u0090") },
      { name: "fake.pdf", bytes: Buffer.from("<script>alert(1)</script>") },
    ];
    await resultOf(service(), { from: one.from, to: one.answerTo, files });
    const [answer] = (await detailOf(one.reference)).answers;
    expect(answer?.files.map(({ name, kept }) => [name, kept !== null])).toEqual([
      ["screen.png", true],
      ["run.exe", false],
      ["fake.pdf", false],
    ]);
    const { id } = answer!.files[0]!.kept!;
    const got = await (await root()).fetch(`/console/answers/files/${id}`);
    expect([got.status, Buffer.from(await got.arrayBuffer()).equals(png)]).toEqual([200, true]);
    expect(got.headers.get("content-disposition")).toContain('attachment; filename="screen.png"');
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    const jobs = await operator(service(), "joe@example.org", "recruiting");
    expect((await jobs.fetch(`/console/answers/files/${id}`)).status).toBe(404);
  });

  test("at most ten of a mail are kept", async () => {
    const one = await inquire();
    const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    const files = Array.from({ length: 12 }, (_, at) => ({ name: `${at}.jpg`, bytes }));
    await resultOf(service(), { from: one.from, to: one.answerTo, files });
    const [answer] = (await detailOf(one.reference)).answers;
    expect(answer?.files.map(({ kept }) => kept !== null)).toEqual([...Array(10).fill(true), false, false]);
  });
});

describe("reports of mails that were not delivered", () => {
  const reported = async (status: string, action?: string) => {
    const one = await inquire();
    const body = reportBody(status, one.messageId, one.from, action);
    expect(await resultOf(service(), { from: "MAILER-DAEMON@mx.example.org", to: "answers@desk.example", body })).toBe(
      "filed",
    );
    const { mails, answers } = await detailOf(one.reference);
    expect(answers.map(({ sender }) => sender)).toEqual(["automatic"]);
    const again = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email: one.from }));
    return {
      receipt: mails.find(({ kind }) => kind === "inquiry-receipt"),
      mailed: again.receipt?.["confirmationEmailSent"],
    };
  };

  test("with a status of 5 make the mail failed and suppress its address", async () => {
    const { receipt, mailed } = await reported("5.1.1");
    expect(receipt).toMatchObject({ status: "failed", lastError: "report: 5.1.1" });
    expect(mailed).toBe(false);
  });

  test.each([
    ["4.2.2", "delayed"],
    ["5.0.0", "relayed"],
  ])("of a mail that may arrive change nothing: %s, %s", async (status, action) => {
    const { receipt, mailed } = await reported(status, action);
    expect([receipt?.status, mailed]).toEqual(["sent", true]);
  });

  test.each(["4.4.1", ""])("of a mail that was given up make it failed, and leave its address: %j", async (status) => {
    const { receipt, mailed } = await reported(status, "Failed (expired)");
    expect(receipt).toMatchObject({ status: "failed", lastError: `report: ${status || "failed"}` });
    expect(mailed).toBe(true);
  });

  test("never suppress a team's or an operator's address", async () => {
    await operator(service(), "olga@example.org", "sales");
    for (const email of ["sales@marketplace.example", "olga@example.org"]) {
      const { receipt } = await rest.send(service(), "marketplace.inquiry", json({ ...buyer, email }));
      const reference = receipt!["inquiryId"] as string;
      const mail = (await service().mails()).find(
        ({ subject = "", replyTo }) => subject.includes(reference) && replyTo?.[0]?.address?.startsWith("answers"),
      )!;
      const body = reportBody("5.1.1", mail.messageId!, email);
      await resultOf(service(), { from: "MAILER-DAEMON@mx.example.org", to: "answers@desk.example", body });
      await using store = await openStore(service().storage, { access: "read-only" });
      const facts = await Array.fromAsync(
        store.desk.readPerson({ kinds: ["inquiry", "application"], subscribers: true }, email),
      );
      expect(facts.filter(({ kind }) => kind === "suppression")).toEqual([]);
    }
  });
});

describe("a person's right", () => {
  test("answers are exported and erased with the person, their files too, and unmatched mails of the address", async () => {
    const one = await inquire();
    const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
    await resultOf(service(), {
      from: one.from,
      to: one.answerTo,
      text: "Secret words",
      files: [{ name: "me.jpg", bytes }],
    });
    // More than are read at once.
    for (let number = 0; number < 21; number += 1)
      await resultOf(service(), { from: one.from, to: "answers@desk.example", text: `Lost words ${number}` });
    const files = (await service().files("resumes")).length;
    const { personId } = (await (await root()).call("submission.get", { reference: one.reference })).data as {
      personId: string;
    };
    const exported = await (await root()).fetch(`/console/people/${personId}.ndjson`);
    const facts = recordsIn(await exported.text());
    expect(facts.find(({ kind }) => kind === "answer")).toMatchObject({
      reference: one.reference,
      text: expect.stringContaining("Secret words"),
    });
    expect(facts.filter(({ kind }) => kind === "unmatched").map(({ text }) => text)).toEqual(
      Array.from({ length: 21 }, (_, number) => expect.stringContaining(`Lost words ${number}`)),
    );
    expect(await (await root()).call("people.erase", { email: one.from })).toMatchObject({ status: 200 });
    expect((await service().files("resumes")).length).toBe(files - 1);
    expect(await resultOf(service(), { from: one.from, to: one.answerTo })).toBe("unmatched");
    const { rows } = (await (await root()).call("unmatched.list", { page: {} })).data as { rows: { text: string }[] };
    expect(rows.some(({ text }) => text.includes("Lost words"))).toBe(false);
  });
});

describe("the door", () => {
  test("asks for its credentials before it reads, refuses what is no mail, and is not there until it is set", async () => {
    expect(
      (await handOver(service(), rawMail({ to: "answers@desk.example" }), { auth: "postmark:wrong" })).status,
    ).toBe(401);
    const send = (body: string, type = "application/json") =>
      fetch(`${service().url}/webhooks/postmark/inbound`, {
        method: "POST",
        headers: {
          "content-type": type,
          authorization: `Basic ${Buffer.from(inboundEnv.INBOUND_WEBHOOK_AUTH).toString("base64")}`,
        },
        body,
      });
    expect((await send("{")).status).toBe(400);
    expect((await send("[]")).status).toBe(400);
    expect((await send("", "application/json")).status).toBe(400);
    expect((await send("a", "text/plain")).status).toBe(415);
    expect((await fetch(`${service().url}/webhooks/postmark/inbound`)).status).toBe(405);
    await using without = await startService();
    expect((await handOver(without, rawMail({ to: "answers@desk.example" }))).status).toBe(404);
  });

  const credentials = `Basic ${Buffer.from(inboundEnv.INBOUND_WEBHOOK_AUTH).toString("base64")}`;
  const bytesMax = 50 * 1024 * 1024;

  test("a body over 50 MB is refused while it is read", async () => {
    const response = await fetch(`${service().url}/webhooks/postmark/inbound`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: credentials },
      body: new Blob([Buffer.alloc(bytesMax + 1, 32)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test("a body that says that it is over 50 MB is refused unread", async () => {
    const { hostname, port } = new URL(service().url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /webhooks/postmark/inbound HTTP/1.1\r\nHost: x\r\nAuthorization: ${credentials}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytesMax + 1}\r\n\r\n`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
  });
});
