// Files of replies, from the door by which they come in to the mails that they leave with, and to their end.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { mkdir, readdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ReplyFile, SubmissionDetail } from "../../../shared/src/console.ts";
import { ClamdStandIn } from "../../support/clamd-stand-in.ts";
import { runCommand } from "../../support/desk/run-command.ts";
import { openFolder } from "../../support/folder.ts";
import { eventually } from "../../support/outbox/mail-service.ts";
import { keptLog } from "../../support/kept-log.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { addressees, PostmarkStandIn } from "../../support/postmark-stand-in.ts";
import { writeZip } from "../../support/resumes/write-zip.ts";
import { SmtpStandIn } from "../../support/smtp-stand-in.ts";
import { type Service, startService } from "../../support/service.ts";
import { shared } from "../../support/shared.ts";
import {
  auditOf,
  inquire,
  operator,
  type Operator,
  recordsIn,
  scriptOf,
  submitAll,
} from "../../support/console/operator.ts";
import { someOf } from "../../support/many-or-few.ts";

const mb = 1024 * 1024;
const text = "Here is our offer.";
/** None is a program by chance. */
const bytesOf = (size: number) => Buffer.concat([Buffer.from("%PDF"), randomBytes(size - 4)]);
const zipOf = (...names: readonly string[]) => writeZip(names.map((name) => ({ name, data: "text" })));
const digest = (bytes: unknown) =>
  createHash("sha256")
    .update(Buffer.from(bytes as ArrayBuffer))
    .digest("hex");

const upload = (one: Operator, reference: string, name: string, bytes: BodyInit, headers: object = {}) =>
  one.fetch(`/console/replies/files/${reference}`, {
    method: "POST",
    body: bytes,
    headers: { "content-type": "application/octet-stream", "x-file-name": encodeURIComponent(name), ...headers },
  });

async function attach(one: Operator, reference: string, name: string, bytes: Uint8Array): Promise<ReplyFile> {
  const response = await upload(one, reference, name, bytes as Uint8Array<ArrayBuffer>);
  expect(response.status).toBe(200);
  return (await response.json()) as ReplyFile;
}

const detailOf = async (one: Operator, reference: string) =>
  (await one.call("submission.get", { reference })).data as SubmissionDetail;

