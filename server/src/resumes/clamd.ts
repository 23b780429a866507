// Asks a ClamAV daemon about a file (clamd's INSTREAM command, clamd(8)): chunks with their length before them, an empty
// one at the end, one line as the answer. Knows no application.
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";

/** Where clamd listens. */
export type ClamdAddress =
  | { readonly host: string; readonly port: number }
  /** A Unix socket. */
  | { readonly path: string };

export type Verdict = "clean" | "infected";

/** No verdict: the daemon is away, too slow, or answered something else. Asking again later may work. */
class ScannerUnavailable extends Error {
  override readonly name = "ScannerUnavailable";
}

// A scan of 5 MiB takes milliseconds; signatures being reloaded can take most of a minute.
const scanMsMax = 60_000;

/**
 * Scans a stream of bytes.
 *
 * @throws ScannerUnavailable
 */
export async function scanWithClamd(address: ClamdAddress, bytes: Readable): Promise<Verdict> {
  const socket = connect(address);
  const deadline = setTimeout(() => socket.destroy(new Error("time-out")), scanMsMax);
  try {
    const answer = readAnswer(socket);
    // Read by nobody when sending fails first.
    answer.catch(() => {});
    await send(socket, bytes);
    return verdictOf(await answer);
  } catch (error) {
    throw error instanceof ScannerUnavailable
      ? error
      : new ScannerUnavailable("clamd did not answer.", { cause: error });
  } finally {
    clearTimeout(deadline);
    socket.destroy();
    bytes.destroy();
  }
}

async function send(socket: Socket, bytes: Readable): Promise<void> {
  await write(socket, Buffer.from("zINSTREAM\0"));
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    await write(socket, Buffer.concat([length, chunk]));
  }
  await write(socket, Buffer.alloc(4));
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
    socket.on("end", () => resolve(answer.replaceAll("\0", "").trim()));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
  });
}

// Anything but these two (a size limit exceeded, an error) is no verdict.
function verdictOf(answer: string): Verdict {
  if (answer === "stream: OK") return "clean";
  if (/^stream: .+ FOUND$/.test(answer)) return "infected";
  throw new ScannerUnavailable("clamd gave no verdict.");
}
