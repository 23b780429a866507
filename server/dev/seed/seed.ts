// Fills an empty store with made-up submissions, rows written in bulk: a million take about a minute on SQLite.
import { createHash, randomBytes } from "node:crypto";
import { emailKey } from "@submissions/shared/fields";
import { referenceDay } from "@submissions/shared/reference";
import { type MovableStore, movedTables, type Row } from "../../src/storage/move.ts";
import { openEmpty, type StoreLocation } from "../../src/storage/open-store.ts";
import type { ResumeRecord, SubmissionKind } from "../../src/storage/records.ts";
import { dayMs, shownDay, startOfDay } from "../../src/clock.ts";
import { mailsOf } from "../../src/storage/rules/mails.ts";
import { dayNumber, References } from "../../src/storage/rules/references.ts";
import { answers, furtherReplies, noteTexts, operators, replies, savedAnswers, unmatched } from "./people.ts";
import { type MadeUp, makeSubmissions, makeSubscribers, Random } from "./made-up.ts";

export type KeptResume = Pick<ResumeRecord, "key" | "size" | "sha256">;

export interface SeedOptions {
  readonly count: number;
  readonly days: number;
  /** Milliseconds since the epoch: when the last one came in. */
  readonly now: number;
  /** Keeps the resume of a person; absent: the row names a resume that does not exist. */
  readonly keepResume?: (name: string) => Promise<KeptResume>;
  readonly onProgress?: (rows: number) => void;
}

/** Older mails would be forgotten. */
const mailsKeptMs = 89 * dayMs;
const pageRows = 1_000;
/** Histories and notes are only made up for so many of the latest. */
const storiesMax = 5_000;

/** @throws OperatorError when the store is not empty */
export async function seedStore(location: StoreLocation, options: SeedOptions): Promise<void> {
  await using target = await openEmpty(location);
  const random = new Random(options.count);
  const key = createHash("sha256").update(`seed ${options.count} ${options.now}`).digest("hex");
  const secrets = { reference_key: key, cookie_key: randomBytes(32).toString("hex") };
  const writer = new Writer(target);
  writer.add("store", { id: 1, identity: key.slice(0, 32), probe: 0, ...secrets });
  await addSubmissions(writer, new References(key), random, options);
  await addSubscribers(writer, random, options);
  for (const answer of savedAnswers) writer.add("saved_answer", answer);
  for (const mail of unmatched.toReversed()) addUnmatched(writer, mail, options.now);
  await writer.finish();
  await target.commit();
}

async function addSubmissions(
  writer: Writer,
  references: References,
  random: Random,
  { count, days, now, keepResume, onProgress }: SeedOptions,
): Promise<void> {
  const counts = new Map<string, { kind: SubmissionKind; day: number; taken: number }>();
  const changes: Change[] = [];
  let arrival = 0;
  for (const made of makeSubmissions(count, now - days * dayMs, now, random)) {
    const { hasResume, fields, conversation: _, ...row } = made;
    arrival += 1;
    const hasStory = count - arrival < storiesMax;
    const day = referenceDay(row.received_at);
    const ofDay = counts.getOrInsertComputed(`${row.kind} ${day}`, () => ({ kind: row.kind, day, taken: 0 }));
    const counter = ofDay.taken;
    ofDay.taken += 1;
    const reference = references.format(row.kind, day, counter);
    const resume = hasResume ? await (keepResume?.(row.name) ?? noResume(made, arrival)) : null;
    const facts = resume && { filename: `${row.name} CV.pdf`, kind: "pdf", size: resume.size, sha256: resume.sha256 };
    const receipted = row.status !== "spam" && now - row.received_at < mailsKeptMs;
    writer.add("submission", {
      ...row,
      day_number: dayNumber(day, counter),
      reference,
      email_key: emailKey(row.email),
      last_answer_at: hasStory ? row.last_answer_at : null,
      version: row.responded_at === null ? 1 : 2,
      receipt_at: receipted ? row.received_at : null,
      resume_key: resume?.key ?? null,
      resume_scan: resume && "clean",
      door: "rest",
      request_id: `seed-${arrival}`,
      fields: JSON.stringify(row.kind === "application" ? { ...fields, resume: facts } : fields),
    });
    if (row.tags !== null) {
      for (const word of JSON.parse(row.tags) as string[]) {
        writer.add("tag", { submission: arrival, kind: row.kind, word });
      }
    }
    if (receipted) addMails(writer, made, arrival, random);
    if (hasStory) changes.push(...addStory(writer, made, arrival, reference, random));
    if (arrival % pageRows === 0) onProgress?.(arrival);
    await writer.writeFull();
  }
  // The audit log is in the order of time, as operators would have written it.
  for (const change of changes.toSorted((a, b) => a.at - b.at)) {
    writer.add("audit", change);
    await writer.writeFull();
  }
  for (const ofDay of counts.values()) writer.add("day_counter", ofDay);
}

function noResume({ received_at: at }: MadeUp, arrival: number): KeptResume {
  const sha256 = createHash("sha256").update(`resume ${arrival}`).digest("hex");
  const folder = shownDay(at).replaceAll("-", "/");
  return { key: `${folder}/${sha256.slice(0, 32)}`, size: 40_000 + (arrival % 900_000), sha256 };
}

/** One in 500 has failed, one in 2,000 is in doubt. */
function addMails(writer: Writer, { kind, received_at: at }: MadeUp, arrival: number, random: Random): void {
  const lastAnswers = {
    sent: `seed-${arrival}`,
    failed: "The recipient's server refused it: mailbox full.",
    "in-doubt": "The server broke off.",
  };
  for (const mail of mailsOf[kind]) {
    const drawn = random.next();
    const status = drawn < 0.002 ? "failed" : drawn < 0.0025 ? "in-doubt" : "sent";
    const attempts = status === "sent" ? 1 : 12;
    const times = { created_at: at, ended_at: at + 400 };
    const ended = { status, attempts, ...times, last_answer: lastAnswers[status] };
    writer.add("mail", { kind: mail, submission: arrival, reply: null, ...ended });
  }
}

