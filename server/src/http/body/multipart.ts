// Streams a multipart form: its file goes to the staging folder under back-pressure while it is hashed, its text into a
// FormBody. Every size has a limit that is checked while bytes arrive, because @fastify/multipart has none for the
// form as a whole, and what it drops or cuts silently is refused here.
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Multipart, MultipartFile } from "@fastify/multipart";
import { resumeField } from "@submissions/shared/application";
import { faults } from "@submissions/shared/faults";
import { bytesMax } from "@submissions/shared/limits";
import type { FastifyRequest } from "fastify";
import { reached } from "../../failpoint.ts";
import { Fault } from "../../fault.ts";
import { StagedUpload } from "../../resumes/staged-upload.ts";
import { DelimiterCounter } from "./delimiter-counter.ts";
import { drainBytesMax } from "./drain.ts";
import { type FormBody, textFieldsMax } from "./form-body.ts";

// One resume, and room to notice a second one.
const filesMax = 2;

/** What was read of a form. Dispose of it once the request is done: staging files that nobody kept are removed. */
export interface ReadForm extends AsyncDisposable {
  readonly input: object;
}

interface MultipartOptions {
  readonly stagingFolder: string;
  /**
   * Whether to read on behind a resume that is too large, as far as the rest would be read and thrown away otherwise: the
   * fields there are shown again to the person who typed them.
   */
  readonly patient: boolean;
}

/**
 * Reads a multipart request into a form.
 *
 * @throws Fault `fieldTooLarge`, `resumeTooLarge`, `bodyMalformed`, `bodyEmpty`, `fieldsInvalid`; the
 * staging file is gone by then
 */
export async function readMultipart(
  request: FastifyRequest,
  body: FormBody,
  options: MultipartOptions,
): Promise<ReadForm> {
  const reader = new MultipartReader(request, body, options);
  if (Number(request.headers["content-length"] ?? 0) > reader.formBytesMax) throw resumeTooLarge();
  try {
    return { input: await reader.read(), [Symbol.asyncDispose]: () => reader.removeStaged() };
  } catch (error) {
    await reader.removeStaged();
    throw faultOf(error);
  }
}

class MultipartReader {
  readonly #request: FastifyRequest;
  readonly #options: MultipartOptions;
  readonly #body: FormBody;
  readonly #delimiters: DelimiterCounter;
  readonly #overrun = Promise.withResolvers<never>();
  #staged: string | undefined;
  #reading: Readable | undefined;
  #bytes = 0;
  #parts = 0;
  #tooLarge = false;

  constructor(request: FastifyRequest, body: FormBody, options: MultipartOptions) {
    this.#request = request;
    this.#body = body;
    this.#options = options;
    this.#delimiters = new DelimiterCounter(request.headers["content-type"] ?? "");
    this.#overrun.promise.catch(() => {});
  }

  get formBytesMax(): number {
    return this.#options.patient ? drainBytesMax : bytesMax.multipartForm;
  }

  async read(): Promise<object> {
    const parts = this.#request.parts({
      // Only a file name makes a part a file; by default a content type would do.
      isPartAFile: (_name, _type, filename) => filename !== undefined,
      limits: {
        fieldSize: bytesMax.formField,
        fileSize: bytesMax.resume,
        fields: textFieldsMax,
        files: filesMax,
        parts: textFieldsMax + filesMax,
        headerPairs: 20,
      },
    });
    // The first call connects the parser; only then may the bytes be watched, or they would flow past it.
    let next = parts.next();
    this.#request.raw.on("data", this.#watch);
    try {
      for (let part = await this.#orOverrun(next); !part.done; part = await this.#orOverrun(next)) {
        this.#parts += 1;
        await this.#take(part.value);
        next = parts.next();
      }
    } finally {
      this.#request.raw.off("data", this.#watch);
    }
    if (this.#bytes === 0) throw new Fault("bodyEmpty");
    if (this.#tooLarge || this.#bytes > bytesMax.multipartForm) throw resumeTooLarge();
    // A part that the parser could not use is missing here without a word: a resume must not get lost that way.
    if (!this.#delimiters.closed || this.#delimiters.parts !== this.#parts) throw new Fault("bodyMalformed");
    return this.#body.finish();
  }

  async removeStaged(): Promise<void> {
    if (this.#staged !== undefined) await rm(this.#staged, { force: true });
  }

  readonly #watch = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    this.#delimiters.feed(chunk);
    if (this.#bytes <= this.formBytesMax) return;
    this.#request.raw.off("data", this.#watch);
    const error = resumeTooLarge();
    this.#overrun.reject(error);
    this.#reading?.destroy(error);
  };

  #orOverrun<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#overrun.promise]);
  }

  async #take(part: Multipart): Promise<void> {
    if (part.type === "file") return this.#takeFile(part);
    if (part.valueTruncated) {
      throw new Fault("fieldTooLarge", {
        issues: [{ path: [part.fieldname], message: "This field is too long." }],
      });
    }
    this.#body.addText(part.fieldname, part.value);
  }

  async #takeFile(part: MultipartFile): Promise<void> {
    const filename = part.filename ?? "";
    if (part.fieldname !== resumeField) return this.#dropFile(part, "No file belongs here.");
    if (this.#staged !== undefined) return this.#dropFile(part, "Send one resume only.");
    if (/[\u0000-\u001F\u007F]/.test(filename)) return this.#dropFile(part, "The file name holds control characters.");
    const { size, sha256, path } = await this.#stage(part.file);
    if (part.file.truncated && !this.#options.patient) throw resumeTooLarge();
    this.#tooLarge ||= part.file.truncated;
    if (size > 0) return this.#body.addResume(new StagedUpload({ path, size, sha256 }, filename));
    // A browser sends an empty part without a name for an input with no file chosen.
    if (filename !== "") this.#body.refuse(resumeField, "The file is empty.");
    await this.removeStaged();
    this.#staged = undefined;
  }

  async #dropFile(part: MultipartFile, message: string): Promise<void> {
    let size = 0;
    this.#reading = part.file;
    for await (const chunk of part.file) size += (chunk as Buffer).length;
    if (size > 0 || (part.filename ?? "") !== "") this.#body.refuse(part.fieldname.slice(0, 100), message);
  }

  async #stage(file: Readable): Promise<{ path: string; size: number; sha256: string }> {
    const path = join(this.#options.stagingFolder, randomUUID());
    const hash = createHash("sha256");
    let size = 0;
    this.#staged = path;
    this.#reading = file;
    file.on("data", (chunk: Buffer) => {
      size += chunk.length;
      hash.update(chunk);
    });
    await pipeline(file, createWriteStream(path, { flags: "wx", mode: 0o600, highWaterMark: 64 * 1024 }));
    reached("staged");
    return { path, size, sha256: hash.digest("hex") };
  }
}

// A form over its limit is one too: its text alone cannot get there.
const resumeTooLarge = () =>
  new Fault("resumeTooLarge", { issues: [{ path: [resumeField], message: faults.resumeTooLarge.message }] });

const tooMany = new Set(["FST_PARTS_LIMIT", "FST_FILES_LIMIT", "FST_FIELDS_LIMIT"]);

function faultOf(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  if (tooMany.has("code" in error ? String(error.code) : "")) return new Fault("fieldTooLarge", { cause: error });
  // System errors of the staging folder (no space, no permission) are ours; all others are the parser's about the body.
  return "syscall" in error && error.syscall !== "read"
    ? new Fault("storageUnavailable", { cause: error, retryAfterSeconds: 5 })
    : new Fault("bodyMalformed", { cause: error });
}
