// Sends broken and sound requests to a service process and says what was wrong with the answers, and with it afterwards.
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { emailKey } from "@submissions/shared/fields";
import { subscribeInput } from "@submissions/shared/subscription";
import { type ServiceProcess, startProcess, until } from "../service-process.ts";
import { type FuzzRequest, requestsOf, webhookCredentials } from "./requests.ts";
import { judge } from "./verdicts.ts";
import { exchange, type WireAnswer } from "./wire.ts";

/** What the run came to. Everything in `complaints` is a fault, with the number of the request that showed it. */
export interface Report {
  readonly seed: number;
  readonly answersByStatus: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly replayed: number;
  readonly complaints: readonly string[];
  /** Bytes that the heap, garbage collected, has grown by since the end of the warm-up. */
  readonly heapGrowth: number;
}

const clientsAtOnce = 16;
const complaintsMax = 50;
const turnMax = 1_000;
/** The share of requests that may be shed. */
const shedMax = 0.1;

export async function fuzz(seed: number, requests: number, tell: (line: string) => void = () => {}): Promise<Report> {
  const preload = [new URL("preload/gauge.ts", import.meta.url).href];
  const env = { POSTMARK_WEBHOOK_AUTH: webhookCredentials, RATE_LIMIT_WINDOW_SECONDS: "1" };
  await using service = await startProcess(env, { preload });
  const run = new FuzzRun(service);
  // So that everything is loaded and opened that is loaded and opened at all.
  const warmUp = Math.ceil(requests / 4);
  await run.send(seed, warmUp);
  await settled(service);
  const [files, heapBefore] = [await openFiles(service), await heapOf(service)];

  for (let sent = warmUp; sent < requests; sent += turnMax) {
    // A seed of its own for each turn.
    await run.send(seed + sent, Math.min(turnMax, requests - sent));
    // The log would grow for as long as one tests.
    run.takeErrors();
    tell(`${Math.min(requests, sent + turnMax)} requests, ${run.complaints.length} complaints`);
  }
  await settled(service);
  if (service.child.exitCode !== null) run.complain("the process has ended");
  const heapGrowth = (await heapOf(service)) - heapBefore;
  await until(async () => (await openFiles(service)) <= files);
  await run.compare();
  run.takeErrors();
  const shed = run.statuses.get(503) ?? 0;
  if (shed > requests * shedMax) run.complain(`shed ${shed} of ${requests} requests`);
  const { acknowledged, replayed, complaints } = run;
  const answersByStatus = Object.fromEntries(run.statuses);
  return { seed, answersByStatus, acknowledged: acknowledged.size, replayed, complaints, heapGrowth };
}

/** Until all mails were handed over and no upload is left. */
async function settled({ url }: ServiceProcess): Promise<void> {
  const scrape = async () => (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
  // The service works its metrics out once a second. So the first answer may be older than the last request.
  const first = await scrape();
  await until(async () => {
    const metrics = await scrape();
    return metrics !== first && /^mail_queue_size 0$/m.test(metrics) && /^uploads_in_flight 0$/m.test(metrics);
  });
}

async function openFiles({ child }: ServiceProcess): Promise<number> {
  const folder = `/proc/${child.pid}/fd`;
  const links = await Promise.all(
    // Sockets aside that were just closed.
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => "")),
  );
  return links.filter((link) => link !== "").length;
}

/** Bytes of the heap after a collection of garbage. */
async function heapOf({ child, log }: ServiceProcess): Promise<number> {
  const gauges = () => log.filter((line) => line.startsWith('{"msg":"gauge"'));
  const before = gauges().length;
  child.kill("SIGUSR2");
  await until(() => gauges().length > before);
  return (JSON.parse(gauges().at(-1)!) as { heapUsed: number }).heapUsed;
}

class FuzzRun {
  readonly #service: ServiceProcess;
  readonly complaints: string[] = [];
  readonly statuses = new Map<number, number>();
  /** References of what was accepted for the first time. */
  readonly acknowledged = new Set<string>();
  readonly #replayedReferences = new Set<string>();
  readonly #subscribed = new Set<string>();
  readonly #perhapsSubscribed = new Set<string>();
  replayed = 0;

  constructor(service: ServiceProcess) {
    this.#service = service;
  }

  complain(what: string): void {
    if (this.complaints.length < complaintsMax) this.complaints.push(what);
  }

