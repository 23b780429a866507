// Positioned reads of a staged file for the judges of the formats. Whatever offset a hostile file names, a read is cut to
// what is there.
import { open, type FileHandle } from "node:fs/promises";

/** A small read brings this much along, so that a walk over neighbouring records makes few system calls. */
const windowBytes = 16 * 1024;

/** The bytes of one staged file. Not for concurrent use: it keeps a window of the file in memory. */
export class StagedBytes implements AsyncDisposable {
  readonly #handle: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  readonly size: number;
  /** The first read that the system refused; libraries between here and the caller may have hidden it. */
  ioError: unknown = null;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path: string): Promise<StagedBytes> {
    const handle = await open(path, "r");
    try {
      return new StagedBytes(handle, (await handle.stat()).size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** At most `length` bytes from `position` on; none where that is no offset in the file. Later reads leave them alone. */
  async read(position: number, length: number): Promise<Buffer> {
    if (!Number.isSafeInteger(position) || position < 0 || position >= this.size) return Buffer.alloc(0);
    const wanted = Math.min(length, this.size - position);
    if (position < this.#windowStart || position + wanted > this.#windowStart + this.#window.length) {
      this.#window = await this.#fetch(position, Math.min(Math.max(wanted, windowBytes), this.size - position));
      this.#windowStart = position;
    }
    const start = position - this.#windowStart;
    return this.#window.subarray(start, start + wanted);
  }

  async #fetch(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    try {
      while (filled < length) {
        const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      this.ioError ??= error;
      throw error;
    }
    return buffer.subarray(0, filled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
