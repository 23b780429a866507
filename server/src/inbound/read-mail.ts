// Reads a mail that came in: small ones at once, larger ones in a thread, so that no mail holds up the event loop.
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { InboundMail } from "./inbound-mail.ts";
import { parseMail } from "./parse-mail.ts";
import { MalformedMail, parsePostmark } from "./postmark-mail.ts";

/** The largest mail whose worst case is parsed within 50 ms. Most mails of persons are smaller. */
const inlineBytesMax = 8 * 1024;
/** A line takes as long as a hundred of its bytes. */
const inlineLinesMax = 1_000;
/** For 50 MB on a busy machine. */
const patienceMs = 30_000;
const idleMs = 10_000;
const copyBytes = 2 * 1024 * 1024;

export type MailJob =
  | { readonly kind: "raw"; readonly bytes: Uint8Array }
  | { readonly kind: "postmark"; readonly bytes: Uint8Array; readonly headersOnly: boolean };

/**
 * Reads a mail as it travels (RFC 5322 and MIME). It never rejects: of a mail that is built to break readers, the headers
 * are read and the text says that it could not be.
 */
export async function readMail(raw: Uint8Array): Promise<InboundMail> {
  const isSmall = raw.length <= inlineBytesMax && raw.filter((byte) => byte === 0x0a).length <= inlineLinesMax;
  if (isSmall) return parseMail(raw);
  try {
    return await thread.run({ kind: "raw", bytes: raw });
  } catch {
    return parseMail(raw, [], { headersOnly: true });
  }
}

/** Reads the body of Postmark's inbound webhook. @throws MalformedMail when it is none */
export async function readPostmark(body: Buffer): Promise<InboundMail> {
  if (body.length <= inlineBytesMax) return parsePostmark(body);
  try {
    return await thread.run({ kind: "postmark", bytes: body, headersOnly: false });
  } catch (error) {
    if (error instanceof MalformedMail) throw error;
    return thread.run({ kind: "postmark", bytes: body, headersOnly: true });
  }
}

export type Answer = { readonly mail: InboundMail } | { readonly malformed: true };

/** One thread, one mail at a time, so that a failure belongs to the mail it reads. It ends when there is nothing to read. */
class MailThread {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  run(job: MailJob): Promise<InboundMail> {
    const done = this.#last.then(() => this.#read(job));
    this.#last = done.catch(() => {});
    return done;
  }

  async #read(job: MailJob): Promise<InboundMail> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const settled = new AbortController();
    const { signal } = settled;
    try {
      worker.postMessage({ ...job, bytes: await shared(job.bytes) }, []);
      const answered = once(worker, "message", { signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) });
      const ended = once(worker, "exit", { signal }).then(() => Promise.reject(new Error("The thread ended.")));
      const [answer] = (await Promise.race([answered, ended])) as [Answer];
      if ("malformed" in answer) throw new MalformedMail();
      return answer.mail;
    } catch (error) {
      if (!(error instanceof MalformedMail)) this.#end();
      throw error;
    } finally {
      settled.abort();
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("mail-thread.ts", import.meta.url), {
      name: "mails that came in",
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 32 },
    });
    // It may run out of memory when its mail is not waited for any more. Without a listener that would end the process, and
    // the next mail must not wait for a thread that has ended.
    worker.on("error", () => {});
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

/** Bytes that a thread reads where they are. A copy is made in pieces: 35 MB at once take 40 ms. */
async function shared(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  for (let at = 0; at < bytes.length; at += copyBytes) {
    copy.set(bytes.subarray(at, at + copyBytes), at);
    if (at + copyBytes < bytes.length) await setImmediate();
  }
  return copy;
}

const thread = new MailThread();