/** Files in the vault, and what lies in its staging folder. */
const kept = async (service: Service) =>
  (await service.files("resumes")).filter((file) => /\/[0-9a-f]{32}$|\/\.staging\//.test(file));

/** Its first round pairs the vault with the store; before that, nothing is discarded. */
const paired = (service: Service) =>
  expect.poll(() => readdir(join(service.dataFolder, "resumes/.identity")).catch(() => [])).toHaveLength(1);

test("files leave with the reply as they were, are shown and downloaded, taken back, and erased with the person", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: { ...addressees, REPLY_COPIES: "on" } });
  await paired(service);
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const [offer, note, spare] = [bytesOf(mb), Buffer.from("Zoë\r\nline\nbare"), bytesOf(1_000)];
  const sent = [
    await attach(sam, reference, "../Angebot für Zoë.pdf", offer),
    await attach(sam, reference, "letter.eml", note),
  ];
  const removed = await attach(sam, reference, "spare.bin", spare);
  expect(sent.map(({ name, size }) => [name, size])).toEqual([
    ["Angebot für Zoë.pdf", offer.length],
    ["letter.eml", note.length],
  ]);
  expect((await sam.call("reply.removeFile", { id: removed.id })).status).toBe(200);
  expect(await kept(service)).toHaveLength(2);
  expect((await detailOf(sam, reference)).attached).toEqual(sent);
  // Another one sees and sends them not.
  const root = await operator(service, "root@example.org", "admin");
  expect((await detailOf(root, reference)).attached).toEqual([]);
  const files = sent.map(({ id }) => id);
  const stolen = await root.call("reply.send", { reference, text, files });
  expect([stolen.status, stolen.issues?.[0]?.path]).toEqual([400, ["files"]]);

  const first = await sam.call("reply.send", { reference, text, files });
  expect((await sam.call("reply.undo", { id: (first.data as { id: number }).id })).status).toBe(200);
  expect((await detailOf(sam, reference)).attached).toEqual(sent);
  expect((await sam.call("reply.send", { reference, text, files })).status).toBe(200);
  clock.advance(10_000);
  const mailTo = async (address: string) =>
    (await service.mails()).find(({ to, subject }) => subject?.startsWith("Re: ") && to?.[0]?.address === address);
  await eventually(async () => (await mailTo("ann@example.org")) !== undefined).toBe(true);
  const { attachments } = (await mailTo("ann@example.org"))!;
  expect(attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ["Angebot für Zoë.pdf", "application/pdf"],
    ["letter.eml", "application/octet-stream"],
  ]);
  expect(attachments.map(({ content }) => digest(content))).toEqual([digest(offer), digest(note)]);
  // The team finds them in the console.
  await eventually(async () => (await mailTo(addressees.SALES_EMAIL)) !== undefined).toBe(true);
  const copy = (await mailTo(addressees.SALES_EMAIL))!;
  expect([copy.attachments, copy.text]).toEqual([
    [],
    expect.stringContaining("Files: Angebot für Zoë.pdf, letter.eml"),
  ]);

  const { replies, attached } = await detailOf(root, reference);
  expect([replies.map((reply) => reply.files), attached]).toEqual([[sent], []]);
  const got = await root.fetch(`/console/replies/files/${files[0]}`);
  expect([got.status, digest(Buffer.from(await got.arrayBuffer()))]).toEqual([200, digest(offer)]);
  expect(got.headers.get("content-type")).toBe("application/octet-stream");
  expect(got.headers.get("content-disposition")).toContain("filename*=UTF-8''Angebot%20f%C3%BCr%20Zo%C3%AB.pdf");
  expect(got.headers.get("x-content-type-options")).toBe("nosniff");
  const rita = await operator(service, "rita@example.org", "recruiting");
  expect((await rita.fetch(`/console/replies/files/${files[0]}`)).status).toBe(404);
  const known = recordsIn(await (await root.fetch("/console/people/ann@example.org.ndjson")).text());
  expect(known.find(({ kind }) => kind === "reply")).toMatchObject({ files: sent });
  const actions = (await auditOf(service)).filter(
    ({ action, detail }) => action.startsWith("reply.") && "file" in detail,
  );
  expect(actions.map(({ action, operator: by }) => [action, by])).toEqual([
    ...[...sent, removed].map(() => ["reply.attach", "sam@example.org"]),
    ["reply.detach", "sam@example.org"],
    ["reply.download", "root@example.org"],
  ]);
  expect(JSON.stringify(actions)).not.toContain("Angebot");

  await using backups = await openFolder();
  expect((await runCommand(["backup", backups.path], service.sameData)).code).toBe(0);
  const copied = (await readdir(backups.path, { recursive: true })).filter((file) => /\/[0-9a-f]{32}$/.test(file));
  expect(copied).toHaveLength(2);
  expect((await root.call("people.erase", { email: "ann@example.org" })).status).toBe(200);
  expect(await kept(service)).toEqual([]);
  expect((await root.fetch(`/console/replies/files/${files[0]}`)).status).toBe(404);
});

