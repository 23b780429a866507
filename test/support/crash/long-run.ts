// Random kills under load: clients repeat with their keys whatever they got no answer to. 50 unless told otherwise, of the one
// service on SQLite or of two on a PostgreSQL server that is started for it. Ends with 1 if anything was lost or doubled:
// `npx --no-install node -C @submissions/source test/support/crash/long-run.ts 200 --postgres`
import { randomInt, randomUUID } from "node:crypto";
import { json, form, doors, withKey, type Answer, type Procedure } from "../doors.ts";
import { type PostgresDatabase, startPostgres } from "../postgres-server.ts";
import { type ServiceProcess, until } from "../service-process.ts";
import { CrashSite, laterMs, sha256 } from "./crash-site.ts";

const words = process.argv.slice(2);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 50);
const tell = (line: string) => void process.stdout.write(`${line}\n`);

/** What the rounds came to. All but the first three are faults, if they are not 0. */
interface Findings {
  acknowledged: number;
  /** Submissions whose caller was left without an answer by a kill. */
  interrupted: number;
  mailsTaken: number;
  /** Acknowledged, and not stored. */
  lost: number;
  /** Stored more than once, or under another identifier than the one that was told. */
  doubled: number;
  /** Resumes whose bytes are not those that were sent. */
  resumesWrong: number;
  /** Files that no application knows, beyond those of interrupted uploads: each may have left one for the sweep. */
  filesLeft: number;
  mailsMissing: number;
  mailsDoubled: number;
  /** Answers that are neither a success nor a 503. */
  unexpected: number;
}

const clientsAtOnce = 16;
/** A kill comes within so many acknowledgements after the latest start. */
const acknowledgedMax = 150;

interface Submission {
  readonly procedure: Procedure;
  /** Its Idempotency-Key, and the name in its address. */
  readonly key: string;
  readonly resume: Uint8Array<ArrayBuffer> | null;
  reference: string | null;
}

/** Kills a service under load and looks at what is left: the only one on a file, or one of two on a database. */
async function killAtRandom(database: PostgresDatabase | null = null): Promise<Findings> {
  await using site = await CrashSite.open(database);
  const load = new Load();
  const begin = async (clients: number) => {
    const service = await site.start();
    return { service, clients: load.run(service.url, clients) };
  };
  const together = database === null ? 1 : 2;
  const running = await Promise.all(Array.from({ length: together }, () => begin(clientsAtOnce / together)));
  for (let round = 1; round <= rounds; round += 1) {
    const enough = load.acknowledged.size + randomInt(acknowledgedMax);
    await until(() => load.acknowledged.size >= enough);
    const at = randomInt(together);
    const { service, clients } = running[at]!;
    service.child.kill("SIGKILL");
    await Promise.all([service.ended, clients]);
    tell(`round ${round}: ${load.acknowledged.size} acknowledged, ${load.pending.size} to be repeated`);
    if (round < rounds) running[at] = await begin(clientsAtOnce / together);
    else running.splice(at, 1);
  }
  load.stop();
  await Promise.all(running.map(({ clients }) => clients));
  await Promise.all(running.map(({ service }) => end(service)));
  // Later, so that leases have run out and what was left behind is old.
  const service = await site.start({ aheadMs: laterMs });
  await load.repeatAll(service.url);
  await until(async () => (await site.contents()).mails.every(({ status }) => status !== "queued"));
  await end(service);
  return await examine(site, load);
}

async function end(service: ServiceProcess): Promise<void> {
  service.child.kill("SIGTERM");
  await service.ended;
}

class Load {
  readonly acknowledged = new Set<Submission>();
  /** Without an answer that says what became of them, and no caller is left to ask. */
  readonly pending = new Set<Submission>();
  interrupted = 0;
  unexpected = 0;
  contradictions = 0;
  #stopping = false;

