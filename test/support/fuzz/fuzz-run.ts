// Sends as many broken and sound requests as one likes to a service and says what was wrong with the answers, and with
// the service afterwards.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { emailKey } from "@submissions/shared/fields";
import { subscribeInput } from "@submissions/shared/subscription";
import { until } from "../service-process.ts";
import { requestOf, type FuzzRequest } from "./requests.ts";
import { ServiceUnderFuzz, settled } from "./service-under-fuzz.ts";
import { judge, type Outcome } from "./verdicts.ts";
import { exchange, readAnswers, type WireAnswer } from "./wire.ts";

/** What the run came to. Everything in `complaints` is a fault, with the number of the request that showed it. */
export interface Report {
  readonly seed: number;
  readonly requests: number;
  readonly answersByStatus: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly replayed: number;
  readonly complaints: readonly string[];
  /** Bytes that the heap, garbage collected, has grown by since the end of the warm-up. */
  readonly heapGrowth: number;
}

const clientsAtOnce = 16;
/** Clients that stop in the middle and stay. */
const stalledClients = 30;
const complaintsMax = 50;

export async function fuzz(seed: number, requests: number, tell: (line: string) => void = () => {}): Promise<Report> {
  await using service = await ServiceUnderFuzz.start();
  const run = new FuzzRun(seed, service.port);
  // So that everything is loaded and opened that is loaded and opened at all.
  const warmUp = Math.ceil(requests / 4);
  await run.send(0, warmUp);
  await settled(service);
  const [files, before] = [await service.openFiles(), await service.memory()];

  const stalled = await Promise.all(Array.from({ length: stalledClients }, (_, index) => stall(service.port, index)));
  for (let from = warmUp; from < requests; from += 10_000) {
    await run.send(from, Math.min(requests, from + 10_000));
    run.complainOfErrors(service);
    service.forgetLog();
    tell(`${Math.min(requests, from + 10_000)} requests, ${run.complaints.length} complaints`);
  }
  for (const { socket, received } of stalled) {
    socket.destroy();
    for (const { status } of readAnswers(Buffer.concat(received), "POST").answers) {
      if (status !== 408 && status !== 400) run.complain(`a stalled client was answered ${status}`);
    }
  }
  await settled(service);
  if (!(await service.isSame())) run.complain("the process is another one");
  const heapGrowth = (await service.memory()).heapUsed - before.heapUsed;
  await until(async () => (await service.openFiles()).length <= files.length);
  await run.compare(service);
  run.complainOfErrors(service);
  const { acknowledged, replayed, complaints } = run;
  const answersByStatus = Object.fromEntries(run.statuses);
  return { seed, requests, answersByStatus, acknowledged: acknowledged.size, replayed, complaints, heapGrowth };
}

async function stall(port: number, index: number): Promise<{ readonly socket: Socket; readonly received: Buffer[] }> {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = "POST /api/applications/submit HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n";
  const part = '--b\r\nContent-Disposition: form-data; name="resumeFile"; filename="r.pdf"\r\n\r\n%PDF-1.7\n';
  socket.write([head, `${head}Content-Length: 1000000\r\n\r\n${part}`, "", "P"][index % 4]!);
  return { socket, received };
}

class FuzzRun {
  readonly #seed: number;
  readonly #port: number;
  readonly complaints: string[] = [];
  readonly statuses = new Map<number, number>();
  /** References of what was accepted for the first time. */
  readonly acknowledged = new Set<string>();
  readonly #replayedReferences = new Set<string>();
  readonly #subscribed = new Set<string>();
  readonly #perhapsSubscribed = new Set<string>();
  replayed = 0;

  constructor(seed: number, port: number) {
    this.#seed = seed;
    this.#port = port;
  }

  complainOfErrors({ errors }: Pick<ServiceUnderFuzz, "errors">): void {
    for (const line of errors) this.complain(`logged ${line.slice(0, 500)}`);
  }

  complain(what: string): void {
    if (this.complaints.length < complaintsMax) this.complaints.push(what);
  }

  /** Sends the requests of these numbers. */
  async send(from: number, to: number): Promise<void> {
    let next = from;
    const client = async () => {
      while (next < to && this.complaints.length < complaintsMax) {
        const number = next;
        next += 1;
        await this.#sendOne(number);
      }
    };
    await Promise.all(Array.from({ length: clientsAtOnce }, client));
  }

