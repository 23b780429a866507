// How downloads are sent. Each is recorded before its first byte.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { InboxFilter } from "@submissions/shared/console";
import { kindOfPlural } from "@submissions/shared/kinds";
import { z } from "zod";
import { shownDay } from "../clock.ts";
import { allRows, exportRecords, personLine, textsOf } from "../desk/export.ts";
import type { ExportFormat, ExportRows, ExportSubject } from "../desk/export.ts";
import { readInstant } from "../desk/instant.ts";
import { matchingSubmissions, matchingSubscribers } from "../desk/matching.ts";
import { findDownload, withheldAs } from "../desk/detail.ts";
import { Fault, fieldInvalid } from "../fault.ts";
import { parseJson } from "../http/body/content-type.ts";
import { attachmentHeader, downloadName } from "../resumes/display-name.ts";
import { readChecked } from "../resumes/vault.ts";
import { inputRefused } from "../rpc/failure.ts";
import type { AuditEntry } from "../storage/desk-store.ts";
import type { FileOf } from "../storage/inbound-store.ts";
import type { ReadFrom } from "../storage/store.ts";
import type { Caller } from "./caller.ts";
import type { Console } from "./console.ts";
import { inboxFilter, subscriberFilter } from "./inputs.ts";
import { scopeOf } from "./role-rules.ts";

export interface DownloadCall {
  readonly console: Console;
  readonly caller: Caller;
  /** Asks anew who calls. @throws Fault as `admit` does, once the caller's session or token has ended */
  readonly admitted: () => Promise<Caller>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly gone: AbortSignal;
}

const withheld = { absent: "notFound", infected: "resumeInfected", unscanned: "resumeUnscanned" } as const;

export async function sendResume(call: DownloadCall): Promise<FastifyReply> {
  const { console, caller, request } = call;
  const { reference } = request.params as { readonly reference: string };
  const isView = (request.query as { readonly view?: unknown }).view === "1";
  const resume = await findDownload(console.store.desk, scopeOf(caller.role), reference, console.scanned);
  if (resume.result !== "allowed") throw new Fault(withheld[resume.result]);
  await record(console, caller, { action: isView ? "resume.view" : "resume.download", subject: reference });
  // The console's viewer reads the bytes by script. As this content type no browser shows them by itself.
  return sendKept(call, resume, isView ? null : resume.filename);
}

/** As a file to be saved, whatever it is: the bytes are a stranger's. */
export async function sendFile(call: DownloadCall, of: FileOf): Promise<FastifyReply> {
  const { console, caller, request } = call;
  const { id } = request.params as { readonly id: string };
  const file = /^\d{1,15}$/.test(id)
    ? await console.store.inbound.findFile(scopeOf(caller.role), of, Number(id))
    : null;
  if (file === null) throw new Fault("notFound");
  const reason = withheldAs(file.scan, console.scanned);
  if (reason !== null) throw new Fault(withheld[reason]);
  await record(console, caller, { action: `${of}.download`, subject: file.reference, detail: { file: Number(id) } });
  const extension = file.kind === "jpeg" ? "jpg" : file.kind;
  const name = extension === null ? file.name : downloadName(file.name, extension);
  return sendKept(call, file, name);
}

/** @param name to save it under; null: it is not to be saved */
function sendKept(call: DownloadCall, file: { key: string; size: number; sha256: string }, name: string | null) {
  if (name !== null) call.reply.header("content-disposition", attachmentHeader(name));
  call.reply.header("content-length", file.size);
  return sendStream(call, "application/octet-stream", readChecked(call.console.vault, file));
}

const formatTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
};

export async function sendExport(call: DownloadCall, subject: ExportSubject, format: ExportFormat) {
  const from = readFrom(call.request.query);
  return sendRecords(call, { subject, format }, allRows(call.console.store, subject, from), { ...from });
}

/** Sends what the filter of a list matches. The filter comes in the body, because proxies log URLs. */
export async function sendMatching(call: DownloadCall, subject: Exclude<ExportSubject, "audit">, format: ExportFormat) {
  const { console, caller, request } = call;
  const from = readFrom(request.query);
  const kind = kindOfPlural(subject);
  if (kind === undefined) {
    const filter = readFilter(subscriberFilter, request.body);
    const rows = matchingSubscribers(console.store, filter, from);
    return sendRecords(call, { subject, format }, rows, { ...from, filter: withoutSearch(filter) });
  }
  const filter = readFilter(inboxFilter, request.body);
  const rows = matchingSubmissions(console.desk, scopeOf(caller.role), { ...filter, kind }, from);
  return sendRecords(call, { subject, format }, rows, { ...from, filter: withoutSearch(filter) });
}

/** Its text may be a person's name, and entries of the audit log are kept for good. */
const withoutSearch = ({ search, letter, ...rest }: Pick<InboxFilter, "search" | "letter">) => ({
  ...rest,
  ...((search ?? letter) !== undefined && { searched: true }),
});