test.each(someOf(["postmark", "smtp"] as const))("by %s the bytes arrive as they were", async (transport) => {
  const clock = new MovableClock();
  await using postmark = await PostmarkStandIn.open();
  await using smtp = await SmtpStandIn.open();
  const env = {
    postmark: postmark.env,
    smtp: { ...addressees, MAIL_TRANSPORT: "smtp", SMTP_URL: smtp.url },
  }[transport];
  await using service = await startService({ clock, env });
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const bytes = bytesOf(7 * mb);
  const { id } = await attach(sam, reference, "offer.pdf", bytes);
  await sam.call("reply.send", { reference, text, files: [id] });
  // Another mail is due with it.
  await sam.call("reply.send", { reference, text: "And more." });
  clock.advance(10_000);
  const arrived = () =>
    transport === "postmark"
      ? postmark.taken.map(({ Attachments = [] }) =>
          Attachments.map((one) => [one.Name, one.ContentType, digest(Buffer.from(one.Content, "base64"))]),
        )
      : smtp.received.map(({ message: { attachments } }) =>
          attachments.map((one) => [one.filename, one.mimeType, digest(one.content)]),
        );
  const expected = ["offer.pdf", "application/pdf", digest(bytes)];
  await eventually(() => arrived().toSorted((one, other) => one.length - other.length)).toEqual([
    [],
    [],
    [],
    [expected],
  ]);
});

test("a mail whose files cannot be read now goes out when they can", async () => {
  const clock = new MovableClock();
  await using service = await startService({ clock, env: addressees });
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const bytes = bytesOf(1_000);
  const { id } = await attach(sam, reference, "offer.pdf", bytes);
  const [file = ""] = await kept(service);
  const away = join(service.dataFolder, "away");
  await rename(file, away);
  await sam.call("reply.send", { reference, text, files: [id] });
  const mail = async () => (await detailOf(sam, reference)).mails.at(-1)!;
  // More often than a mail is tried that cannot be written.
  for (let attempts = 1; attempts <= 6; attempts += 1) {
    clock.advance(60 * 60_000);
    await eventually(async () => (await mail()).attempts).toBe(attempts);
  }
  expect(await mail()).toMatchObject({ status: "queued", lastError: "files not read: ResumeMissing" });
  await mkdir(dirname(file), { recursive: true });
  await rename(away, file);
  clock.advance(60 * 60_000);
  await eventually(async () => (await mail()).status).toBe("sent");
  const mails = await service.mails();
  expect(digest(mails.at(-1)!.attachments[0]!.content)).toBe(digest(bytes));
});

test("with a virus scanner, a file is attached once it was found clean", async () => {
  await using clamd = await ClamdStandIn.open();
  const { lines, log } = keptLog();
  await using service = await startService({ env: { CLAMD_ADDRESS: clamd.address }, log });
  await paired(service);
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const offer = bytesOf(300_000);
  const clean = await attach(sam, reference, "offer.pdf", offer);
  expect(clamd.scanned.map(digest)).toEqual([digest(offer)]);
  const refused = async (bytes: Buffer) => {
    const response = await upload(sam, reference, "offer.pdf", bytes as Uint8Array<ArrayBuffer>);
    const { message, issues } = (await response.json()) as { message: string; issues?: { message: string }[] };
    return [response.status, issues?.[0]?.message ?? message, response.headers.get("retry-after")];
  };
  const infected = [400, "The virus scanner found this file infected.", null];
  expect(await refused(Buffer.from("%PDF EICAR"))).toEqual(infected);
  const unscanned = [503, expect.stringMatching(/^The virus scanner does not answer/), expect.any(String)];
  clamd.excuses.push("INSTREAM size limit exceeded. ERROR");
  expect(await refused(offer)).toEqual(unscanned);
  clamd.excuses.push("hang up");
  expect(await refused(offer)).toEqual(unscanned);
  expect(await kept(service)).toHaveLength(1);
  expect((await detailOf(sam, reference)).attached).toEqual([clean]);
  const told = lines.filter(({ msg }) => msg === "a file of a reply is infected");
  expect(told).toMatchObject([{ reference, result: "infected" }]);
});

