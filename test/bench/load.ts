// The load generator's process: takes jobs from its parent one after the other and answers with what the clients saw. They
// send inquiries as bytes over raw keep-alive sockets: a full HTTP client would need more CPU than the server that it
// measures. A wrong answer ends the process.
import { connect, type Socket } from "node:net";

export interface Job {
  readonly url: string;
  readonly clients: number;
  readonly ms: number;
}

export interface Outcome {
  /** How long each answer took, in milliseconds. */
  readonly latencies: Float64Array;
  /** From the first request to the last answer. */
  readonly seconds: number;
}

/** Sends requests from every client until the time is over, at least one, and waits for their answers. */
async function load({ url, clients, ms }: Job): Promise<Outcome> {
  const { host, port, pathname } = new URL(url);
  const latencies: number[] = [];
  const begun = performance.now();
  const runClient = async (number: number) => {
    const write = requestsOf(number, host, pathname);
    const socket = connect(Number(port), "127.0.0.1");
    socket.setNoDelay(true);
    const answers = answersOf(socket);
    do {
      const sentAt = performance.now();
      socket.write(write());
      const answer = await answers();
      latencies.push(performance.now() - sentAt);
      if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`Not 200: ${answer.slice(0, 500)}`);
    } while (performance.now() < begun + ms);
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)));
  return { latencies: Float64Array.from(latencies), seconds: (performance.now() - begun) / 1000 };
}

/** Stands in a body where each request has a number of its own. */
const marker = "00000000";
let numbers = 0;

/** Writes the requests of a client, whose address is its own, as behind a proxy: limits are counted by address. */
function requestsOf(client: number, host: string, path: string): () => string {
  const body = JSON.stringify({
    name: "Ada Nakamura",
    company: "Voice Labs Ltd",
    email: `ada-${process.pid.toString(36)}${Date.now().toString(36)}-${marker}@voicelabs.example`,
    selectedPackageIds: ["en-in-telephony", "es-mx-studio"],
  });
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 10.0.0.${1 + client}\r\n`;
  const text = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return () => text.replace(marker, (numbers += 1).toString(36).padStart(marker.length, "0"));
}

function answersOf(socket: Socket): () => Promise<string> {
  let text = "";
  let waiting = Promise.withResolvers<string>();
  socket.on("error", (error) => waiting.reject(error));
  socket.on("close", () => waiting.reject(new Error(`The server closed the connection. ${text.slice(0, 200)}`)));
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const head = text.indexOf("\r\n\r\n");
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    // Without a length it is chunked.
    const isWhole = length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= head + 4 + Number(length);
    if (head < 0 || !isWhole) return;
    waiting.resolve(text);
    text = "";
  });
  return () => {
    waiting = Promise.withResolvers<string>();
    return waiting.promise;
  };
}

process.on("message", (job: Job) => void load(job).then((outcome) => process.send?.(outcome)));
process.on("disconnect", () => process.exit());
