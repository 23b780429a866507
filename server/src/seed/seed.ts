// Fills an empty store with made-up submissions, rows written in bulk: a million take about a minute on SQLite.
import { createHash, randomBytes } from "node:crypto";
import { emailKey } from "@submissions/shared/fields";
import { referenceDay } from "@submissions/shared/reference";
import { type MovableStore, movedTables, openEmpty, type Row } from "../storage/move.ts";
import type { StoreLocation } from "../storage/open-store.ts";
import type { ResumeRecord, SubmissionKind } from "../storage/records.ts";
import { dayMs, shownDay, startOfDay, storedDay } from "../storage/rules/days.ts";
import { mailsOf } from "../storage/rules/mails.ts";
import { dayNumber, References } from "../storage/rules/references.ts";
import { noteTexts, operators } from "./people.ts";
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

/** @throws MoveRefused when the store is not empty */
export async function seedStore(location: StoreLocation, options: SeedOptions): Promise<void> {
  await using target = await openEmpty(location);
  const random = new Random(options.count);
  const identity = createHash("sha256").update(`seed ${options.count} ${options.now}`).digest("hex");
  const writer = new Writer(target);
  const cookieKey = randomBytes(32).toString("hex");
  await writer.add("store", {
    id: 1,
    identity: identity.slice(0, 32),
    reference_key: identity,
    probe: 0,
    cookie_key: cookieKey,
  });
  await writeSubmissions(writer, new References(identity), random, options);
  await writeSubscribers(writer, random, options);
  await writer.flush();
  await target.commit();
}

async function writeSubmissions(
  writer: Writer,
  references: References,
  random: Random,
  options: SeedOptions,
): Promise<void> {
  const { count, days, now, keepResume, onProgress } = options;
  const counts = new Map<string, { kind: SubmissionKind; day: number; taken: number }>();
  const changes: Change[] = [];
  for (const made of makeSubmissions(count, now - days * dayMs, now, random)) {
    const { kind } = made;
    const arrival = writer.next("submission");
    const day = referenceDay(made.receivedAt);
    const ofDay = counts.getOrInsertComputed(`${kind} ${day}`, () => ({ kind, day, taken: 0 }));
    const counter = ofDay.taken;
    ofDay.taken += 1;
    const reference = references.format(kind, day, counter);
    const resume = made.hasResume ? await resumeOf(made, arrival, keepResume) : null;
    const receipted = made.status !== "spam" && now - made.receivedAt < mailsKeptMs;
    await writer.add(
      "submission",
      submissionRow(made, { arrival, reference, receipted, resume, number: dayNumber(day, counter) }),
    );
    if (receipted) await writeMails(writer, made, arrival, random);
    if (count - arrival < storiesMax) changes.push(...(await writeStory(writer, made, arrival, reference, random)));
    if (arrival % pageRows === 0) onProgress?.(arrival);
  }
  // The audit log is in the order of time, as operators would have written it.
  for (const change of changes.toSorted((a, b) => a.at - b.at))
    await writer.add("audit", { id: writer.next("audit"), ...change });
  for (const ofDay of counts.values()) await writer.add("day_counter", ofDay);
}

interface Filed {
  readonly arrival: number;
  readonly reference: string;
  readonly number: number;
  readonly receipted: boolean;
  readonly resume: KeptResume | null;
}

function submissionRow(made: MadeUp, { arrival, reference, number, receipted, resume }: Filed): Row {
  const filename = `${made.name} CV.pdf`;
  const facts = resume === null ? null : { filename, kind: "pdf", size: resume.size, sha256: resume.sha256 };
  const fields = made.kind === "application" ? { ...made.fields, resume: facts } : made.fields;
  return {
    arrival,
    kind: made.kind,
    day_number: number,
    reference,
    received_at: made.receivedAt,
    name: made.name,
    email: made.email,
    email_key: emailKey(made.email),
    status: made.status,
    assignee: made.assignee,
    version: made.status === "new" || made.status === "spam" ? 1 : 2,
    receipt_at: receipted ? made.receivedAt : null,
    resume_key: resume?.key ?? null,
    resume_scan: resume === null ? null : "clean",
    door: "rest",
    request_id: `seed-${arrival}`,
    fields: JSON.stringify(fields),
    responded_at: made.respondedAt,
  };
}

