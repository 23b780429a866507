// Clients that cost next to nothing: bytes over raw keep-alive sockets. A full HTTP client would need more CPU than the
// server that it measures.
import { connect, type Socket } from "node:net";
import type { Requests } from "./requests.ts";

export interface Load {
  readonly port: number;
  readonly request: Requests;
  readonly clients: number;
  /** How long, in milliseconds. */
  readonly ms: number;
  /** Requests a second of all clients together; null: each sends the next one when it has its answer. */
  readonly perSecond: number | null;
}

export interface Outcome {
  /** How long each answer took, in milliseconds. */
  readonly latencies: Float64Array;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Answers with another status than the request's, and one of them. */
  readonly unexpected: number;
  readonly example: string;
}

/** Sends requests from every client until the time is over, at least one, and waits for their answers. */
export async function load({ port, request, clients, ms, perSecond }: Load): Promise<Outcome> {
  const latencies: number[] = [];
  let unexpected = 0;
  let example = "";
  const begun = performance.now();
  const end = begun + ms;
  const gapMs = perSecond === null ? 0 : (clients * 1000) / perSecond;
  const runClient = async (number: number) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    const answers = answersOf(socket);
    // Spread over the gap, so that clients do not send in step.
    let due = begun + (gapMs * number) / clients;
    for (let sent = 0; ; sent += 1) {
      if (gapMs > 0 && due > performance.now())
        await new Promise((go) => setTimeout(go, Math.max(due - performance.now(), 0)));
      if (sent > 0 && performance.now() >= end) break;
      const { chunks, status } = request(number);
      // A paced request is late from when it was due, not from when the client was free to send it.
      const sentAt = gapMs > 0 ? due : performance.now();
      due += gapMs;
      socket.cork();
      for (const chunk of chunks) socket.write(chunk);
      socket.uncork();
      const answer = await answers();
      latencies.push(performance.now() - sentAt);
      if (answer.startsWith(`HTTP/1.1 ${status}`)) continue;
      unexpected += 1;
      example = answer.slice(0, 500);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)));
  const seconds = (performance.now() - begun) / 1000;
  return { latencies: Float64Array.from(latencies), seconds, unexpected, example };
}

/** Answers one after the other; rejects when the connection ends. */
function answersOf(socket: Socket): () => Promise<string> {
  let text = "";
  let waiting: PromiseWithResolvers<string> | null = null;
  let broken: Error | null = null;
  const fail = (error: Error) => {
    broken = error;
    waiting?.reject(error);
  };
  socket.on("error", fail);
  socket.on("close", () => fail(new Error(`The server closed the connection. ${text.slice(0, 200)}`)));
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (waiting === null || !isWhole(text)) return;
    const answer = text;
    text = "";
    waiting.resolve(answer);
  });
  return () => {
    if (broken !== null) return Promise.reject(broken);
    waiting = Promise.withResolvers<string>();
    return waiting.promise;
  };
}

/** Whether an answer has arrived to its end. */
function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= head + 4 + Number(length);
  return /\r\ntransfer-encoding: chunked/i.test(text) ? text.endsWith("0\r\n\r\n") : true;
}
