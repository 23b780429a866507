// tRPC's wire format over POST, also for the console: what is asked for, and the answer as JSON or in lines.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../fault.ts";
import { type Fields, isFields } from "../read-unknown.ts";
import { variesBy } from "./headers.ts";

export const rpcPrefix = "/trpc";

/** Whether a request is for the typed door, or for that of the console. */
export const isRpc = ({ url }: Pick<FastifyRequest, "url">): boolean => /^(?:\/console)?\/trpc(?:[/?]|$)/.test(url);

/** The paths of the procedures that a request names, divided by commas. Empty: none. */
export const rpcPath = ({ url }: Pick<FastifyRequest, "url">): string =>
  decodeURIComponent(/^(?:\/console)?\/trpc\/([^?]*)/.exec(url)?.[1] ?? "");

export const isBatch = ({ query }: FastifyRequest): boolean => (query as { batch?: unknown }).batch === "1";

/** @throws Fault `bodyNotObject` for any other JSON value */
export function objectOnly(value: unknown): Fields {
  if (!isFields(value)) throw new Fault("bodyNotObject");
  return value;
}

/** Whether the answers of a batch are wanted as lines, each as soon as it is there. */
export const wantsLines = (request: FastifyRequest): boolean =>
  wantsMembers(request) ||
  (request.headers["trpc-accept"] ?? request.headers.accept ?? "")
    .toString()
    .split(",")
    .some((type) => type.trim() === "application/jsonl");

/** Whether these are wanted as the lines of tRPC 10. */
const wantsMembers = ({ headers }: FastifyRequest): boolean => headers["trpc-batch-mode"] === "stream";

export interface Answer {
  readonly status: number;
  readonly body: object;
}

export const sendJson = (reply: FastifyReply, { status, body }: Answer): FastifyReply =>
  reply.code(status).type("application/json; charset=utf-8").send(JSON.stringify(body));

/** The answers of a batch: together, with 207 when they ended differently, or each as soon as it is there. */
export async function sendBatch(request: FastifyRequest, reply: FastifyReply, calls: readonly Promise<Answer>[]) {
  if (wantsLines(request)) return sendLines(request, reply, calls.length, asTheyEnd(calls));
  const answers = await Promise.all(calls);
  const [status = 200, ...others] = new Set(answers.map((answer) => answer.status));
  return sendJson(reply, { status: others.length > 0 ? 207 : status, body: answers.map(({ body }) => body) });
}

type Numbered = readonly [number: number, body: object];

async function* asTheyEnd(calls: readonly Promise<Answer>[]): AsyncGenerator<Numbered> {
  const open = new Map(calls.map((call, number) => [number, call.then(({ body }): Numbered => [number, body])]));
  while (open.size > 0) {
    const answer = await Promise.race(open.values());
    open.delete(answer[0]);
    yield answer;
  }
}

type NumberedAnswers = Iterable<Numbered> | AsyncIterable<Numbered>;

/** Answers a batch in lines, of the type that tRPC gives them. The status is 200 whatever they say: no call has ended yet. */
export function sendLines(request: FastifyRequest, reply: FastifyReply, calls: number, answers: NumberedAnswers) {
  for (const header of ["trpc-accept", "trpc-batch-mode", "Accept"]) variesBy(reply, header);
  const lines = wantsMembers(request) ? memberLines(answers) : jsonLines(calls, answers);
  return reply.code(200).type("application/json").send(Readable.from(lines));
}

/** The lines of tRPC 11: a head that gives each call a number, then the answers. */
async function* jsonLines(calls: number, answers: NumberedAnswers): AsyncGenerator<string> {
  const numbers = Array.from({ length: calls }, (_, number) => [number, [[0], [null, 0, number]]]);
  yield `${JSON.stringify(Object.fromEntries(numbers))}\n`;
  for await (const [number, body] of answers) yield `${JSON.stringify([number, 0, [[body]]])}\n`;
}

/** The lines of tRPC 10: one object, with a member for each answer. */
async function* memberLines(answers: NumberedAnswers): AsyncGenerator<string> {
  let before = "{";
  for await (const [number, body] of answers) {
    yield `${before}"${number}":${JSON.stringify(body)}\n`;
    before = ",";
  }
  yield "}";
}
