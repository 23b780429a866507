// Bodies before anything reads them: when a client is asked for one, and what becomes of slow, shredded and refused ones.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import { cutSlowSender } from "../client-error.ts";
import type { Traffic } from "../gate/traffic.ts";
import type { HttpLimits } from "../limits.ts";
import type { Observer } from "../observed-requests.ts";

interface Watching {
  readonly traffic: Pick<Traffic, "lastAnswers" | "answersOn" | "end" | "endWith">;
  readonly limits: HttpLimits;
  readonly observer: Pick<Observer, "cut" | "neverBegun">;
}

export function watchBodies(app: FastifyInstance, watching: Watching): void {
  askForBodies(app.server);
  endAfterEarlyAnswers(app, watching);
  cutSlowSenders(app.server, watching);
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    if (raw.headers["transfer-encoding"] !== undefined) cutShredded(raw);
    done();
  });
}

// RFC 9110 10.1.1. A client that asks whether its body is welcome (`Expect: 100-continue`) gets its yes when something begins
// to read the body. A body that is refused by its head alone is never sent.
function askForBodies(server: Server): void {
  const goOn = (request: IncomingMessage, response: ServerResponse) => server.emit("request", request, response);
  // Without a listener, Node asks for the body before anything has looked at the head.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    request.once("resume", () => {
      // After a refusal, what comes all the same is only thrown away.
      if (!response.headersSent) response.writeContinue();
    });
    goOn(request, response);
  });
  // Without a listener, Node refuses an expectation that it does not know with a bare 417. It may be ignored.
  server.on("checkExpectation", goOn);
}

// An answer to a request that is not finished ends the connection: HAProxy 2.6 hands it on to the next client, whose request
// would be read as the rest of the body. And what a client still sends on a closed connection is answered with a reset, which
// many see before the answer (RFC 9112 9.6). So the answer ends when the rest of the body has come.
function endAfterEarlyAnswers(app: FastifyInstance, { traffic, limits }: Watching): void {
  app.addHook("onSend", ({ raw }, reply, payload, done) => {
    if (raw.complete || !bringsBody(raw)) return done(null, payload);
    // Node has not yet looked at all that it has read. A body that came with its head is whole then.
    setImmediate(() => {
      if (raw.complete) return done(null, payload);
      traffic.endWith(reply.raw);
      if (typeof payload !== "string") return done(null, payload);
      reply.header("content-length", Buffer.byteLength(payload));
      // It asked whether its body is welcome, and nothing has begun to read that: it sends none.
      const sendsNone = raw.headers.expect !== undefined && raw.readableFlowing === null;
      done(null, Readable.from(thenDiscard(payload, raw, limits, sendsNone ? 0 : waitsMs)));
    });
  });
}

/**
 * Fastify's parsers end the connection with each body that they refuse, and requests behind one would lose their answers.
 * Comes after all that ends connections.
 */
export function keepConnections(app: FastifyInstance): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    const { raw } = reply;
    const isParsers = reply.hasHeader("connection") && !raw.hasHeader("connection");
    if (isParsers && raw.shouldKeepAlive) reply.header("connection", "keep-alive");
    done(null, payload);
  });
}

const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

type Drain = Pick<HttpLimits, "drainBytesMax" | "drainMsMax">;

/** A client that sends nothing for so long is taken to wait for its answer. */
const waitsMs = 300;

/**
 * Gives an answer, and reads on and throws away what comes of its request, until a client sends more or longer than the limits.
 * A proxy that has the whole answer resets a client that still sends, as Caddy does: so the last byte waits for the rest of the
 * body, or until nothing has come for `silentMs`.
 */
export async function* thenDiscard(
  answer: string,
  request: Readable,
  limits: Drain,
  silentMs: number,
): AsyncGenerator<string> {
  const { drainBytesMax, drainMsMax } = limits;
  yield answer.slice(0, -1);
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    // The connection ends with the answer, or once a client that does not read it has been idle.
    request.pause();
    resolve();
  };
  const { promise: waits, resolve: goOn } = Promise.withResolvers<void>();
  const timer = setTimeout(stop, drainMsMax).unref();
  const idle = setTimeout(goOn, silentMs).unref();
  let bytes = 0;
  request.on("data", (piece: Buffer) => {
    idle.refresh();
    bytes += piece.length;
    if (bytes > drainBytesMax) stop();
  });
  request.unpipe();
  request.resume();
  // It rejects when the client went away.
  const end = finished(request, { writable: false }).catch(() => {});
  await Promise.race([end, enough, waits]);
  yield answer.slice(-1);
  await Promise.race([end, enough]);
  clearTimeout(timer);
  clearTimeout(idle);
}

/** How many bytes of a connection had come at a time. */
interface Sample {
  readonly at: number;
  readonly bytes: number;
}

// Slower than a phone on a bad line: a trickle holds a request, or the slot of an upload, however long the body is.
export function cutSlowSenders(server: Server, { traffic, limits, observer }: Watching): void {
  const { bodyWindowMs, bodyBytesPerSecondMin } = limits;
  const samples = new WeakMap<IncomingMessage, readonly Sample[]>();
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const at = performance.now();
    // A machine that was paused has not read yet what came meanwhile.
    const stoodStill = at - checkedAt >= bodyWindowMs / 2;
    checkedAt = at;
    for (const { req } of traffic.lastAnswers()) {
      if (req.complete) continue;
      const now: Sample = { at, bytes: req.socket.bytesRead };
      // Bytes that wait to be read show that this process is the slow side.
      const earlier = stoodStill || req.readableLength > 0 ? [] : (samples.get(req) ?? []);
      // The window begins with the last sample that is old enough, or the first that there is.
      const begin = Math.max(
        0,
        earlier.findLastIndex((sample) => at - sample.at >= bodyWindowMs),
      );
      const { [begin]: first = now } = earlier;
      samples.set(req, [...earlier.slice(begin), now]);
      const ms = at - first.at;
      const isTooSlow = ms >= bodyWindowMs && (now.bytes - first.bytes) * 1000 < bodyBytesPerSecondMin * ms;
      if (isTooSlow) cutSlowSender(req, { traffic, observer });
    }
  }, limits.checkMs).unref();
  server.once("close", () => clearInterval(timer));
}

/** This many pieces may be of any size. After them the average must be that of a small network packet. */
const piecesFree = 1_000;
const pieceBytesMin = 64;

// Node calls back for each piece of a chunked body: two megabytes in pieces of one byte would hold the event loop for 300 ms.
function cutShredded(request: IncomingMessage): void {
  let pieces = 0;
  let bytes = 0;
  // Not `on`, which would let the body flow before its reader is there.
  request.prependListener("data", (piece: Buffer) => {
    pieces += 1;
    bytes += piece.length;
    if (pieces > piecesFree && bytes < pieces * pieceBytesMin) request.destroy(new Fault("bodyMalformed"));
  });
}
