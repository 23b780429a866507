// The yardstick: the inquiry and the upload as one would write them by hand with Fastify, zod and node:sqlite, durable and
// with an outbox, and nothing around them: no request ids, headers, limits, log, metrics or typed door. It shares no code
// with the service. Environment: PORT, DATA_DIR, POSTMARK_API_URL.
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import multipart from "@fastify/multipart";
import Fastify from "fastify";
import { z } from "zod";

const { PORT = "", DATA_DIR = "", POSTMARK_API_URL = "" } = process.env;
const resumes = join(DATA_DIR, "resumes");
await mkdir(resumes);

const database = new DatabaseSync(join(DATA_DIR, "yardstick.sqlite"));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE submission (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL, email TEXT NOT NULL, fields TEXT NOT NULL) STRICT;
  CREATE TABLE mail (id INTEGER PRIMARY KEY, submission TEXT NOT NULL, kind TEXT NOT NULL, due_at INTEGER, sent_at INTEGER) STRICT;
  CREATE INDEX mail_due ON mail (due_at) WHERE due_at IS NOT NULL;`);
const begin = database.prepare("BEGIN IMMEDIATE");
const commit = database.prepare("COMMIT");
const insertSubmission = database.prepare("INSERT INTO submission VALUES (?, ?, ?, ?)");
const insertMail = database.prepare("INSERT INTO mail (submission, kind, due_at) VALUES (?, ?, ?)");
const settle = database.prepare("UPDATE mail SET sent_at = ?, due_at = NULL WHERE id = ?");

interface Submission {
  readonly id: string;
  readonly email: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly answer: () => void;
}

interface Mail {
  readonly id: number;
  readonly kind: "receipt" | "notice";
  readonly submission: Submission;
}

// Submissions of one turn share a transaction. Mails that were sent meanwhile are settled in it.
let waiting: Submission[] = [];
let sent: number[] = [];
let unsent: Mail[] = [];
let armed = false;
let posting = false;

function arm(): void {
  if (armed) return;
  armed = true;
  setImmediate(flush);
}

function flush(): void {
  armed = false;
  const now = Date.now();
  const [submissions, settled] = [waiting, sent];
  [waiting, sent] = [[], []];
  begin.run();
  for (const id of settled) settle.run(now, id);
  for (const submission of submissions) {
    insertSubmission.run(submission.id, now, submission.email, JSON.stringify(submission.facts));
    for (const kind of ["receipt", "notice"] as const) {
      unsent.push({ id: Number(insertMail.run(submission.id, kind, now).lastInsertRowid), kind, submission });
    }
  }
  commit.run();
  if (unsent.length > 0 && !posting) void post();
}

async function post(): Promise<void> {
  posting = true;
  while (unsent.length > 0) {
    const mails = unsent.splice(0, 500);
    const response = await fetch(`${POSTMARK_API_URL}/email/batch`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-postmark-server-token": "server-token" },
      body: JSON.stringify(mails.map(write)),
    });
    const answers = (await response.json()) as readonly { readonly ErrorCode: number }[];
    mails.forEach(({ id, kind, submission }, position) => {
      if (answers[position]?.ErrorCode === 0) sent.push(id);
      if (kind === "receipt") submission.answer();
    });
    arm();
  }
  posting = false;
}

// As long as the service's own mails.
const style = `<style>${".card{padding:24px 20px;background:#1c1f24;border-color:#343a42}".repeat(22)}</style>`;
const cell =
  '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;font-size:16px;line-height:1.55;text-align:left"><tr><td style="padding:24px 12px">';
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function write({ kind, submission: { id, email, facts } }: Mail) {
  const subject = kind === "receipt" ? `We received your submission ${id}` : `New submission ${id}`;
  const rows = facts.map(([label, value]) => `${cell}<div>${label}</div><div>${escape(value)}</div></td></tr></table>`);
  return {
    From: "desk@marketplace.example",
    To: kind === "receipt" ? email : "sales@marketplace.example",
    Subject: subject,
    TextBody: facts.map((fact) => fact.join(": ")).join("\n"),
    HtmlBody: `<!doctype html><html lang="en"><head>${style}<title>${subject}</title></head><body>${cell}<h1>${subject}</h1>${rows.join("")}</td></tr></table></body></html>`,
    MessageStream: "outbound",
    Metadata: { kind, submission: id },
  };
}

const submit = (prefix: string, email: string, facts: Submission["facts"]): Promise<string> =>
  new Promise((resolve) => {
    const id = `${prefix}-${Math.floor(Math.random() * 1e12)}`;
    waiting.push({ id, email, facts, answer: () => resolve(id) });
    arm();
  });

const text = (max: number) =>
  z
    .string()
    .transform((value) => value.normalize("NFC").trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(max)
        .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/),
    );
const inquiry = z.object({
  name: text(200),
  company: text(200).optional(),
  email: z.email().max(254),
  selectedPackageIds: z.array(text(100)).min(1).max(50),
});
const application = z.object({ fullName: text(200), email: z.email().max(254), position: text(200) });

const app = Fastify();
const refused = () => Object.assign(new Error("Please check the fields."), { statusCode: 400 });
const receipt = { 200: { type: "object", properties: { message: { type: "string" }, id: { type: "string" } } } };

app.post("/inquiry", { schema: { response: receipt } }, async (request) => {
  const parsed = inquiry.safeParse(request.body);
  if (!parsed.success) throw refused();
  const { name, company = "", email, selectedPackageIds } = parsed.data;
  const facts = [
    ["Name", name],
    ["Company", company],
    ["E-mail", email],
    ...selectedPackageIds.map((id) => ["Package", id] as const),
  ] as const;
  return { message: "Thank you.", id: await submit("INQ", email, facts) };
});

await app.register(multipart, { limits: { fileSize: 5 * 1024 * 1024 } });
app.post("/upload", { schema: { response: receipt } }, async (request) => {
  const fields: Record<string, unknown> = {};
  const path = join(resumes, randomUUID());
  const hash = createHash("sha256");
  for await (const part of request.parts()) {
    if (part.type === "field") {
      fields[part.fieldname] = part.value;
      continue;
    }
    part.file.on("data", (chunk: Buffer) => hash.update(chunk));
    await pipeline(part.file, createWriteStream(`${path}.part`));
    await sync(`${path}.part`);
    await rename(`${path}.part`, path);
    await sync(resumes);
  }
  const parsed = application.safeParse(fields);
  if (!parsed.success) throw refused();
  const { fullName, email, position } = parsed.data;
  const facts = [
    ["Name", fullName],
    ["Position", position],
    ["SHA-256", hash.digest("hex")],
  ] as const;
  return { message: "Thank you.", id: await submit("APP", email, facts) };
});

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

app.get("/readyz", () => "ready");
await app.listen({ host: "127.0.0.1", port: Number(PORT) });
