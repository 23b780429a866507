// Answers what never became a request: broken HTTP, headers too large, clients too slow. Only the bare socket is there, so
// the answer is written by hand.
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { faults, type FaultName } from "@submissions/shared/faults";
import { Fault } from "../fault.ts";
import { STATUS_CODES } from "../node-http.ts";
import { errorShape } from "../rpc/failure.ts";
import { isRpc } from "./fault-reply.ts";
import { requestIdOf } from "./headers.ts";
import type { TellRefusal } from "./observed-requests.ts";

const byNodeCode: Readonly<Record<string, FaultName>> = {
  HPE_HEADER_OVERFLOW: "headersTooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimedOut",
};

// A client that goes on sending must not keep the socket.
const closeMsMax = 1_000;

// Connections with broken bytes behind a request that still gets its answer.
const finishing = new WeakSet<Socket>();

/** Writes the fault and closes the connection. A whole request that came before gets its own answer instead. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, tell: TellRefusal): void {
  if (finishing.has(socket)) return;
  const isGone = error.code === "ECONNRESET" || !socket.writable;
  if (!isGone && isWhole(messageOf(socket))) {
    finishing.add(socket);
    closeAfterAnswers(socket);
  } else if (isGone) socket.destroy();
  else answer(socket, faultOf(error, socket), tell);
}

function faultOf({ code = "" }: { code?: string }, socket: Socket): FaultName {
  // The client closed its side before the request was whole. Once the head was read, only the body can be incomplete.
  if (code === "HPE_INVALID_EOF_STATE" && messageOf(socket)) return "bodyMalformed";
  return byNodeCode[code] ?? "requestMalformed";
}

/** Answers 408 to a client that sends the body of the current request too slowly, and closes the connection. */
export function cutSlowSender(socket: Socket, tell: TellRefusal): void {
  if (socket.writable) answer(socket, "requestTimedOut", tell);
  else socket.destroy();
}

function answer(socket: Socket, fault: FaultName, tell: TellRefusal): void {
  const begun = messageOf(socket);
  // Bytes of an answer that has begun must not be mixed with these.
  if (begun?.headersSent) {
    socket.destroy();
    return;
  }
  const { status, code, message } = faults[fault];
  const requestId = begun ? requestIdOf(begun.req) : randomUUID();
  const isOfRpc = isRpc({ url: begun?.req.url ?? "" });
  const body = JSON.stringify(
    isOfRpc ? { error: errorShape(new Fault(fault), undefined, requestId) } : { message, code, requestId },
  );
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      "content-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\n` +
      "cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n" +
      body,
  );
  // Browsers open connections that they never use. Closing one is no refusal.
  if (socket.bytesRead > 0) tell(requestId, fault);
  discard(socket);
  setTimeout(() => socket.destroy(), closeMsMax).unref();
}

/**
 * Throws away what still comes. A body that ends now must not be stored: its sender was told that it was refused. It is
 * read all the same, because a reset could overtake the answer.
 */
function discard(socket: Socket): void {
  // Node's parser takes bytes from the socket directly, without events. A listener makes it use events, and removing all
  // listeners then takes the parser away, too.
  socket.on("data", () => {});
  socket.removeAllListeners("data").resume();
}

/** The answer that is due next on a connection, as Node itself looks it up; null between requests. */
const messageOf = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;

const isWhole = (message: ServerResponse | null | undefined): message is ServerResponse =>
  message?.req.complete === true;

function closeAfterAnswers(socket: Socket): void {
  const message = messageOf(socket);
  if (isWhole(message)) message.once("close", () => closeAfterAnswers(socket));
  else socket.destroySoon();
}
