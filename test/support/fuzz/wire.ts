// Sends bytes over a socket and reads whatever answers come back, as HTTP and nothing more.
import { once } from "node:events";
import { connect } from "node:net";
import type { FuzzRequest } from "./requests.ts";

export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Exchange {
  readonly answers: readonly WireAnswer[];
  /** Bytes that are no HTTP answer, or not a whole one. */
  readonly rest: Buffer;
}

/** How long one waits for an answer to bytes to which none may be due. */
const patienceMs = 100;

export async function exchange(port: number, request: FuzzRequest): Promise<Exchange> {
  const socket = connect(port, "127.0.0.1");
  const received: Buffer[] = [];
  // These bytes may need no answer: leave some time after the last byte that came.
  const hangUp = setTimeout(() => socket.end(), patienceMs);
  if (request.framing === "framed") clearTimeout(hangUp);
  socket.on("data", (chunk: Buffer) => {
    received.push(chunk);
    if (request.framing === "wild") hangUp.refresh();
  });
  // A reset is one of the ways in which the service may cut.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  await Promise.race([once(socket, "connect"), closed]);
  for (const piece of request.pieces) {
    if (socket.destroyed) break;
    // Handed to the system before the next piece is.
    await new Promise((resolve) => socket.write(piece, resolve));
  }
  // A client that cuts its request short leaves in one of two ways.
  if (request.framing === "cut") {
    if (request.body.length % 2 === 0) socket.end();
    else socket.resetAndDestroy();
  }
  await closed;
  clearTimeout(hangUp);
  return readAnswers(Buffer.concat(received), request.method);
}

export function readAnswers(bytes: Buffer, method: string): Exchange {
  const answers: WireAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const read = readAnswer(rest, method);
    if (read === undefined) return { answers, rest };
    if (read.answer.status >= 200) answers.push(read.answer);
    rest = rest.subarray(read.length);
  }
}

function readAnswer(
  bytes: Buffer,
  method: string,
): { readonly answer: WireAnswer; readonly length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (Number.isNaN(status)) return undefined;
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const start = headEnd + 4;
  const hasBody = method !== "HEAD" && status >= 200 && status !== 204 && status !== 304;
  if (!hasBody) return { answer: { status, headers, body: "" }, length: start };
  if (headers.get("transfer-encoding") === "chunked") {
    const chunks = readChunks(bytes.subarray(start));
    return chunks && { answer: { status, headers, body: chunks.text }, length: start + chunks.length };
  }
  const length = Number(headers.get("content-length") ?? bytes.length - start);
  if (bytes.length < start + length) return undefined;
  const body = bytes.subarray(start, start + length).toString("utf8");
  return { answer: { status, headers, body }, length: start + length };
}

function readChunks(bytes: Buffer): { readonly text: string; readonly length: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    if (lineEnd < 0 || Number.isNaN(size) || bytes.length < lineEnd + size + 4) return undefined;
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + size + 4;
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), length: at };
  }
}
