// The mailbox on a real folder: whole files that a mail program opens, one a mail, for one user only.
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import type { OutgoingMail } from "../../../server/src/mail/mailer.ts";
import { openMailer } from "../../../server/src/mail/transports.ts";
import { openFolder } from "../../support/folder.ts";
import { shared } from "../../support/shared.ts";
import { from, messageKey, oneOfEach, welcomes } from "../../support/mail/examples.ts";

const root = shared(openFolder);

let folders = 0;
async function mailbox() {
  const folder = join(root().path, `box-${(folders += 1)}`, "mailbox");
  return { folder, mailer: await openMailer({ kind: "mailbox", folder }, from, messageKey) };
}

async function written(mail: OutgoingMail) {
  const { folder, mailer } = await mailbox();
  expect(await mailer.send([mail])).toEqual([{ result: "taken", providerId: `${mail.id}.eml` }]);
  const raw = await readFile(join(folder, `${mail.id}.eml`));
  return { raw: raw.toString("latin1"), message: await PostalMime.parse(raw) };
}

test.each(oneOfEach())("writes the $kind so that it reads back whole", async (mail) => {
  const { raw, message } = await written(mail);
  const header = (name: string) => message.headers.find(({ key }) => key === name)?.value;
  expect(message.from).toMatchObject({ name: "Accent Datasets", address: "hello@datasets.example" });
  expect(message.to?.map(({ address }) => address)).toEqual(mail.content.to);
  expect(message.replyTo?.map(({ address }) => address) ?? []).toEqual(mail.content.replyTo);
  expect(message.subject).toBe(mail.content.subject);
  expect(message.messageId).toMatch(/^<[0-9a-f]{32}@datasets\.example>$/);
  expect(Math.abs(Date.parse(message.date!) - Date.now())).toBeLessThan(60_000);
  for (const [name, value] of Object.entries(mail.content.headers)) expect(header(name.toLowerCase())).toBe(value);
  expect(header("x-submissions-kind")).toBe(mail.kind);
  expect(header("x-submissions-reference") ?? null).toBe(mail.reference);
  expect(message.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(mail.content.text.trimEnd());
  expect(message.html?.trimEnd()).toBe(mail.content.html.trimEnd());
  expect(message.attachments).toEqual([]);
  // It counts mails, and a receipt goes to a stranger.
  expect(raw).not.toContain(mail.id);
  // CRLF line ends only, ASCII only, no line longer than a mail server takes.
  expect(raw.replaceAll("\r\n", "")).not.toMatch(/[\r\n]|[^\t -~]/);
  expect(Math.max(...raw.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
});

test("carries names, subjects and texts of any script and length", async () => {
  const mail = welcomes(1)[0]!;
  const subject = "Neue Bewerbung von 山田太郎 und Søren, علی‌رضا — with a long tail of words that has to be folded 👩‍🔬";
  const text = `${"語".repeat(20_000)}\n.\n${"x".repeat(5_000)}\n`;
  const { mailer, folder } = await mailbox();
  await mailer.send([{ ...mail, content: { ...mail.content, subject, text } }]);
  const message = await PostalMime.parse(await readFile(join(folder, `${mail.id}.eml`)));
  expect(message.subject).toBe(subject);
  expect(message.text?.replaceAll("\r\n", "\n").trimEnd()).toBe(text.trimEnd());
});

test.each(['Söhne "& Co"', "Sales, Ltd. <x>\\", null])("writes the sender %j so that it reads back", async (name) => {
  const folder = join(root().path, `sender-${(folders += 1)}`);
  const mailer = await openMailer({ kind: "mailbox", folder }, { name, address: "a@b.example" }, messageKey);
  const mail = welcomes(1)[0]!;
  await mailer.send([mail]);
  const { from: read } = await PostalMime.parse(await readFile(join(folder, `${mail.id}.eml`)));
  expect(read).toMatchObject({ name: name ?? "", address: "a@b.example" });
});

test("never lets a value begin another header", async () => {
  const mail = welcomes(1)[0]!;
  const content = { ...mail.content, subject: "a\r\nBcc: x@evil.example", replyTo: ["a@b.example\nX-Evil: 1"] };
  const { message } = await written({ ...mail, content: { ...content, headers: { "X-One": "1\r\n\r\nbody" } } });
  expect(message.headers.map(({ key }) => key)).not.toContain("bcc");
  expect(message.headers.map(({ key }) => key)).not.toContain("x-evil");
  expect(message.text?.replaceAll("\r\n", "\n")).toContain(mail.content.text.trimEnd());
});

test("keeps one file for a mail that is sent twice, and no unfinished one", async () => {
  const { folder, mailer } = await mailbox();
  const mails = welcomes(3);
  // What a crash leaves behind.
  await writeFile(join(folder, `.${mails[0]!.id}.tmp`), "unfinished");
  await mailer.send(mails);
  await mailer.send(mails);
  expect((await readdir(folder)).toSorted()).toEqual(mails.map(({ id }) => `${id}.eml`).toSorted());
});

test("keeps folder and files to its own user, and makes its folder anew after it was removed", async () => {
  const { folder, mailer } = await mailbox();
  const mails = welcomes(2);
  for (const _ of ["first", "again"]) {
    expect(await mailer.send(mails)).toMatchObject([{ result: "taken" }, { result: "taken" }]);
    expect((await readdir(folder)).toSorted()).toEqual(mails.map(({ id }) => `${id}.eml`).toSorted());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, `${mails[0]!.id}.eml`))).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  }
});

test("says later, by code alone, when the folder above is gone", async () => {
  const { folder, mailer } = await mailbox();
  await rm(dirname(folder), { recursive: true });
  const later = { result: "later", error: "mailbox: ENOENT", cause: "provider" };
  expect(await mailer.send(welcomes(2))).toEqual([later, later]);
});

test("writes no file outside its folder, whatever the id", async () => {
  const { folder, mailer } = await mailbox();
  const [outcome] = await mailer.send([{ ...welcomes(1)[0]!, id: "../escaped" }]);
  expect(outcome).toMatchObject({ result: "refused" });
  expect(await readdir(join(folder, ".."))).toEqual(["mailbox"]);
});

test("keeps nothing of a batch with a mail that cannot be written", async () => {
  const { folder, mailer } = await mailbox();
  const [mail, other] = welcomes(2);
  const unwritable = { ...other!, content: { ...other!.content, to: null as never } };
  await expect(mailer.send([mail!, unwritable])).rejects.toThrow(TypeError);
  expect(await readdir(folder)).toEqual([]);
});
