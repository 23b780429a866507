// Answers what never became a request: broken HTTP, large headers, slow clients. It writes on the bare socket.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { faults, type FaultName } from "@submissions/shared/faults";
import { Fault } from "../fault.ts";
import { STATUS_CODES } from "../node-http.ts";
import { errorShape } from "../rpc/failure.ts";
import type { Traffic } from "./gate/traffic.ts";
import { requestIdOf } from "./headers.ts";
import type { Observer } from "./observed-requests.ts";
import { isRpc } from "./rpc-wire.ts";

const byNodeCode: Readonly<Record<string, FaultName>> = {
  HPE_HEADER_OVERFLOW: "headersTooLarge",
  ERR_HTTP_REQUEST_TIMEOUT: "requestTimedOut",
};

const requestLine = /^([\w!#$%&'*+.^`|~-]+) (\S+) HTTP\/1\.[01]\r\n/;

// A client that goes on sending must not keep the socket.
const closeMsMax = 1_000;

interface Connections {
  readonly traffic: Pick<Traffic, "answersOn" | "end">;
  readonly observer: Pick<Observer, "cut" | "neverBegun">;
}

interface KnowingConnections extends Connections {
  /** The methods that the target of a request takes. */
  readonly methodsAt: (target: string) => ReadonlySet<string>;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly bytesParsed?: number;
  /** A buffer. Fastify's types have something else. */
  readonly rawPacket?: unknown;
}

/** Answers an error of a connection and closes it. Whole requests that came before get their own answers instead. */
export function answerClientError(error: ParserError, socket: Socket, connections: KnowingConnections): void {
  // Time-outs are looked at before sockets are read: where this process stood still, a request may wait there as a whole.
  if (error.code !== "ERR_HTTP_REQUEST_TIMEOUT" || socket.bytesRead > 0) answerNow(error, socket, connections);
  else setImmediate(() => socket.bytesRead === 0 && answerNow(error, socket, connections));
}

function answerNow(error: ParserError, socket: Socket, connections: KnowingConnections): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    // Once this side has ended the connection, the client is given time to see the answer.
    if (!socket.writableEnded) socket.destroy();
    return;
  }
  const { traffic } = connections;
  const answers = traffic.answersOn(socket);
  const whole = answers.findLast(({ req }) => req.complete);
  const target = answers.length === 0 ? targetOfUnknownMethod(error) : undefined;
  if (target !== undefined) refuseMethod(socket, target, connections);
  else if (whole === undefined) answerAndClose(socket, faultOfConnection(error, answers.length > 0), connections);
  else if (traffic.end(socket)) whole.once("close", () => socket.destroySoon());
}

/** Answers CONNECT, with which Node hands its connection over. */
export function refuseConnect({ url = "" }: IncomingMessage, socket: Socket, connections: KnowingConnections): void {
  socket.on("error", () => socket.destroy()).resume();
  if (connections.traffic.answersOn(socket).length > 0) socket.destroy();
  else refuseMethod(socket, url, connections);
}

/** The target of a request whose method Node's parser does not know; undefined: it is no request, or its line came in pieces. */
function targetOfUnknownMethod({ code, bytesParsed = 0, rawPacket }: ParserError): string | undefined {
  if (code !== "HPE_INVALID_METHOD") return undefined;
  const [, method = "", target] = requestLine.exec(String(rawPacket)) ?? [];
  // The parser gave up within this method, so nothing comes before it.
  return bytesParsed <= method.length ? target : undefined;
}

function refuseMethod(socket: Socket, target: string, connections: KnowingConnections): void {
  const allow = [...connections.methodsAt(target)].join(", ");
  answerAndClose(socket, allow === "" ? "notFound" : "methodNotSupported", connections, { target, allow });
}

/** Answers 408 to a client that sends the body of a request too slowly, and closes the connection. */
export function cutSlowSender({ socket }: IncomingMessage, connections: Connections): void {
  if (socket.writable) answerAndClose(socket, "requestTimedOut", connections);
  else socket.destroy();
}

type Told = { readonly target: string; readonly allow: string };

function answerAndClose(socket: Socket, fault: FaultName, { traffic, observer }: Connections, told?: Told): void {
  const [begun] = traffic.answersOn(socket);
  // Bytes of an answer that has begun must not be mixed with these.
  if (begun?.headersSent) {
    socket.destroy();
    return;
  }
  traffic.end(socket);
  const requestId = begun ? requestIdOf(begun.req) : randomUUID();
  socket.end(answerText(fault, requestId, told ?? { target: begun?.req.url ?? "", allow: "" }));
  // Browsers open connections that they never use. Closing one is no refusal.
  if (begun === undefined && socket.bytesRead > 0) observer.neverBegun(requestId, fault);
  if (begun) {
    observer.cut(begun.req, fault);
    discard(begun.req);
  }
  setTimeout(() => socket.destroy(), closeMsMax).unref();
}

/** Errors of a connection become entries of the table. @param hasBegun whether the head of a request was read: then only its body can be incomplete */
function faultOfConnection({ code = "" }: { code?: string }, hasBegun: boolean): FaultName {
  // The client closed its side before the request was whole.
  if (code === "HPE_INVALID_EOF_STATE" && hasBegun) return "bodyMalformed";
  return byNodeCode[code] ?? "requestMalformed";
}

function answerText(fault: FaultName, requestId: string, { target, allow }: Told): string {
  const { status, code, message } = faults[fault];
  const body = JSON.stringify(
    isRpc({ url: target })
      ? { error: errorShape(new Fault(fault), undefined, requestId) }
      : { message, code, requestId },
  );
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
    "content-type: application/json; charset=utf-8\r\n" +
    `content-length: ${Buffer.byteLength(body)}\r\n` +
    `x-request-id: ${requestId}\r\n` +
    (allow === "" ? "" : `allow: ${allow}\r\n`) +
    "cache-control: no-store\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n" +
    body
  );
}

/** Takes a body from its reader, so that it is not stored, and reads on: a reset could overtake the answer. */
function discard(request: IncomingMessage): void {
  request.unpipe();
  request.removeAllListeners("data").removeAllListeners("end").resume();
}
