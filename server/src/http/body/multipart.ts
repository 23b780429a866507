// Streams a multipart form: its file goes to the staging folder while it is hashed, its text into a FormBody. Every size is
// checked while bytes arrive: @fastify/multipart limits no form as a whole, and drops or cuts silently.
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { MultipartFile } from "@fastify/multipart";
import { resumeField } from "@submissions/shared/application-fields";
import { faults } from "@submissions/shared/faults";
import { bytesMax, namesMax } from "@submissions/shared/limits";
import type { FastifyRequest } from "fastify";
import { reached } from "../../failpoint.ts";
import { Fault } from "../../fault.ts";
import { isSystemError } from "../../file-errors.ts";
import type { Input } from "../../intake/call.ts";
import { stage } from "../../resumes/staging.ts";
import type { StagedFile, Vault } from "../../resumes/vault.ts";
import { storageRetrySeconds } from "../../rpc/failure.ts";
import { DelimiterCounter } from "./delimiter-counter.ts";
import { largeBytes, type AwaitTurn } from "./body-turns.ts";
import { type FormBody, fieldTooLong } from "./form-body.ts";

/** One resume, and room to notice a second one. */
const partsMax = namesMax + 2;

/** Headers of one part: a name, a file name of 255 characters in any script, a type. */
const partHeaderBytesMax = 8 * 1024;

// A disk that is full is seldom emptied within a minute.
const noRoomRetrySeconds = 60;

interface MultipartOptions {
  readonly vault: Pick<Vault, "stagingFolder" | "hasRoom">;
  readonly awaitTurn: AwaitTurn;
  /** Bytes to read behind a resume that is too large, for the fields that are shown again to who typed them. 0: none. */
  readonly patienceBytes: number;
}

/** A part as the parser gives it. A name that its header lacks is undefined. */
type Part = Omit<MultipartFile, "fieldname" | "filename"> & Partial<Pick<MultipartFile, "fieldname" | "filename">>;

