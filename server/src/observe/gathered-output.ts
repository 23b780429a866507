// Writes lines in larger pieces, outside the event loop's thread: a system call for each line would cost more than the
// line, and a slow reader of the log must not stop the service. (sonic-boom, pino's own, never gives up on a full disk.)
import { write, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Lines are gathered up to this many characters, for a second at most. */
const gatheredLengthMin = 4096;
const gatheredMsMax = 1000;
/** Characters that wait for a slow reader. Further lines are dropped: a log must not take all memory. */
const waitingLengthMax = 16 * 1024 * 1024;
/** How long a stopping process waits for a slow reader. */
const flushMsMax = 500;
const retryMs = 10;

const writePart = promisify(write);
const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EAGAIN";

/** An output of the process that is open from its start to its end. */
export class GatheredOutput {
  readonly #descriptor: number;
  #lines = "";
  /** The piece that is being written. */
  #writing: Promise<void> | null = null;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    setInterval(() => this.#begin(), gatheredMsMax).unref();
    process.on("exit", () => this.flushSync());
  }

  write(line: string): void {
    if (this.#lines.length > waitingLengthMax) return;
    this.#lines += line;
    if (this.#lines.length >= gatheredLengthMin) this.#begin();
  }

  /** Writes what was gathered. Resolves when it is written, or after half a second. */
  async flush(): Promise<void> {
    const writeAll = async () => {
      while (this.#writing !== null || this.#lines !== "") {
        this.#begin();
        await this.#writing;
      }
    };
    await Promise.race([writeAll(), sleep(flushMsMax, undefined, { ref: false })]);
  }

  /** Writes what was gathered, but not what is being written. For a process that cannot wait; pino calls it. */
  flushSync(): void {
    const piece = Buffer.from(this.#lines);
    this.#lines = "";
    const giveUpAt = performance.now() + flushMsMax;
    for (let written = 0; written < piece.length;) {
      try {
        written += writeSync(this.#descriptor, piece, written);
      } catch (error) {
        // The reader is gone (EPIPE), its disk is full, or it is too slow: the process ends without these lines.
        if (!isBusy(error) || performance.now() > giveUpAt) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      }
    }
  }

  #begin(): void {
    if (this.#writing !== null || this.#lines === "") return;
    const piece = Buffer.from(this.#lines);
    this.#lines = "";
    this.#writing = this.#writePiece(piece);
  }

  async #writePiece(piece: Buffer): Promise<void> {
    for (let written = 0; written < piece.length;) {
      try {
        written += (await writePart(this.#descriptor, piece, written)).bytesWritten;
      } catch (error) {
        // The reader is gone (EPIPE) or its disk is full: the service goes on without these lines.
        if (!isBusy(error)) break;
        await sleep(retryMs);
      }
    }
    this.#writing = null;
    if (this.#lines.length >= gatheredLengthMin) this.#begin();
  }
}
