// Made-up submissions and subscribers that look like real ones: most submissions are done, the latest are new or open, some
// are spam.
import { emailKey } from "@submissions/shared/fields";
import type { Row } from "../../src/storage/move.ts";
import type { Stage } from "@submissions/shared/stages";
import type { TriageStatus } from "../../src/storage/records.ts";
import * as list from "./people.ts";

/** A submission by the names of its columns, without what only the database gives it. */
export type MadeUp = ReturnType<typeof makeOne>;

const hourMs = 60 * 60 * 1000;

/** The latest submissions are those that still wait: this share, but so many at least. */
const freshShare = 0.006;
const freshMin = 30;

export function* makeSubmissions(count: number, from: number, until: number, random: Random): Generator<MadeUp> {
  const fresh = Math.max(freshMin, Math.round(count * freshShare));
  for (let index = 0; index < count; index += 1) {
    const at = Math.floor(from + ((until - from) * (index + random.next())) / count);
    yield makeOne(at, until, index >= count - fresh, random);
  }
}

function makeOne(at: number, now: number, isFresh: boolean, random: Random) {
  const kind = random.isLess(0.7) ? ("inquiry" as const) : ("application" as const);
  const { name, email, company } = makePerson(random);
  const status = statusOf(isFresh, random);
  const assigned = status === "open" || status === "done" ? 0.85 : isFresh ? 0.2 : 0;
  const assignee = random.isLess(assigned) ? random.of(list.operators[kind]) : null;
  const waited = Math.round((0.3 + 40 * random.next() ** 3) * hourMs);
  const respondedAt = status === "new" || status === "spam" ? null : Math.min(at + waited, now);
  const hasResume = kind === "application" && random.isLess(0.7);
  const fields = kind === "inquiry" ? inquiryFields(company, random) : applicationFields(company, random);
  const tags = status !== "spam" && random.isLess(0.2) ? JSON.stringify([random.of(list.tags[kind])]) : null;
  const row = { kind, received_at: at, name, email, status, assignee, responded_at: respondedAt, tags };
  const conversation =
    respondedAt !== null && random.isLess(0.6) ? makeConversation(respondedAt, now, status, random) : [];
  const answeredAt = conversation.findLast(({ isAnswer }) => isAnswer)?.at ?? null;
  const stage = kind === "application" ? stageOf(status, respondedAt, random) : received;
  return { ...row, ...stage, last_answer_at: answeredAt, hasResume, fields, conversation };
}

/** A reply, and what the person and the operator write after it: the latter last where it is done. */
function makeConversation(first: number, now: number, status: TriageStatus, random: Random) {
  const conversation = [{ at: first, isAnswer: false }];
  const answeredAt = first + Math.round((0.2 + 30 * random.next() ** 2) * hourMs);
  const repliedAt = answeredAt + Math.round((0.1 + 5 * random.next()) * hourMs);
  if (repliedAt > now || random.isLess(0.5)) return conversation;
  conversation.push({ at: answeredAt, isAnswer: true });
  if (status === "done" || random.isLess(0.4)) conversation.push({ at: repliedAt, isAnswer: false });
  return conversation;
}

const received = {
  stage: "received" as Stage,
  decided_at: null as number | null,
  decline_reason: null as string | null,
};

function stageOf(status: TriageStatus, at: number | null, random: Random): typeof received {
  if (status === "open") return { ...received, stage: random.of(["screening", "interview", "offer"] as const) };
  if (status !== "done") return received;
  const stage = random.of(["hired", "declined", "declined", "declined", "withdrawn"] as const);
  return { stage, decided_at: at, decline_reason: stage === "declined" ? random.of(list.declineReasons) : null };
}

function statusOf(isFresh: boolean, random: Random): TriageStatus {
  const drawn = random.next();
  if (drawn < 0.08) return "spam";
  if (isFresh) return drawn < 0.75 ? "new" : drawn < 0.92 ? "open" : "done";
  return drawn < 0.087 ? "open" : "done";
}