export class MultipartForm {
  readonly #request: FastifyRequest;
  readonly #body: FormBody;
  readonly #options: MultipartOptions;
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
    this.#delimiters = new DelimiterCounter(request.headers["content-type"] ?? "", partsMax);
    this.#overrun.promise.catch(() => {});
  }

  /** @throws Fault `namesTooMany`, `fieldTooLarge`, `bodyTooLarge`, `resumeTooLarge`, `bodyMalformed`, `bodyEmpty`, `storageUnavailable`, `overloaded` */
  async read(): Promise<Input> {
    try {
      await this.#readWhole();
      if (this.#body.textBytes > largeBytes) await this.#options.awaitTurn(this.#request.raw);
    } catch (error) {
      await this.unstage();
      throw faultOfParser(error);
    }
    return this.#body.input;
  }

  /** Removes a staged file, unless it was kept. To be called once the call is over. */
  async unstage(): Promise<void> {
    if (this.#staged !== undefined) await rm(this.#staged, { force: true });
    this.#staged = undefined;
  }

  async #readWhole(): Promise<void> {
    const { headers, raw } = this.#request;
    if (Number(headers["content-length"] ?? 0) > this.#bytesMax) throw resumeTooLarge();
    try {
      await this.#readParts();
    } finally {
      // After a fault the rest is only drained: parsing it would be work for nothing.
      raw.unpipe();
    }
    if (this.#bytes === 0) throw new Fault("bodyEmpty");
    if (this.#tooLarge) return;
    if (this.#bytes > bytesMax.multipartForm) throw resumeTooLarge();
    // A part that the parser could not use is missing here without a word: a resume must not get lost that way.
    if (!this.#delimiters.closed || this.#delimiters.parts !== this.#parts) throw new Fault("bodyMalformed");
  }

  get #bytesMax(): number {
    return Math.max(bytesMax.multipartForm, this.#options.patienceBytes);
  }

  async #readParts(): Promise<void> {
    const parts = this.#request.parts({
      // Texts are read here too: the parser accepts bytes that are not UTF-8, and takes 20 ms for one field of JSON.
      isPartAFile: () => true,
      // The base name is taken once the name is decoded: encoded words may hold slashes.
      preservePath: true,
      limits: { fileSize: bytesMax.resume, parts: partsMax, headerPairs: 20, headerSize: partHeaderBytesMax },
    });
    this.#standBeforeParser(this.#request.raw);
    for (;;) {
      const { done, value } = await Promise.race([parts.next(), this.#overrun.promise]);
      if (done) return;
      this.#parts += 1;
      await this.#take(value as Part);
    }
  }

  // Counts what comes before the parser gets it. A fault is told by `#overrun`: nothing hears an error of the parser by then.
  #standBeforeParser(raw: Readable): void {
    const pipe = raw.pipe.bind(raw);
    raw.pipe = (parser) => {
      const [write, emit] = [parser.write.bind(parser), parser.emit.bind(parser)];
      parser.write = (piece) => {
        const watched = this.#watch(piece as Buffer);
        return watched.length === 0 || write(watched);
      };
      // The plugin refuses a form for a name that every object has, which may be that of a further field.
      parser.emit = (event, first: unknown, ...more: unknown[]) => {
        const isMasked = event === "file" && typeof first === "string" && first in Object.prototype;
        return emit(event, isMasked ? mask + first : first, ...more);
      };
      return pipe(parser);
    };
  }

  /** Answers what the parser is to get: of a form that is too large nothing. */
  #watch(piece: Buffer): Buffer {
    this.#bytes += piece.length;
    const unpadded = this.#delimiters.feed(piece);
    const isTooLarge = this.#bytes > this.#bytesMax;
    if (!isTooLarge && this.#delimiters.parts <= partsMax) return unpadded;
    const fault = isTooLarge ? resumeTooLarge() : new Fault("namesTooMany");
    this.#request.raw.unpipe();
    this.#overrun.reject(fault);
    this.#reading?.destroy(fault);
    return Buffer.alloc(0);
  }

  async #take(part: Part): Promise<void> {
    const name = part.fieldname?.replace(mask, "");
    // A file name within the name: a quotation mark is missing, and the resume would count as an unknown text.
    if (name === undefined || /filename\*?=/i.test(name)) throw new Fault("bodyMalformed");
    this.#reading = part.file;
    if (part.filename === undefined) await this.#takeText(name, part);
    else await this.#takeFile(name, part.filename, part.file);
  }

  async #takeFile(name: string, filename: string, file: MultipartFile["file"]): Promise<void> {
    const drop = (message: string) => this.#dropFile(name, filename, file, message);
    if (name !== resumeField) return drop("No file belongs here.");
    if (this.#staged !== undefined) return drop("Send one resume only.");
    if (/[\u0000-\u001F\u007F]/.test(filename)) return drop("The file name holds control characters.");
    if (await isEmpty(file)) {
      // A browser sends an empty part without a name for an input with no file chosen; Next.js makes that name "undefined".
      if (!/^(?:undefined|null)?$/.test(filename)) this.#body.addProblem(resumeField, "The file is empty.");
      return;
    }
    if (!(await this.#options.vault.hasRoom())) {
      throw new Fault("storageUnavailable", { retryAfterSeconds: noRoomRetrySeconds });
    }
    this.#staged = join(this.#options.vault.stagingFolder, randomUUID());
    const staged = await stage(file, this.#staged);
    reached("staged");
    if (file.truncated) {
      if (this.#options.patienceBytes === 0) throw resumeTooLarge();
      this.#tooLarge = true;
      this.#body.addProblem(resumeField, faults.resumeTooLarge.message, "resumeTooLarge");
    } else await this.#inspect(staged, filename);
  }

  async #inspect(staged: StagedFile, filename: string): Promise<void> {
    // Loaded with the first resume, and with it the reader of ZIP files.
    const { inspectResume } = await import("../../resumes/inspect.ts");
    const inspection = await inspectResume(staged.path, filename).catch((error: unknown) => {
      throw new Fault("storageUnavailable", { cause: error, retryAfterSeconds: storageRetrySeconds });
    });
    if (!inspection.accepted) return this.#body.addProblem(resumeField, inspection.message, "resumeKindUnsupported");
    this.#body.resume = { ...staged, kind: inspection.kind, filename: inspection.filename };
  }

  async #takeText(name: string, { file, mimetype, encoding }: Part): Promise<void> {
    const bytes: Buffer[] = [];
    let size = 0;
    for await (const piece of file as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= bytesMax.formField) bytes.push(piece);
      else if (this.#body.has(name) && name !== resumeField) throw fieldTooLong(name);
    }
    const whole = Buffer.concat(bytes);
    // The part of a file that lacks a file name. Any text stands for it: the schema says what is missing.
    if (name === resumeField && (size > whole.length || !isUtf8(whole))) this.#body.addText(name, 0, () => "file");
    else this.#body.addText(name, size, () => readText(whole, mimetype, encoding));
  }

  async #dropFile(name: string, filename: string, file: Readable, message: string): Promise<void> {
    let size = 0;
    for await (const piece of file as AsyncIterable<Buffer>) size += piece.length;
    if (size > 0 || filename !== "") this.#body.addProblem(name.slice(0, 100), message);
  }
}

/** Whether a file has no byte. Nothing of it is lost, and the vault need not be there. */
async function isEmpty(file: Readable): Promise<boolean> {
  for await (const piece of file.iterator({ destroyOnReturn: false })) {
    file.unshift(piece);
    return false;
  }
  return true;
}

/** Stands before a name that every object has. */
const mask = "\0";

/** A text, or any value of a part that calls itself JSON. */
function readText(bytes: Buffer, type: string, encoding: string): unknown {
  // RFC 7578 4.7: parts should not be encoded. Stored as it came, such a text would be gibberish.
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding.trim()) || !isUtf8(bytes)) throw new Fault("bodyMalformed");
  const text = bytes.toString();
  return type.startsWith("application/json") ? JSON.parse(text) : text;
}

// A form over its limit is one too: its text alone cannot get there.
const resumeTooLarge = () =>
  new Fault("resumeTooLarge", { issues: [{ path: [resumeField], message: faults.resumeTooLarge.message }] });

function faultOfParser(error: unknown): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error;
  if ("code" in error && error.code === "FST_PARTS_LIMIT") return new Fault("namesTooMany", { cause: error });
  // System errors of the staging folder (no space, no permission) are ours; all others are the parser's about the body.
  return isSystemError(error) && error.syscall !== "read"
    ? new Fault("storageUnavailable", { cause: error, retryAfterSeconds: storageRetrySeconds })
    : new Fault("bodyMalformed", { cause: error });
}
