// Bodies on their way in, before anything reads them: when a client is asked for one, and what becomes of a client that
// sends it too slowly, in too small pieces, or after its request was refused.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";
import { cutSlowSender } from "../client-error.ts";
import type { Traffic } from "../gate/traffic.ts";
import type { HttpLimits } from "../limits.ts";
import type { TellRefusal } from "../observed-requests.ts";

interface Watching {
  readonly traffic: Pick<Traffic, "lastAnswers" | "lastAnswerOn">;
  readonly limits: HttpLimits;
  /** Told of clients that are cut. */
  readonly tell: TellRefusal;
}

/** Must be called before any route is added. */
export function watchBodies(app: FastifyInstance, { traffic, limits, tell }: Watching): void {
  const server: Server = app.server;
  answerExpectations(server);
  endAfterEarlyAnswers(app);
  cutSlowSenders(server, { traffic, limits, tell });
  closeInStages(server, traffic);
  const onFinish = function onFinish(this: ServerResponse) {
    drain(this.req, limits);
  };
  // Not hooks of Fastify: those do not run for an address that it cannot read.
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers["transfer-encoding"] !== undefined) cutShredded(request);
    // Before Node's own listener, which would read on without limit.
    response.prependListener("finish", onFinish);
  });
}

// RFC 9110 10.1.1. A client that asks whether its body is welcome is told so when something begins to read it. A body that
// is refused by its head alone is never sent.
function answerExpectations(server: Server): void {
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

// HAProxy 2.6 hands a connection on to the next client even if the body of an answered request on it was never finished.
// That client's request would be read as the rest of the body. So an answer to an unfinished request ends the connection.
function endAfterEarlyAnswers(app: FastifyInstance): void {
  app.addHook("onSend", ({ raw: request }, { raw: response }, _payload, done) => {
    if (request.complete || !bringsBody(request)) return done();
    // Node has not yet looked at all that it has read. A body that came with its head is whole then.
    setImmediate(() => {
      if (!request.complete) response.shouldKeepAlive = false;
      done();
    });
  });
}

const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

type SlowLimits = Pick<HttpLimits, "checkMs" | "bodyBytesPerSecondMin" | "bodyGraceMs">;

interface WatchingSlow extends Pick<Watching, "tell"> {
  readonly traffic: Pick<Traffic, "lastAnswers">;
  readonly limits: SlowLimits;
}

/**
 * Cuts clients that send a body slower than a phone on a bad line: a trickle holds a request, and often the slot of an
 * upload, for as long as it likes. Checks all unfinished bodies until the server closes, by the average since each was
 * first looked at.
 */
export function cutSlowSenders(server: Server, { traffic, limits, tell }: WatchingSlow): void {
  const begun = new WeakMap<IncomingMessage, { readonly at: number; readonly bytes: number }>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const { req } of traffic.lastAnswers()) {
      if (req.complete) continue;
      const { bytesRead } = req.socket;
      const start = begun.get(req);
      // Bytes that wait to be read show that this process is the slow side.
      if (start === undefined || req.readableLength > 0) begun.set(req, { at: now, bytes: bytesRead });
      else if (isTooSlow(now - start.at, bytesRead - start.bytes, limits)) cutSlowSender(req.socket, tell);
    }
  }, limits.checkMs).unref();
  server.once("close", () => clearInterval(timer));
}

const isTooSlow = (ms: number, bytes: number, { bodyBytesPerSecondMin, bodyGraceMs }: SlowLimits): boolean =>
  ms >= bodyGraceMs && bytes * 1000 < bodyBytesPerSecondMin * ms;

/** This many pieces may be of any size. After them the average must be that of a small network packet. */
const piecesFree = 1_000;
const pieceBytesMin = 64;

// Node calls back for each piece of a chunked body, so two megabytes of pieces of one byte would hold the event loop for
// 300 ms. Bodies with a length come in pieces as large as the network's.
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

const isComing = ({ complete, destroyed }: IncomingMessage): boolean => !complete && !destroyed;

// Reads on, and throws away, what a client still sends after it was answered, so that a client that writes before it reads
// can see a refusal. A client that sends more or longer is cut off.
function drain(request: IncomingMessage, { drainBytesMax, drainMsMax }: HttpLimits): void {
  if (!isComing(request)) return;
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), drainMsMax).unref();
  request.once("close", () => clearTimeout(timer));
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > drainBytesMax) request.destroy();
  });
  // Destroying the request may emit an error, which has no other listener.
  request.on("error", () => {});
  request.unpipe();
  request.resume();
}

// RFC 9112 9.6. Node destroys a connection as soon as the last answer on it is written. What the client still sends is then
// answered with a reset, which many clients see before the answer. So this side is closed first, and the connection is
// destroyed when the rest of the body has come or `drain` has had enough.
function closeInStages(server: Server, traffic: Pick<Traffic, "lastAnswerOn">): void {
  server.on("connection", (socket: Socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const answer = traffic.lastAnswerOn(socket);
      // One that is not written yet belongs to a request behind the one that ends the connection.
      if (answer?.writableFinished && isComing(answer.req)) {
        answer.req.once("close", destroySoon);
        socket.end();
      } else destroySoon();
    };
  });
}