function makePerson(random: Random) {
  const company = random.isLess(0.6) ? random.of(list.companies) : null;
  // An agency that writes again and again.
  if (random.isLess(0.005)) return { name: "Talent Desk", email: "desk@agency.example", company: "Agency Example" };
  const number = random.below(900);
  const domain = random.isLess(0.006) ? list.throwAwayDomain : random.of(list.domains);
  if (random.isLess(0.12)) {
    const [name, spelling] = random.of(list.people);
    return { name, email: `${spelling}${number}@${domain}`, company };
  }
  const [first, last] = [random.of(list.firstNames), random.of(list.lastNames)];
  return { name: `${first} ${last}`, email: `${plain(first)}.${plain(last)}${number}@${domain}`, company };
}

/** Letters that are no accented ones of the Latin alphabet, as their owners write them in addresses. */
const spelled: Readonly<Record<string, string>> = { ø: "o", æ: "ae", å: "a", ł: "l", ı: "i", ß: "ss", đ: "d" };

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[øæåłıßđ]/g, (letter) => spelled[letter]!)
    .normalize("NFD")
    .replaceAll(/[^a-z]/g, "");

function inquiryFields(company: string | null, random: Random): Record<string, unknown> {
  const selected = Array.from({ length: 1 + random.below(4) }, () => random.of(list.packages));
  const message = random.isLess(0.7) && { message: random.of(list.inquiryLetters) };
  const budget = random.isLess(0.2) && { budget: random.of(list.budgets) };
  const more = { ...message, ...budget, ...(random.isLess(0.4) && { utm_source: random.of(list.campaigns) }) };
  return { company, selectedPackageIds: [...new Set(selected)], ...(Object.keys(more).length > 0 && { more }) };
}

function applicationFields(company: string | null, random: Random): Record<string, unknown> {
  const maybe = <T>(probability: number, value: T): T | null => (random.isLess(probability) ? value : null);
  const letter = `Dear team,\n\n${random.of(list.letters)} ${random.of(list.letters)}\n\nKind regards`;
  return {
    position: random.of(list.positions),
    phone: maybe(0.5, `+49 30 555 ${1000 + random.below(9000)}`),
    company,
    availability: maybe(0.7, random.of(list.availabilities)),
    accent: maybe(0.6, random.of(list.accents)),
    portfolioUrl: maybe(0.4, `https://portfolio.example/${random.below(100_000)}`),
    resumeUrl: null,
    coverLetter: maybe(0.8, letter),
  };
}

export function* makeSubscribers(count: number, from: number, until: number, random: Random): Generator<Row> {
  for (let index = 0; index < count; index += 1) {
    const at = Math.floor(from + ((until - from) * (index + 3 * random.next())) / (count + 3));
    const drawn = random.next();
    const status = drawn < 0.78 ? "active" : drawn < 0.88 ? "pending" : drawn < 0.97 ? "unsubscribed" : "bounced";
    const email = `reader${index}.${plain(random.of(list.firstNames))}@${random.of(list.domains)}`;
    const source = random.of(list.sources);
    yield {
      email_key: emailKey(email),
      email,
      status,
      source,
      last_source: source,
      language: "en",
      subscribed_at: at,
      welcomed_at: at,
      confirmed_at: status === "pending" ? null : Math.min(at + random.below(5) * hourMs, until),
      unsubscribed_at: status === "unsubscribed" ? Math.min(at + random.below(600) * hourMs, until) : null,
      door: "rest",
      request_id: `seed-subscriber-${index}`,
    };
  }
}

/** Numbers that look random and are the same in every run (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  isLess(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

/** A whole PDF, offsets and all, so that viewers open it without repairing it. The text must be plain ASCII. */
export function onePagePdf(text: string): string {
  const stream = `BT /F1 18 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let pdf = "%PDF-1.4\n";
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [position, object] of objects.entries()) {
    table += `${String(pdf.length).padStart(10, "0")} 00000 n \n`;
    pdf += `${position + 1} 0 obj\n${object}\nendobj\n`;
  }
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return pdf + table + trailer;
}