  takeErrors(): void {
    for (const line of this.#service.log.splice(0))
      if (/"level":"(?:error|fatal)"/.test(line) && !line.includes('"fault":"overloaded"'))
        this.complain(`logged ${line.slice(0, 500)}`);
  }

  async send(seed: number, count: number): Promise<void> {
    const requests = requestsOf(seed, count).entries();
    const client = async () => {
      for (const [position, request] of requests) {
        if (this.complaints.length >= complaintsMax) return;
        const text = () => Buffer.concat(request.pieces).toString("latin1").slice(0, 400);
        await this.#sendOne(request, (what) =>
          this.complain(`${what}: request ${position} of requestsOf(${seed}, ${count}): ${text()}`),
        );
      }
    };
    await Promise.all(Array.from({ length: clientsAtOnce }, client));
  }

  async #sendOne(request: FuzzRequest, complain: (what: string) => void): Promise<void> {
    const { answers, rest } = await exchange(this.#service.port, request);
    if (rest.length > 0 && request.framing !== "cut")
      complain(`half an answer: ${rest.toString("latin1").slice(0, 200)}`);
    if (request.framing === "framed" && answers.length !== 1) complain(`${answers.length} answers`);
    for (const answer of answers) {
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      this.#note(request, answer, complain);
    }
  }

  #note(request: FuzzRequest, answer: WireAnswer, complain: (what: string) => void): void {
    const outcomes = judge(request, answer, complain);
    const replayed = answer.headers.get("idempotency-replayed") === "true";
    if (replayed) this.replayed += 1;
    // A sound request may be refused for two things: a key that another request had first, and a busy machine, on which the
    // process sheds load. The log tells of any other 503.
    const isSound = request.isSound && ![207, 409, 422, 503].includes(answer.status);
    if (isSound && outcomes.some((outcome) => "code" in outcome)) complain(`refused with ${answer.status}`);
    const isStream = answer.headers.get("content-type") === "application/json";
    outcomes.forEach((outcome, position) => {
      if ("code" in outcome) return;
      if (request.framing !== "framed") return complain("accepted what cannot be accepted");
      const { inquiryId, applicationId } = outcome.receipt;
      const reference = (inquiryId ?? applicationId) as string | undefined;
      if (reference === undefined) {
        // A stream does not tell which call a receipt answers.
        if (!isStream) this.#subscribed.add(subscribedBy(request, position));
        else {
          for (const [call, procedure] of request.procedures.entries())
            if (procedure === "newsletter.subscribe") this.#perhapsSubscribed.add(subscribedBy(request, call));
        }
      }
      // The headers of a stream are sent before it is known whether its calls are repeated.
      else if (replayed || (isStream && this.acknowledged.has(reference))) this.#replayedReferences.add(reference);
      else if (this.acknowledged.has(reference)) complain(`${reference} a second time`);
      else this.acknowledged.add(reference);
    });
  }

  async compare(): Promise<void> {
    const { inquiries, applications, subscribers } = await this.#service.stored();
    const stored = new Set([...inquiries, ...applications].map(({ reference }) => reference));
    const emails = new Set(subscribers.map(({ email }) => emailKey(email)));
    const subscribed = this.#subscribed.union(this.#perhapsSubscribed.intersection(emails));
    for (const [what, acknowledged, kept] of [
      ["references", this.acknowledged, stored],
      ["subscribers", subscribed, emails],
    ] as const) {
      const [lost, unasked] = [acknowledged.difference(kept), kept.difference(acknowledged)];
      if (lost.size > 0) this.complain(`${what} acknowledged and not stored: ${[...lost].slice(0, 5).join()}`);
      if (unasked.size > 0) this.complain(`${what} stored and not acknowledged: ${[...unasked].slice(0, 5).join()}`);
    }
    for (const one of this.#replayedReferences.difference(stored)) this.complain(`replayed ${one}, not stored`);
    const folder = join(this.#service.dataFolder, "resumes");
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const staged = files.filter(({ parentPath }) => parentPath.includes(".staging")).length;
    const resumes = applications.filter(({ resume }) => resume !== null).length;
    if (staged > 0) this.complain(`${staged} staged files are left`);
    if (files.length - staged !== resumes) this.complain(`${files.length - staged} files for ${resumes} resumes`);
  }
}

/** The address that a call subscribes; empty when it cannot. */
function subscribedBy({ body, isBatch }: FuzzRequest, position: number): string {
  const sent = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  const input = (isBatch ? sent[String(position)] : sent) as { readonly email?: unknown } | null | undefined;
  // The other fields may be null, which the doors take as absent.
  const { data } = subscribeInput.safeParse({ email: input?.email });
  return data === undefined ? "" : emailKey(data.email);
}