  /** Submits until the service is gone, or is to be left alone. What had no answer before is repeated first. */
  async run(url: string, clients: number): Promise<void> {
    const waiting = [...this.pending];
    this.pending.clear();
    const client = async () => {
      while (!this.#stopping) if (!(await this.#send(url, waiting.pop() ?? newSubmission()))) return;
    };
    await Promise.all(Array.from({ length: clients }, client));
    for (const submission of waiting) this.pending.add(submission);
  }

  stop(): void {
    this.#stopping = true;
  }

  async repeatAll(url: string): Promise<void> {
    for (const submission of this.pending) while (this.pending.has(submission)) await this.#send(url, submission);
    // What was answered already is answered alike.
    for (const submission of [...this.acknowledged].slice(-100)) {
      const answer = await send(url, submission);
      if (answer.status !== 200 || referenceOf(answer) !== submission.reference) this.contradictions += 1;
    }
  }

  /** Answers false when the service is gone. */
  async #send(url: string, submission: Submission): Promise<boolean> {
    const answer = await send(url, submission).catch(() => null);
    if (answer?.status === 200) {
      submission.reference = referenceOf(answer);
      this.acknowledged.add(submission);
      this.pending.delete(submission);
      return true;
    }
    this.pending.add(submission);
    if (answer === null) this.interrupted += 1;
    else if (answer.status !== 503 && answer.status !== 409) this.unexpected += 1;
    return answer !== null;
  }
}

function newSubmission(): Submission {
  const procedure = (["marketplace.inquiry", "newsletter.subscribe", "applications.submit"] as const)[randomInt(3)]!;
  const text = `%PDF-1.7\n${randomUUID().repeat(randomInt(1, 3_000))}\ntrailer\nstartxref\n0\n%%EOF\n`;
  const resume = procedure === "applications.submit" ? new Uint8Array(Buffer.from(text)) : null;
  return { procedure, key: randomUUID(), resume, reference: null };
}

const emailOf = ({ key }: Submission) => `${key}@example.org`;

function send(url: string, submission: Submission): Promise<Answer> {
  const email = emailOf(submission);
  const { procedure, key, resume } = submission;
  const init = {
    "marketplace.inquiry": () => json({ name: "Ann Buyer", email, selectedPackageIds: ["en-GB-scottish"] }),
    "newsletter.subscribe": () => json({ email, source: "footer" }),
    "applications.submit": () =>
      form({ fullName: "Ana Souza", email, position: "Annotator", resumeFile: new File([resume!], "cv.pdf") }),
  }[procedure]();
  // A repetition may come through the other door.
  return doors[randomInt(2)]!.send({ url }, procedure, withKey(init, key));
}

const referenceOf = ({ receipt }: Answer): string | null =>
  (receipt?.["inquiryId"] ?? receipt?.["applicationId"] ?? null) as string | null;

async function examine(site: CrashSite, load: Load): Promise<Findings> {
  const { inquiries, applications, subscribers, mails } = await site.contents();
  const rows = [...inquiries, ...applications, ...subscribers.map((row) => ({ ...row, reference: null }))];
  const byEmail = Map.groupBy(rows, ({ email }) => email);
  const acknowledged = [...load.acknowledged];
  const sent = new Map(acknowledged.map((submission) => [emailOf(submission), submission]));

  let resumesWrong = 0;
  for (const { email, resume } of applications) {
    const hash = sha256(sent.get(email)?.resume ?? new Uint8Array());
    if (resume?.sha256 !== hash || (await site.hashOf(resume.key)) !== hash) resumesWrong += 1;
  }
  const of = (submission: Submission) => byEmail.get(emailOf(submission)) ?? [];
  const copies = site.copies();
  return {
    acknowledged: acknowledged.length,
    interrupted: load.interrupted,
    mailsTaken: site.postmark.taken.length,
    lost: acknowledged.filter((submission) => of(submission).length === 0).length,
    doubled:
      load.contradictions +
      acknowledged.filter((one) => of(one).length > 1 || of(one)[0]?.reference !== one.reference).length +
      (rows.length - acknowledged.length),
    resumesWrong,
    filesLeft: Math.max(0, (await site.resumeFiles()).length - applications.length - load.interrupted),
    mailsMissing:
      2 * (inquiries.length + applications.length) +
      subscribers.length -
      mails.filter(({ status, id }) => status === "sent" && copies.has(id)).length,
    mailsDoubled: [...copies.values()].filter((count) => count > 1).length,
    unexpected: load.unexpected,
  };
}

async function onPostgres(): Promise<Findings> {
  await using server = await startPostgres();
  await using database = await server.create("empty");
  return await killAtRandom(database);
}

const findings = await (words.includes("--postgres") ? onPostgres() : killAtRandom());
tell(JSON.stringify({ rounds, ...findings }, null, 2));
const { lost, doubled, resumesWrong, filesLeft, mailsMissing, mailsDoubled, unexpected } = findings;
const faults = lost + doubled + resumesWrong + filesLeft + mailsMissing + mailsDoubled + unexpected;
process.exitCode = faults === 0 && findings.acknowledged > 0 ? 0 : 1;
