// Takes a file that an operator attaches to a reply. It is streamed to the vault, and never in memory as a whole.
import { Readable } from "node:stream";
import { replyFileBytesMax } from "@submissions/shared/console";
import { percentDecoded } from "@submissions/shared/text";
import type { FastifyRequest } from "fastify";
import { Fault, fieldInvalid } from "../fault.ts";
import { isSystemError } from "../file-errors.ts";
import { cleanFilename } from "../resumes/display-name.ts";
import { discardFiles, keepFile } from "../resumes/keep-file.ts";
import { hasProgramName, isProgramAt } from "../resumes/programs.ts";
import { scanFile } from "../resumes/scanning.ts";
import { storageRetrySeconds } from "../rpc/failure.ts";
import { unsentFilesMax } from "../storage/reply-store.ts";
import { StorageUnavailable } from "../storage/store.ts";
import type { Caller } from "./caller.ts";
import type { Console } from "./console.ts";
import { repliesLimited } from "./procedures/reply.ts";
import { scopeOf } from "./role-rules.ts";

/** What remains of the time to answer, to keep a file that was scanned. */
const keepMs = 3_000;

/** @param answerMsMax from the last byte of the file */
export async function receiveFile(console: Console, caller: Caller, request: FastifyRequest, answerMsMax: number) {
  const { vault, store } = console;
  const { reference } = request.params as { readonly reference: string };
  const name = nameOf(request.headers["x-file-name"]);
  if (hasProgramName(name)) throw new Fault("fileIsProgram");
  const attach = async (size: number, kept: { readonly key: string; readonly sha256: string } | null) => {
    const now = store.clock.now();
    const actor = { operator: caller.name, at: now };
    const attached = await store.replies.attach(scopeOf(caller.role), reference, { name, size, kept }, actor);
    if (attached === "unknown") throw new Fault("notFound");
    if (attached === "oversized") throw new Fault("filesTooLarge");
    if (attached === "unsent") throw fieldInvalid("file", tooManyUnsent);
    if (attached !== "fits" && "retryAt" in attached) throw repliesLimited(attached.retryAt, now);
    return attached;
  };
  // Before a byte is read.
  await attach(Number(request.headers["content-length"] ?? 0), null);
  if (request.body === undefined) throw emptyFile();
  const kept = await keep(console, reference, request, answerMsMax - keepMs);
  try {
    // Its client has gone, or was cut while the vault was slow. It would attach the file once more.
    if (request.raw.socket.destroyed) throw new Fault("bodyMalformed");
    return await attach(kept.size, kept);
  } catch (error) {
    // Any other error may have come after the commit. A file without a reply is swept later.
    const isOut = error instanceof Fault || (error instanceof StorageUnavailable && error.outcome === "not-stored");
    if (isOut) await discardFiles([kept.key], vault);
    throw error;
  }
}

const emptyFile = () => fieldInvalid("file", "The file is empty.");

const tooManyUnsent = `You have ${unsentFilesMax} files at replies that are not sent. Send or remove some of them first.`;

function nameOf(header: string | string[] | undefined): string {
  const name = percentDecoded(String(header ?? ""));
  if (name === undefined) throw fieldInvalid("file", "The name of the file cannot be read.");
  return cleanFilename(name) || "file";
}

async function keep(
  { vault, scanner, log }: Console,
  reference: string,
  { body, raw }: FastifyRequest,
  scanMsMax: number,
) {
  if (!(await vault.hasRoom())) {
    throw new Fault("storageUnavailable", { retryAfterSeconds: storageRetrySeconds });
  }
  try {
    const kept = await keepFile(Readable.from(bounded(body as Readable)), vault, async ({ path, size }) => {
      if (size === 0) throw emptyFile();
      if (await isProgramAt(path)) throw new Fault("fileIsProgram");
      if (scanner === null) return "file";
      const result = await scanFile(scanner, path, scanMsMax).catch((cause: unknown) => {
        throw new Fault("fileUnscanned", { cause, retryAfterSeconds: storageRetrySeconds });
      });
      if (result === "clean") return "file";
      log.warn({ reference, result }, "a file of a reply is infected");
      throw fieldInvalid("file", "The virus scanner found this file infected.");
    });
    return kept!;
  } catch (error) {
    if (error instanceof Fault) throw error;
    // The client went away in the middle.
    if (raw.destroyed && !raw.complete) throw new Fault("bodyMalformed", { cause: error });
    if (!isSystemError(error)) throw error;
    throw new Fault("storageUnavailable", { cause: error, retryAfterSeconds: storageRetrySeconds });
  }
}

/** Leaves the connection open where the file is too large: the refusal has to reach the client. */
async function* bounded(bytes: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > replyFileBytesMax) throw new Fault("filesTooLarge");
    yield piece;
  }
}
