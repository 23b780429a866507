// The thread of read-mail.ts: reads one mail a message.
import { parentPort } from "node:worker_threads";
import type { InboundMail } from "./inbound-mail.ts";
import { parseMail } from "./parse-mail.ts";
import { MalformedMail, parsePostmark } from "./postmark-mail.ts";
import type { Answer, MailJob } from "./read-mail.ts";

/* oxlint-disable unicorn/require-post-message-target-origin -- a port of a thread, which knows no origins */

/**
 * What postal-mime joins the pieces of a part with. Node's own takes 1.5 KB for each line, which no limit of this thread
 * counts: 4 MB of short lines took 2 GB.
 */
class JoinedPieces {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(pieces: readonly (Uint8Array | ArrayBuffer | "\n")[]) {
    const lineEnd = Buffer.from("\n");
    this.#bytes = Buffer.concat(
      pieces.map((piece) => (piece === "\n" ? lineEnd : ArrayBuffer.isView(piece) ? piece : new Uint8Array(piece))),
    );
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return buffer.slice(byteOffset, byteOffset + byteLength);
  }
}

globalThis.Blob = JoinedPieces as unknown as typeof Blob;

function read(job: MailJob): Promise<InboundMail> {
  // A copy of its own: what the readers make of it is moved to the other thread.
  const bytes = Buffer.from(job.bytes);
  return job.kind === "raw" ? parseMail(bytes) : parsePostmark(bytes, job);
}

function answer(mail: InboundMail): void {
  const buffers = new Set(mail.attachments.map(({ bytes: { buffer } }) => buffer as ArrayBuffer));
  parentPort?.postMessage({ mail } satisfies Answer, [...buffers]);
}

parentPort?.on("message", (job: MailJob) => {
  read(job).then(answer, (error: unknown) => {
    if (!(error instanceof MalformedMail)) throw error;
    parentPort?.postMessage({ malformed: true } satisfies Answer);
  });
});