async function resumeOf(
  { name, receivedAt }: MadeUp,
  arrival: number,
  keep: SeedOptions["keepResume"],
): Promise<KeptResume> {
  if (keep !== undefined) return keep(name);
  const sha256 = createHash("sha256").update(`resume ${arrival}`).digest("hex");
  const folder = shownDay(receivedAt).replaceAll("-", "/");
  return { key: `${folder}/${sha256.slice(0, 32)}`, size: 40_000 + (arrival % 900_000), sha256 };
}

/** One in 500 has failed, one in 2,000 is in doubt. */
async function writeMails(writer: Writer, made: MadeUp, arrival: number, random: Random): Promise<void> {
  for (const kind of mailsOf[made.kind]) {
    const drawn = random.next();
    const status = drawn < 0.002 ? "failed" : drawn < 0.0025 ? "in-doubt" : "sent";
    await writer.add("mail", {
      id: writer.next("mail"),
      kind,
      submission: arrival,
      status,
      attempts: status === "sent" ? 1 : 12,
      created_at: made.receivedAt,
      ended_at: made.receivedAt + 400,
      last_answer: {
        sent: `seed-${arrival}`,
        failed: "The recipient's server refused it: mailbox full.",
        "in-doubt": "The server broke off.",
      }[status],
    });
  }
}

/** An entry of the audit log. */
interface Change extends Row {
  readonly at: number;
}

/** What operators did with it, and sometimes a note. */
async function writeStory(
  writer: Writer,
  made: MadeUp,
  arrival: number,
  reference: string,
  random: Random,
): Promise<readonly Change[]> {
  if (made.respondedAt === null) return [];
  const entry = { at: made.respondedAt, operator: made.assignee ?? operators[made.kind][0], subject: reference };
  const changed = (action: string, from: string | null, to: string): Change => ({
    ...entry,
    action,
    detail: JSON.stringify({ from, to }),
  });
  if (random.isLess(0.15)) {
    const note = { author: entry.operator, at: entry.at, text: random.of(noteTexts) };
    await writer.add("note", { id: writer.next("note"), submission: arrival, ...note });
  }
  const status = changed("status", "new", made.status);
  return made.assignee === null ? [status] : [status, changed("assignee", null, made.assignee)];
}

async function writeSubscribers(writer: Writer, random: Random, { count, days, now }: SeedOptions): Promise<void> {
  const growth = new Map<number, number>();
  for (const subscriber of makeSubscribers(Math.ceil(count / 10), now - days * dayMs, now, random)) {
    await writer.add("subscriber", { arrival: writer.next("subscriber"), ...subscriber });
    if (subscriber.status !== "active") continue;
    const day = startOfDay(Number(subscriber.confirmed_at));
    growth.set(day, (growth.get(day) ?? 0) + 1);
  }
  let active = 0;
  for (let day = startOfDay(now - days * dayMs); day < startOfDay(now); day += dayMs) {
    active += growth.get(day) ?? 0;
    await writer.add("day_count", { day: storedDay(day), kind: "subscriber", counted: active });
  }
}

/** Gathers rows, and writes those first that others refer to. */
class Writer {
  readonly #target: MovableStore;
  readonly #rows = new Map<string, Row[]>();
  readonly #numbers = new Map<string, number>();
  #waiting = 0;

  constructor(target: MovableStore) {
    this.#target = target;
  }

  /** The next row number of a table. */
  next(name: string): number {
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return number;
  }

  async add(name: string, row: Row): Promise<void> {
    this.#rows.getOrInsertComputed(name, () => []).push(row);
    this.#waiting += 1;
    if (this.#waiting >= pageRows) await this.#write();
  }

  async #write(): Promise<void> {
    for (const table of movedTables) {
      const rows = this.#rows.get(table.name)?.splice(0) ?? [];
      if (rows.length > 0) await this.#target.insert(table, rows);
    }
    this.#waiting = 0;
  }

  async flush(): Promise<void> {
    await this.#write();
    for (const table of movedTables) {
      const number = this.#numbers.get(table.name);
      if (number !== undefined) await this.#target.continueBehind(table, number);
    }
  }
}
