// A long day in short: submissions of all three kinds through both doors, with and without resumes, refused ones and
// repetitions among them; 100,000 unless told otherwise:
// `npm exec -- node -C @submissions/source test/support/fuzz/mixed-run.ts 100000`. Prints what the process holds after a tenth,
// a half and all of them, and ends with 1 if what is stored is not what was acknowledged.
import { randomInt, randomUUID } from "node:crypto";
import { emailKey } from "@submissions/shared/fields";
import { doors, form, json, type Answer, type Door, type Procedure } from "../doors.ts";
import { randomOf, type Random } from "./random.ts";
import { ServiceUnderFuzz, settled } from "./service-under-fuzz.ts";
import { resumeOf, validFields, type Fields } from "./submissions.ts";

const clientsAtOnce = 32;
const repeatedMax = 500;

interface Submission {
  readonly procedure: Procedure;
  readonly fields: Fields;
  readonly resume: { readonly bytes: Buffer; readonly filename: string } | null;
  readonly key: string;
}

interface Accepted {
  readonly submission: Submission;
  readonly reference: string;
}

class MixedRun {
  readonly #url: string;
  readonly #seed: number;
  /** Some of those that were accepted, to be repeated. */
  readonly #accepted: Accepted[] = [];
  readonly references = new Set<string>();
  readonly subscribed = new Set<string>();
  readonly counts = { accepted: 0, uploads: 0, refused: 0, repeated: 0 };
  readonly faults: string[] = [];

  constructor(url: string, seed: number) {
    this.#url = url;
    this.#seed = seed;
  }

  async send(from: number, to: number): Promise<void> {
    let next = from;
    const client = async () => {
      while (next < to) {
        next += 1;
        await this.#sendOne(next);
      }
    };
    await Promise.all(Array.from({ length: clientsAtOnce }, client));
  }

  async #sendOne(number: number): Promise<void> {
    const random = randomOf(this.#seed, number);
    const door = random.pick(doors);
    const earlier = random.oneIn(10) ? this.#accepted[random.int(this.#accepted.length)] : undefined;
    if (earlier !== undefined) return this.#repeat(earlier, door);
    const procedure = random.pick(["marketplace.inquiry", "newsletter.subscribe", "applications.submit"] as const);
    const isBad = random.oneIn(10);
    const fields = { ...validFields(procedure, random, number), ...(isBad ? { email: "nobody" } : {}) };
    const resume = procedure === "applications.submit" && random.oneIn(3) ? resumeOf(random) : null;
    const submission = { procedure, fields, resume, key: randomUUID() };
    const answer = await this.#post(submission, door);
    if (isBad) {
      if (answer.status === 400) this.counts.refused += 1;
      else this.faults.push(`a bad one was answered ${answer.status}`);
    } else {
      this.#note(submission, answer, random);
    }
  }

  #note(submission: Submission, answer: Answer, random: Random): void {
    if (answer.status !== 200) return void this.faults.push(`a good one was answered ${answer.status}`);
    this.counts.accepted += 1;
    if (submission.resume !== null) this.counts.uploads += 1;
    const reference = referenceOf(answer);
    if (reference === "") this.subscribed.add(emailKey(String(submission.fields["email"])));
    else this.references.add(reference);
    this.#accepted[this.#accepted.length < repeatedMax ? this.#accepted.length : random.int(repeatedMax)] = {
      submission,
      reference,
    };
  }

  async #repeat({ submission, reference }: Accepted, door: Door): Promise<void> {
    const answer = await this.#post(submission, door);
    const isReplay = answer.headers.get("idempotency-replayed") === "true" && referenceOf(answer) === reference;
    if (answer.status === 200 && isReplay) this.counts.repeated += 1;
    else this.faults.push(`a repeated one was answered ${answer.status}`);
  }

  #post({ procedure, fields, resume, key }: Submission, door: Door): Promise<Answer> {
    const init =
      resume === null
        ? json(fields)
        : form({
            ...(fields as Record<string, string>),
            resumeFile: new File([new Uint8Array(resume.bytes)], resume.filename),
          });
    const headers = { ...(init.headers as Record<string, string>), "idempotency-key": key };
    return door.send({ url: this.#url }, procedure, { ...init, headers });
  }
}

const referenceOf = ({ receipt }: Answer): string =>
  (receipt?.["inquiryId"] ?? receipt?.["applicationId"] ?? "") as string;

const requests = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? randomInt(1_000_000));
const tell = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);
const mebibytes = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10;

await using service = await ServiceUnderFuzz.start();
const run = new MixedRun(service.url, seed);
const begun = performance.now();
let sent = 0;
for (const share of [0.1, 0.5, 1]) {
  await run.send(sent, Math.round(requests * share));
  sent = Math.round(requests * share);
  await settled(service);
  const { heapUsed, rss } = await service.memory();
  const openFiles = (await service.openFiles()).filter((link) => !link.startsWith("socket:")).length;
  service.forgetLog();
  tell({ sent, heapMiB: mebibytes(heapUsed), rssMiB: mebibytes(rss), openFiles });
}
const seconds = Math.round((performance.now() - begun) / 1000);
const { inquiries, applications, subscribers, mails } = await service.contents();
const stored = new Set([...inquiries, ...applications].map(({ reference }) => reference));
const emails = new Set(subscribers.map(({ email }) => emailKey(email)));
const files = await service.resumeFiles();
const faults = {
  answers: run.faults.length,
  lost: run.references.difference(stored).size + run.subscribed.difference(emails).size,
  unasked: stored.difference(run.references).size + emails.difference(run.subscribed).size,
  doubled: inquiries.length + applications.length - stored.size,
  mailsUnsettled: mails.filter(({ status }) => status !== "sent").length,
  filesLeft: files.staged,
  filesMissing: run.counts.uploads - files.kept,
  anotherProcess: (await service.isSame()) ? 0 : 1,
};
tell({ seed, seconds, ...run.counts, rows: stored.size + emails.size, mails: mails.length, faults });
if (run.faults.length > 0) tell({ some: run.faults.slice(0, 5) });
process.exitCode = Object.values(faults).every((count) => count === 0) ? 0 : 1;
