// Has resumes scanned by a ClamAV daemon after they were accepted, oldest first, each by one process. A scanner that is down
// delays downloads, never a submission. A file of a reply is scanned before it is kept.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Log } from "../observe/log.ts";
import { repeatedly } from "../repeatedly.ts";
import type { Store } from "../storage/store.ts";
import { ResumeMissing, type Vault, VaultUnavailable } from "./vault.ts";

/** A look at an index that is empty most of the time. */
const pollMs = 2_000;
const afterFailureMs = 30_000;
/** A scan of 5 MiB takes milliseconds; a daemon that reloads its signatures can take most of a minute. No request waits. */
const scanMsMax = 60_000;
/** Longer than a scan. A resume of which the scanner says nothing is tried again after it. */
const claimMs = 5 * 60_000;

export type ClamdAddress = { readonly host: string; readonly port: number } | { readonly path: string };

interface ScanningOptions {
  readonly clamd: ClamdAddress;
  readonly store: Pick<Store, "claimUnscanned" | "recordScan" | "clock">;
  readonly vault: Pick<Vault, "read">;
  readonly log: Log;
  /** Called with whether the daemon answers: after each resume, and every two seconds without one. */
  readonly answered: (ready: boolean) => void;
}

export const startScanning = (options: ScanningOptions): AsyncDisposable =>
  repeatedly((signal) =>
    scanNext(options, signal).catch((error: unknown) => {
      if (error instanceof NoAnswer) options.answered(false);
      if (!signal.aborted) options.log.warn({ err: error }, "scanning resumes failed and will be tried again");
      return afterFailureMs;
    }),
  );

/** Scans one resume that waits; answers how long to rest. */
async function scanNext(options: ScanningOptions, signal: AbortSignal): Promise<number> {
  const { clamd, store, vault, log, answered } = options;
  // Connected before anything is claimed: what is claimed while the daemon is down would wait for its claim to end.
  using connection = await connectTo(clamd, scanMsMax, signal);
  const now = store.clock.now();
  const [resume] = await store.claimUnscanned(now, 1, now + claimMs);
  if (resume === undefined) {
    await ping(connection.socket);
    answered(true);
    return pollMs;
  }
  const { key, reference } = resume;
  try {
    const verdict = await scan(connection.socket, await vault.read(key));
    answered(true);
    await store.recordScan(key, verdict);
    if (verdict === "infected") log.warn({ reference, result: verdict }, "a resume is infected");
  } catch (error) {
    const isOfThisFile = error instanceof NoVerdict || error instanceof ResumeMissing;
    if (!isOfThisFile || signal.aborted) throw error;
    if (error instanceof NoVerdict) answered(false);
    log.error({ err: error, reference }, "a resume cannot be scanned");
  }
  return 0;
}

/** @param msMax how long the daemon is waited for @throws NoAnswer, NoVerdict */
export async function scanFile(clamd: ClamdAddress, path: string, msMax: number): Promise<"clean" | "infected"> {
  using connection = await connectTo(clamd, msMax);
  return await scan(connection.socket, createReadStream(path));
}

/** The daemon is away, or hangs: it then takes connections and says nothing. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** The daemon was reached and gave no verdict on a file: too large, too slow, an error. */
export class NoVerdict extends Error {
  override readonly name = "NoVerdict";
}

async function connectTo(
  address: ClamdAddress,
  msMax: number,
  signal?: AbortSignal,
): Promise<Disposable & { socket: Socket }> {
  const socket = connect(signal === undefined ? address : { ...address, signal });
  const timer = setTimeout(() => socket.destroy(new Error("time-out")), msMax);
  const dispose = () => {
    clearTimeout(timer);
    socket.destroy();
  };
  try {
    await once(socket, "connect");
  } catch (cause) {
    dispose();
    throw new NoAnswer("clamd cannot be reached.", { cause });
  }
  // Failures show where the connection is used.
  socket.on("error", () => {});
  return { socket, [Symbol.dispose]: dispose };
}

/** @throws NoAnswer */
async function ping(socket: Socket): Promise<void> {
  const answer = write(socket, Buffer.from("zPING\0")).then(() => text(socket));
  const word = await answer.catch((error: unknown) => String(error));
  if (word !== "PONG\0") throw new NoAnswer("clamd does not answer.", { cause: word });
}

/** Sends bytes with clamd's INSTREAM command: chunks with their length, an empty one at the end. @throws NoVerdict, VaultUnavailable */
async function scan(socket: Socket, bytes: Readable): Promise<"clean" | "infected"> {
  try {
    const answer = text(socket);
    // When sending fails first, nothing awaits it.
    answer.catch(() => {});
    await write(socket, Buffer.from("zINSTREAM\0"));
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(chunk.length);
      await write(socket, Buffer.concat([length, chunk]));
    }
    await write(socket, Buffer.alloc(4));
    return verdictOf((await answer).replaceAll("\0", "").trim());
  } catch (cause) {
    // Not the daemon's doing, nor the file's.
    if (cause instanceof VaultUnavailable) throw cause;
    throw new NoVerdict("clamd gave no verdict.", { cause });
  } finally {
    bytes.destroy();
  }
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Any other answer (a size limit exceeded, an error) is no verdict. */
function verdictOf(answer: string): "clean" | "infected" {
  if (answer === "stream: OK") return "clean";
  if (/^stream: .+ FOUND$/.test(answer)) return "infected";
  throw new Error("neither OK nor FOUND");
}