test("a file whose scan takes too long is refused while its client still waits", async () => {
  await using clamd = await ClamdStandIn.open();
  const { promise, resolve: judge } = Promise.withResolvers<void>();
  clamd.gate = promise;
  // Three seconds of it are for what comes after the scan.
  const limits = { answerMsMax: 3_050 };
  await using service = await startService({ env: { CLAMD_ADDRESS: clamd.address }, limits });
  await paired(service);
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const response = await upload(sam, reference, "offer.pdf", "%PDF");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
  expect(await response.json()).toMatchObject({ message: expect.stringMatching(/^The virus scanner does not answer/) });
  judge();
  await expect.poll(() => kept(service)).toEqual([]);
  expect((await detailOf(sam, reference)).attached).toEqual([]);
});

test("a file whose client has gone before it was scanned is not attached", async () => {
  await using clamd = await ClamdStandIn.open();
  const { promise, resolve: judge } = Promise.withResolvers<void>();
  clamd.gate = promise;
  const limits = { idleMs: 120_000, answerMsMax: 90_000 };
  await using service = await startService({ env: { CLAMD_ADDRESS: clamd.address }, limits });
  await paired(service);
  const reference = await inquire(service, "ann@example.org");
  const sam = await operator(service, "sam@example.org", "sales");
  const gone = beginUpload(sam, reference);
  gone.on("error", () => {}).end("%PDF");
  await expect.poll(() => clamd.scanned.length).toBe(1);
  // Two of an operator are read at once.
  const others = [attach(sam, reference, "b.pdf", bytesOf(10)), attach(sam, reference, "c.pdf", bytesOf(10))];
  await expect.poll(() => clamd.scanned.length).toBe(2);
  gone.socket!.resetAndDestroy();
  await expect.poll(() => clamd.scanned.length).toBe(3);
  judge();
  const attached = await Promise.all(others);
  await expect.poll(() => kept(service)).toHaveLength(2);
  const ids = (files: readonly ReplyFile[]) => new Set(files.map(({ id }) => id));
  expect(ids((await detailOf(sam, reference)).attached)).toEqual(ids(attached));
});

