// An answer to a call that may take minutes. White space goes before its JSON meanwhile: connections on which nothing moves are
// cut, by this service and by proxies.
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Answer, sendJson } from "../http/rpc-wire.ts";

/** A byte this often, as a part of the time after which a silent connection is cut. */
const everyShare = 0.6;

/** Sends an answer as soon as it is there. Once it waits, its status is 200, whatever it says: the client reads the body. */
export async function sendSlowAnswer(request: FastifyRequest, reply: FastifyReply, answer: Promise<Answer>) {
  const everyMs = request.server.server.timeout * everyShare;
  const soon = await within(everyMs, answer);
  if (soon !== null) return sendJson(reply, soon);
  // nginx would hold these bytes back.
  reply.type("application/json; charset=utf-8").header("x-accel-buffering", "no");
  return reply.send(Readable.from(spaced(everyMs, answer)));
}

async function* spaced(everyMs: number, answer: Promise<Answer>): AsyncGenerator<string> {
  let ended: Answer | null = null;
  while (ended === null) {
    yield " ";
    ended = await within(everyMs, answer);
  }
  yield JSON.stringify(ended.body);
}

const within = (ms: number, answer: Promise<Answer>): Promise<Answer | null> =>
  Promise.race([answer, pause(ms, null, { ref: false })]);