  async #sendOne(number: number): Promise<void> {
    const request = requestOf(this.#seed, number);
    const complain = (what: string) =>
      this.complain(
        `${what}: seed ${this.#seed}, request ${number}: ${Buffer.concat(request.pieces).toString("latin1").slice(0, 400)}`,
      );
    const { answers, rest } = await exchange(this.#port, request);
    if (rest.length > 0 && request.framing !== "cut")
      complain(`half an answer: ${rest.toString("latin1").slice(0, 200)}`);
    if (request.framing === "framed" && answers.length !== 1) complain(`${answers.length} answers`);
    for (const answer of answers) {
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      const outcomes = judge(request, answer, complain);
      this.#note(request, answer, outcomes, complain);
    }
  }

  #note(
    request: FuzzRequest,
    answer: WireAnswer,
    outcomes: readonly Outcome[],
    complain: (what: string) => void,
  ): void {
    const replayed = answer.headers.get("idempotency-replayed") === "true";
    if (replayed) this.replayed += 1;
    // A key that another request had first is the one thing that a sound request may be refused for.
    const isSound = request.isValid && answer.status !== 409 && answer.status !== 422 && answer.status !== 207;
    if (isSound && outcomes.some((outcome) => "code" in outcome)) complain(`refused with ${answer.status}`);
    outcomes.forEach((outcome, position) => {
      if ("code" in outcome) return;
      if (request.framing !== "framed") return complain("accepted what cannot be accepted");
      const { inquiryId, applicationId } = outcome.receipt;
      const reference = (inquiryId ?? applicationId) as string | undefined;
      if (reference === undefined) this.#noteSubscription(request, position, answer);
      // The headers of a stream are sent before it is known whether its calls are repeated.
      else if (replayed || (isStream(answer) && this.acknowledged.has(reference)))
        this.#replayedReferences.add(reference);
      else if (this.acknowledged.has(reference)) complain(`${reference} a second time`);
      else this.acknowledged.add(reference);
    });
  }

  #noteSubscription(request: FuzzRequest, position: number, answer: WireAnswer): void {
    if (isStream(answer)) {
      // A stream does not tell which call a receipt answers.
      request.procedures.forEach((procedure, call) => {
        if (procedure === "newsletter.subscribe") this.#perhapsSubscribed.add(subscribedBy(request, call));
      });
    } else {
      this.#subscribed.add(subscribedBy(request, position));
    }
  }

  /** Compares what was acknowledged with what is stored. */
  async compare(service: ServiceUnderFuzz): Promise<void> {
    const { inquiries, applications, subscribers, mails } = await service.contents();
    const rows = new Map([...inquiries, ...applications].map(({ reference, email }) => [reference, email]));
    const stored = new Set(rows.keys());
    this.#same("references", this.acknowledged, stored, (reference) => `${reference} of ${rows.get(reference)}`);
    const emails = new Set(subscribers.map(({ email }) => emailKey(email)));
    const perhaps = this.#perhapsSubscribed.intersection(emails);
    this.#same("subscribers", this.#subscribed.union(perhaps), emails);
    for (const reference of this.#replayedReferences.difference(stored))
      this.complain(`replayed ${reference}, not stored`);
    const unsettled = mails.filter(({ status }) => status === "queued").length;
    if (unsettled > 0) this.complain(`${unsettled} mails are not settled`);
    const { staged, kept } = await service.resumeFiles();
    const resumes = applications.filter(({ resume }) => resume !== null).length;
    if (staged > 0) this.complain(`${staged} staged files are left`);
    if (kept !== resumes) this.complain(`${kept} files for ${resumes} resumes`);
  }

  #same(
    what: string,
    acknowledged: ReadonlySet<string>,
    stored: ReadonlySet<string>,
    name = (one: string) => one,
  ): void {
    const [lost, unasked] = [acknowledged.difference(stored), stored.difference(acknowledged)];
    if (lost.size > 0) this.complain(`${what} acknowledged and not stored: ${[...lost].slice(0, 5).join()}`);
    if (unasked.size > 0)
      this.complain(`${what} stored and not acknowledged: ${[...unasked].slice(0, 5).map(name).join()}`);
  }
}

/** The address that a call subscribes; empty when it cannot. */
function subscribedBy({ body, isBatch }: FuzzRequest, position: number): string {
  const sent = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  const input = (isBatch ? sent[String(position)] : sent) as { readonly email?: unknown };
  // The other fields may be null, which the doors take as absent.
  const { data } = subscribeInput.safeParse({ email: input.email });
  return data === undefined ? "" : emailKey(data.email);
}

const isStream = ({ headers }: WireAnswer): boolean => headers.get("content-type") === "application/json";