describe("refused, it leaves no file", () => {
  const service = shared(() => startService());
  let sam: Operator | undefined;
  let references: { readonly inquiry: string; readonly application: string };
  const prepared = async () => {
    if (sam === undefined) {
      references = await submitAll(service());
      sam = await operator(service(), "sam@example.org", "sales");
    }
    return { one: sam, ...references };
  };

  const refusal = async (response: Response) => {
    const { message, issues } = (await response.json()) as { message: string; issues?: { message: string }[] };
    return [response.status, issues?.[0]?.message ?? message];
  };
  const unchanged = async (act: () => Promise<unknown>) => {
    const before = await kept(service());
    const outcome = await act();
    expect(await kept(service())).toEqual(before);
    return outcome;
  };

  const program = [415, "Programs are not sent with a reply. Neither are ZIP files that hold one."];
  const plain = Buffer.from("plain text");
  test.each<[string, Buffer]>([
    ...[
      "a.exe",
      "A.EXE",
      "a.pdf.bat",
      "a.exe.",
      "a.exe::$DATA",
      "a.sh",
      "a.js",
      "a.ps1",
      "a.jar",
      "a.apk",
      "a.lnk",
    ].map((name): [string, Buffer] => [name, plain]),
    ["a.msi", plain],
    ["offer.pdf", Buffer.from("MZ\u0090\0")],
    ["offer.txt", Buffer.from("\u007fELF", "latin1")],
    ["offer", Buffer.from("#!/bin/sh\n")],
    ["offer.bin", Buffer.from("cffaedfe0c000001", "hex")],
    ["offer.zip", Buffer.from("cafebabe00000002", "hex")],
    ["offer.zip", zipOf("offer.pdf", "prices/Setup.EXE")],
    ["offer", zipOf("run.js")],
    // Behind other bytes, as archives that unpack themselves have it.
    ["offer.png", writeZip([{ name: "a.bat", data: "" }], { prefix: Buffer.from("89504e47", "hex") })],
  ])("a program: %s", async (name, bytes) => {
    const { one, inquiry } = await prepared();
    expect(await unchanged(async () => refusal(await upload(one, inquiry, name, new Uint8Array(bytes))))).toEqual(
      program,
    );
  });

  test.each<[string, Buffer]>([
    ...["notes.show", "exe", "report.sh.pdf", "a.docx", "x.mp3"].map((name): [string, Buffer] => [name, plain]),
    ["offer.zip", zipOf("offer.pdf", "exe", "a.exe.txt")],
    // It contradicts itself.
    ["damaged.zip", zipOf("a.exe").subarray(8)],
  ])("not %s, which is none", async (name, bytes) => {
    const { one, inquiry } = await prepared();
    const { id } = await attach(one, inquiry, name, bytes);
    expect((await one.call("reply.removeFile", { id })).status).toBe(200);
  });

  test("an empty one, one that is too large, and a sixth", async () => {
    const { one, inquiry } = await prepared();
    expect(await unchanged(async () => refusal(await upload(one, inquiry, "a.txt", "")))).toEqual([
      400,
      "The file is empty.",
    ]);
    // As a program sends it that has nothing to send.
    const nothing = beginUpload(one, inquiry, { "content-length": "0" });
    expect(await unchanged(() => statusAfter(nothing, Buffer.alloc(0)))).toBe(400);
    const tooLarge = [413, "A reply has at most 5 files, of 7 MB in all."];
    const announced = bytesOf(7 * mb + 1);
    expect(await unchanged(async () => refusal(await upload(one, inquiry, "a.pdf", announced)))).toEqual(tooLarge);
    // Without a length: it is counted as it comes.
    expect(await unchanged(() => statusAfter(beginUpload(one, inquiry), bytesOf(8 * mb)))).toBe(413);
    for (let at = 0; at < 5; at += 1) await attach(one, inquiry, `${at}.txt`, plain);
    expect(await unchanged(async () => refusal(await upload(one, inquiry, "6.txt", plain.toString())))).toEqual(
      tooLarge,
    );
    const { attached } = await detailOf(one, inquiry);
    for (const { id } of attached) await one.call("reply.removeFile", { id });
  });

  test("of anyone who may not reply, from another site, and of another kind", async () => {
    const { one, inquiry, application } = await prepared();
    const root = await operator(service(), "root@example.org", "admin");
    const script = await scriptOf(root, "admin");
    const mia = await operator(service(), "mia@example.org", "marketing");
    const stranger = await operator(service(), "gone@example.org", "sales");
    stranger.cookie = null;
    const statusOf = async (who: Operator, reference: string, headers: object = {}) =>
      (await upload(who, reference, "a.txt", "text", headers)).status;
    await unchanged(async () => {
      expect(await statusOf(stranger, inquiry)).toBe(401);
      expect(await statusOf(script, inquiry)).toBe(403);
      expect(await statusOf(mia, inquiry)).toBe(404);
      expect(await statusOf(one, application)).toBe(404);
      expect(await statusOf(one, "INQ-20200101-000000")).toBe(404);
      expect(await statusOf(one, inquiry, { "sec-fetch-site": "same-site" })).toBe(403);
      expect(await statusOf(one, inquiry, { "content-type": "application/json" })).toBe(415);
      expect(await statusOf(one, inquiry, { "x-file-name": "%E0%A4%A" })).toBe(400);
    });
    expect((await detailOf(one, inquiry)).attached).toEqual([]);
  });
});

const beginUpload = ({ url, cookie, headers }: Operator, reference: string, more: object = ofBytes) =>
  request(`${url}/console/replies/files/${reference}`, {
    method: "POST",
    headers: { ...headers, cookie: cookie ?? "", "x-file-name": "a.bin", ...more },
  });

const ofBytes = { "content-type": "application/octet-stream" };

/** Answers the status. */
async function statusAfter(sent: ClientRequest, bytes: Uint8Array): Promise<number | undefined> {
  sent.end(bytes);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
