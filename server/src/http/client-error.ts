// Answers what never became a request: broken HTTP, headers too large, clients too slow. Node hands over the bare
// socket, so the answer is written by hand.
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { faults, type FaultName } from "@submissions/shared/faults";

const byNodeCode: Readonly<Record<string, FaultName>> = {
  HPE_HEADER_OVERFLOW: "headersTooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimedOut",
};

// Broken bytes after a request that is still being worked on.
const finishing = new WeakSet<Socket>();

/** Writes the fault and closes the connection; a whole request that came before gets its own answer instead. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (finishing.has(socket)) return;
  if (error.code !== "ECONNRESET" && socket.writable && isWhole(messageOf(socket))) {
    finishing.add(socket);
    finish(socket);
    return;
  }
  if (error.code === "ECONNRESET" || !socket.writable || answerBegun(socket)) {
    socket.destroy();
    return;
  }
  const fault = byNodeCode[error.code ?? ""] ?? "requestMalformed";
  const { status, code, message } = faults[fault];
  const requestId = randomUUID();
  const body = JSON.stringify({ message, code, requestId });
  socket.end(
    `HTTP/1.1 ${status} ${reasons[fault] ?? "Bad Request"}\r\n` +
      "content-type: application/json; charset=utf-8\r\n" +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      `x-request-id: ${requestId}\r\n` +
      "cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n" +
      body,
  );
  // A client that goes on sending must not keep the socket.
  setTimeout(() => socket.destroy(), 1_000).unref();
}

const reasons: Partial<Record<FaultName, string>> = {
  headersTooLarge: "Request Header Fields Too Large",
  requestTimedOut: "Request Timeout",
};

// Node's own handler looks here too: bytes of an answer that has begun must not be mixed with ours.
function answerBegun(socket: Socket): boolean {
  return messageOf(socket)?.headersSent === true;
}

/** The answer that is due next on a connection; null between requests. */
const messageOf = (socket: Socket): ServerResponse | null | undefined =>
  (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;

const isWhole = (message: ServerResponse | null | undefined): message is ServerResponse =>
  message?.req.complete === true;

/** Closes a connection after the answers to the whole requests on it. */
function finish(socket: Socket): void {
  const message = messageOf(socket);
  if (isWhole(message)) message.once("close", () => finish(socket));
  else socket.destroySoon();
}