async function sendRecords(
  call: DownloadCall,
  wanted: Omit<Parameters<typeof exportRecords>[1], "isDisposable">,
  rows: ExportRows,
  detail: AuditEntry["detail"],
): Promise<FastifyReply> {
  const { console, caller } = call;
  const { subject, format } = wanted;
  await record(console, caller, { action: "export", subject, detail: { format, ...detail } });
  const pieces = exportRecords(rows, { ...wanted, isDisposable: console.isDisposable });
  const day = shownDay(console.clock.now());
  return sendTexts(call, `${subject}-${day}.${format}`, format, textsOf(pieces));
}

export async function sendPerson(call: DownloadCall): Promise<FastifyReply> {
  const { console, caller, request } = call;
  const { file } = request.params as { readonly file: string };
  const email = console.persons.emailOf(file.slice(0, -".ndjson".length));
  if (email === null) throw new Fault("notFound");
  const facts = console.desk.readPerson(scopeOf(caller.role), email)[Symbol.asyncIterator]();
  const first = await facts.next();
  if (first.done === true) throw new Fault("notFound");
  // Without the address: it may have to be erased.
  await record(console, caller, { action: "export", subject: "person", detail: { format: "ndjson" } });
  async function* lines() {
    for (let next = first; next.done !== true; next = await facts.next()) yield personLine(next.value);
  }
  return sendTexts(call, `${email}.ndjson`, "ndjson", lines());
}

async function record({ desk, clock, acted }: Console, { name }: Caller, entry: AuditEntry): Promise<void> {
  await desk.audit(entry, { operator: name, at: clock.now() });
  acted(entry.action);
}

const filterBody = z.strictObject({ filter: z.unknown().optional() });

/** From a form the filter comes as a text of JSON. @throws Fault `fieldsInvalid`, `bodyMalformed`, `bodyNotObject` */
function readFilter<Filter>(schema: z.ZodType<Filter>, body: unknown = {}) {
  if (!(body instanceof URLSearchParams)) return checked(schema, checked(filterBody, body).filter ?? {});
  const [sent, ...others] = body.getAll("filter");
  if (others.length > 0) throw fieldInvalid("filter", "Send this field once.");
  checked(filterBody, Object.fromEntries(body));
  return checked(schema, sent === undefined ? {} : parseJson(sent));
}

function checked<T>(schema: z.ZodType<T>, sent: unknown): T {
  const parsed = schema.safeParse(sent);
  if (!parsed.success) throw inputRefused(parsed.error);
  return parsed.data;
}

/** Where to go on, as callers write it. @throws Fault `fieldsInvalid` */
const readFrom = (query: unknown): ReadFrom => checked(fromQuery, query);

const wholeNumber = /^\d{1,15}$/;
const afterRule = "Write a whole number, once.";
const sinceRule = "Write a day like 2026-11-21, an instant like 2026-11-21T09:30:00Z, or milliseconds, once.";

/** Anything else is refused: a filter in the address would stand in logs of proxies, and left out it would export all. */
const fromQuery = z.strictObject({
  after: z.string(afterRule).regex(wholeNumber, afterRule).transform(Number).exactOptional(),
  since: z.string(sinceRule).transform(readSince).exactOptional(),
});

function readSince(text: string, context: z.RefinementCtx): number {
  const at = wholeNumber.test(text) ? Number(text) : readInstant(text);
  if (at === null) context.addIssue({ code: "custom", message: sinceRule });
  return at ?? Number.NaN;
}

function sendTexts(call: DownloadCall, filename: string, format: ExportFormat, texts: AsyncIterable<string>) {
  call.reply.header("content-disposition", attachmentHeader(filename));
  return sendStream(call, formatTypes[format], call.console.pace(texts, call.gone));
}

/** Ends a download whose session or token has ended, or whose operator has another role. Asked before each piece. */
async function* whileAdmitted<Piece>({ admitted }: DownloadCall, pieces: AsyncIterable<Piece>): AsyncIterable<Piece> {
  for await (const piece of pieces) {
    await admitted();
    yield piece;
  }
}

/** Connections on which nothing moves are cut; this one only while bytes wait for its client. */
export function staysWhileSearching(response: ServerResponse): void {
  response.on("timeout", (socket: Socket) => {
    if (response.writableLength > 0) socket.destroy();
  });
}

/** Streams a download. An error after the first bytes cuts the connection, so that no partial file looks complete. */
function sendStream(call: DownloadCall, type: string, bytes: AsyncIterable<Uint8Array | string>): FastifyReply {
  const { log } = call.console;
  const { reply } = call;
  const stream = Readable.from(whileAdmitted(call, bytes));
  stream.on("error", (error) => log.error({ requestId: reply.request.id, err: error }, "a download failed"));
  staysWhileSearching(reply.raw);
  reply.type(type).header("content-security-policy", "sandbox; default-src 'none'");
  return reply.send(stream);
}
