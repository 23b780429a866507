// Cuts clients that send a chunked body in tiny pieces. Node calls back for each piece, so two megabytes of pieces of one
// byte would hold the event loop for 300 ms. Bodies with a length come in pieces as large as the network's.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Fault } from "../../fault.ts";

/** After these, the average must be that of a small network packet. */
const piecesFree = 1_000;
const pieceBytesMin = 64;

export function cutShreddedBodies(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    if (raw.headers["transfer-encoding"] !== undefined) watch(raw);
    done();
  });
}

function watch(request: IncomingMessage): void {
  let pieces = 0;
  let bytes = 0;
  // Not `on`, which would let the body flow before its reader is there.
  request.prependListener("data", (piece: Buffer) => {
    pieces += 1;
    bytes += piece.length;
    if (pieces > piecesFree && bytes < pieces * pieceBytesMin) request.destroy(new Fault("bodyMalformed"));
  });
}
