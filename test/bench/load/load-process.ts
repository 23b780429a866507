// The load generator's process: takes jobs from its parent one after the other and answers with what the clients saw. They
// send bytes over raw keep-alive sockets: a full HTTP client would need more CPU than the server that it measures. A wrong
// answer ends the process.
import { connect, type Socket } from "node:net";
import { type RequestKind, requestsTo } from "./requests.ts";

export interface Job {
  readonly url: string;
  readonly kind: RequestKind;
  readonly clients: number;
  /** How long, in milliseconds. */
  readonly ms: number;
}

export interface Outcome {
  /** How long each answer took, in milliseconds. */
  readonly latencies: Float64Array;
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** Sends requests from every client until the time is over, at least one, and waits for their answers. */
async function load({ url, kind, clients, ms }: Job): Promise<Outcome> {
  const { host, port } = new URL(url);
  const request = requestsTo(host, kind);
  const latencies: number[] = [];
  const begun = performance.now();
  const runClient = async (number: number) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.setNoDelay(true);
    const answers = answersOf(socket);
    do {
      const { chunks, status } = request(number);
      const sentAt = performance.now();
      socket.cork();
      for (const chunk of chunks) socket.write(chunk);
      socket.uncork();
      const answer = await answers();
      latencies.push(performance.now() - sentAt);
      if (!answer.startsWith(`HTTP/1.1 ${status}`)) throw new Error(`Not ${status}: ${answer.slice(0, 500)}`);
    } while (performance.now() < begun + ms);
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)));
  return { latencies: Float64Array.from(latencies), seconds: (performance.now() - begun) / 1000 };
}

/** Answers one after the other; rejects when the connection ends. */
function answersOf(socket: Socket): () => Promise<string> {
  let text = "";
  let waiting = Promise.withResolvers<string>();
  socket.on("error", (error) => waiting.reject(error));
  socket.on("close", () => waiting.reject(new Error(`The server closed the connection. ${text.slice(0, 200)}`)));
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (!isWhole(text)) return;
    waiting.resolve(text);
    text = "";
  });
  return () => {
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

process.on("message", (job: Job) => void load(job).then((outcome) => process.send?.(outcome)));
process.on("disconnect", () => process.exit());
