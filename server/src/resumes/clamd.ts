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

/** The daemon is away. Asking again later may work. */
class ScannerUnavailable extends Error {
  override readonly name = "ScannerUnavailable";
}

/** The daemon was reached and said neither one nor the other of this file: too large for it, too slow, an error. */
export class NoVerdict extends Error {
  override readonly name = "NoVerdict";
}

// A scan of 5 MiB takes milliseconds; signatures being reloaded can take most of a minute.
const scanMsMax = 60_000;

/**
 * Scans a stream of bytes.
 *
 * @throws ScannerUnavailable, NoVerdict
 */
export async function scanWithClamd(address: ClamdAddress, bytes: Readable, signal: AbortSignal): Promise<Verdict> {
  const socket = connect({ ...address, signal });
  let reached = false;
  socket.once("connect", () => (reached = true));
  const deadline = setTimeout(() => socket.destroy(new Error("time-out")), scanMsMax);
  try {
    const answer = readAnswer(socket);
    // Read by nobody when sending fails first.
    answer.catch(() => {});
    await send(socket, bytes);
    return verdictOf(await answer);
  } catch (cause) {
    if (reached) throw new NoVerdict("clamd gave no verdict.", { cause });
    throw new ScannerUnavailable("clamd cannot be reached.", { cause });
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
  throw new NoVerdict("clamd gave no verdict.");
}