/** An entry of the audit log. */
interface Change extends Row {
  readonly at: number;
}

/** What operators did with it: mostly a reply, to which the person may have answered, and sometimes a note. */
function addStory(
  writer: Writer,
  { kind, status, assignee, responded_at: at, stage, conversation, ...person }: MadeUp,
  arrival: number,
  subject: string,
  random: Random,
): readonly Change[] {
  if (at === null) return [];
  const operator = assignee ?? operators[kind][0];
  if (random.isLess(0.15)) {
    writer.add("note", { submission: arrival, author: operator, at, text: random.of(noteTexts) });
  }
  let before = "";
  for (const [turn, said] of conversation.entries()) {
    if (said.isAnswer) addAnswer(said.at);
    else addReply(said.at, turn === 0 ? random.of(replies[kind]) : random.of(furtherReplies));
  }

  function addReply(repliedAt: number, text: string): void {
    before = text;
    const reply = writer.add("reply", { submission: arrival, author: operator, at: repliedAt, text });
    const times = { created_at: repliedAt, ended_at: repliedAt + 400 };
    const sent = { status: "sent", attempts: 1, ...times, last_answer: `seed-reply-${reply}` };
    writer.add("mail", { kind: `${kind}-reply`, submission: arrival, reply, ...sent });
  }

  function addAnswer(answeredAt: number): void {
    const [name, address] = [person.name, person.email];
    const reply = random.of(answers[kind]);
    writer.add("answer", {
      submission: arrival,
      at: answeredAt,
      identity: `seed-answer-${arrival}`,
      message_id: `<seed-${arrival}@mail.example>`,
      sender_address: address,
      sender_name: name,
      sender: "person",
      subject: `Re: ${subject}`,
      text: `${reply}\n\n${name}\n\nOn ${shownDay(at ?? 0)}, we wrote:\n> ${before}`,
      reply: `${reply}\n\n${name}`,
    });
  }

  const changed = (action: string, from: string | null, to: string): Change => ({
    at,
    operator,
    subject,
    action,
    detail: JSON.stringify({ from, to }),
  });
  const replied = { at, operator, subject, action: "reply", detail: "{}" };
  return [
    changed("status", "new", status),
    ...(assignee === null ? [] : [changed("assignee", null, assignee)]),
    ...(stage === "received" ? [] : [changed("stage", "received", stage)]),
    ...conversation.filter(({ isAnswer }) => !isAnswer).map((said) => ({ ...replied, at: said.at })),
  ];
}

function addUnmatched(writer: Writer, mail: (typeof unmatched)[number], now: number): void {
  const { hours, subject, text } = mail;
  const [name, address] = mail.from;
  const key = `seed-unmatched-${hours}`;
  writer.add("unmatched", {
    at: now - hours * 60 * 60 * 1000,
    identity: key,
    message_id: `<${key}@mail.example>`,
    sender_address: address,
    sender_key: emailKey(address),
    sender_name: name,
    automatic: "isAutomatic" in mail ? 1 : 0,
    subject,
    text,
    reply: "reply" in mail ? mail.reply : null,
    files: JSON.stringify("files" in mail ? mail.files : []),
  });
}

async function addSubscribers(writer: Writer, random: Random, { count, days, now }: SeedOptions): Promise<void> {
  const from = now - days * dayMs;
  const growth = new Map<number, number>();
  for (const subscriber of makeSubscribers(Math.ceil(count / 5), from, now, random)) {
    writer.add("subscriber", subscriber);
    const day = startOfDay(Number(subscriber.confirmed_at));
    if (subscriber.status === "active") growth.set(day, (growth.get(day) ?? 0) + 1);
    await writer.writeFull();
  }
  let active = 0;
  for (let day = startOfDay(from); day < startOfDay(now); day += dayMs) {
    active += growth.get(day) ?? 0;
    writer.add("day_count", { day: referenceDay(day), kind: "subscriber", counted: active });
  }
}

const tables = new Map(movedTables.map((table) => [table.name, table]));

/** Gathers rows, numbers those of numbered tables, and writes those first that others refer to. */
class Writer {
  readonly #target: MovableStore;
  readonly #rows = new Map<string, Row[]>();
  readonly #numbers = new Map<string, number>();
  #waiting = 0;

  constructor(target: MovableStore) {
    this.#target = target;
  }

  /** Answers the number of the row, in a table that numbers its rows. */
  add(name: string, row: Row): number {
    const { numbered, key } = tables.get(name)!;
    const number = (this.#numbers.get(name) ?? 0) + 1;
    if (numbered) this.#numbers.set(name, number);
    this.#rows.getOrInsertComputed(name, () => []).push(numbered ? { [key[0]!]: number, ...row } : row);
    this.#waiting += 1;
    return number;
  }

  /** Writes what was added, once it is a page. */
  async writeFull(rowsMin = pageRows): Promise<void> {
    if (this.#waiting < rowsMin) return;
    for (const table of movedTables) {
      const rows = this.#rows.get(table.name)?.splice(0) ?? [];
      if (rows.length > 0) await this.#target.insert(table, rows);
    }
    this.#waiting = 0;
  }

  async finish(): Promise<void> {
    await this.writeFull(1);
    for (const [name, number] of this.#numbers) await this.#target.continueBehind(tables.get(name)!, number);
  }
}
