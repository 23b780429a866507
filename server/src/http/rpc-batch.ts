// How typed calls come together and are answered one by one: what a batch is, and tRPC's JSON lines.
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { variesBy } from "./headers.ts";

type Asked = Pick<FastifyRequest, "query" | "headers">;

/** The path of the procedure that a request names, of a batch those with commas between them. Empty: none. */
export const rpcPath = ({ url }: Pick<FastifyRequest, "url">): string =>
  decodeURIComponent(/^(?:\/console)?\/trpc\/([^?]*)/.exec(url)?.[1] ?? "");

export const isBatch = ({ query }: Pick<Asked, "query">): boolean => (query as { batch?: unknown }).batch === "1";

/** Whether the answers of a batch are wanted as lines, each as soon as it is there. */
export const wantsLines = ({ headers }: Pick<Asked, "headers">): boolean =>
  (headers["trpc-accept"] ?? headers.accept ?? "")
    .toString()
    .split(",")
    .some((type) => type.trim() === "application/jsonl");

/** Answers a batch in lines, of the type that tRPC gives them. The status is 200 whatever they say: no call has ended yet. */
export function sendLines(reply: FastifyReply, lines: Iterable<string> | AsyncIterable<string>): FastifyReply {
  variesBy(reply, "trpc-accept");
  variesBy(reply, "Accept");
  return reply.code(200).type("application/json").send(Readable.from(lines));
}

/** The first line, for a number of calls. */
export const headLine = (calls: number): string =>
  `${JSON.stringify(Object.fromEntries(Array.from({ length: calls }, (_, number) => [number, [[0], [null, 0, number]]])))}\n`;

/** The line of a call. */
export const answerLine = (number: number, body: object): string => `${JSON.stringify([number, 0, [[body]]])}\n`;
