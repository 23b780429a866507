// The content types: what kind of body a request says it carries, and the parsers of those that are read whole. What is
// not exactly understood is refused, never guessed or repaired, because guesses are how checks are slipped past.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { bytesMax, namesMax } from "@submissions/shared/limits";
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from "fastify";
import { Fault } from "../../fault.ts";
import type { BodyKind } from "../../rpc/procedure.ts";
import { isRepeated } from "../headers.ts";
import { largeBytes, type AwaitTurn } from "./body-turns.ts";
import { listEntriesMax } from "./form-body.ts";

// Only what RFC 9110 8.3.1 allows, but values more widely: mail libraries send boundaries with "=" and "/" unquoted. No two
// parts of the pattern can match the same white space, so that it fails in linear time.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const parameterValue = `"(?:[^"\\\\]|\\\\.)*"|[^\\s;",]*`;
const parameter = `;[ \\t]*(?:${token}=(?:${parameterValue})[ \\t]*)?`;
const wellFormed = new RegExp(`^(${token}/${token})[ \\t]*((?:${parameter})*)$`);
const nameAndValue = new RegExp(`(${token})=(${parameterValue})`, "g");

/** @throws Fault `contentTypeUnsupported` for another media type, another charset and an encoded body */
export function requireJson(headers: IncomingHttpHeaders): void {
  const accepted = ["application/json"] as const;
  if (!isOneOf(headers, accepted)) throw new Fault("contentTypeUnsupported", { accepted });
}

/** Whether a request has neither a body nor names a kind of one. */
export const isBare = (headers: IncomingHttpHeaders): boolean =>
  headers["content-type"] === undefined &&
  headers["transfer-encoding"] === undefined &&
  (headers["content-length"] ?? "0") === "0";

function isOneOf(headers: IncomingHttpHeaders, accepted: readonly string[]): boolean {
  const type = mediaTypeOf(headers["content-type"] ?? "");
  const isPlain = /^identity$/i.test(headers["content-encoding"] ?? "identity");
  return isPlain && accepted.some((one) => one === type);
}

/** The media type; undefined when the header is not exactly understood. */
function mediaTypeOf(header: string): string | undefined {
  // What nearly all clients send.
  if (header === "application/json") return header;
  const [, type, parameters = ""] = wellFormed.exec(header) ?? [];
  const values = new Map<string, string>();
  for (const [, name = "", value = ""] of parameters.matchAll(nameAndValue)) {
    // With two charsets or boundaries, a program on the way may have used the other one.
    if (values.has(name.toLowerCase())) return undefined;
    values.set(name.toLowerCase(), value);
  }
  const charset = values.get("charset");
  if (charset !== undefined && !/^(?:utf-?8|"\s*utf-?8\s*")$/i.test(charset)) return undefined;
  return type?.toLowerCase();
}

/** A hook that refuses a body of another kind before it is read: to its parser it would be malformed. */
export const acceptBodies =
  (acceptedOf: (request: FastifyRequest) => readonly string[]): preParsingHookHandler =>
  (request, _reply, payload, done) => {
    const { headers, raw } = request;
    const accepted = acceptedOf(request);
    // A request that has neither kind nor body lacks the body: another fault. Of several kinds Node keeps the first.
    const isTaken = isBare(headers) || (!isRepeated(raw, "content-type") && isOneOf(headers, accepted));
    done(isTaken ? null : new Fault("contentTypeUnsupported", { accepted }), payload);
  };

/** JSON bodies become values: of at most 64 KiB, unless a route takes more. With `mayBeEmpty` an empty body is none. */
export const takeJson = (app: FastifyInstance, awaitTurn: AwaitTurn, { mayBeEmpty = false } = {}): void =>
  takeWhole(app, awaitTurn, "application/json", bytesMax.json, (bytes) =>
    mayBeEmpty && bytes.length === 0 ? undefined : parseJson(decode(bytes)),
  );

export const takeUrlencoded = (app: FastifyInstance, awaitTurn: AwaitTurn): void =>
  takeWhole(app, awaitTurn, "application/x-www-form-urlencoded", bytesMax.urlencodedForm, (bytes) =>
    parseUrlencoded(decode(bytes)),
  );

function takeWhole(
  app: FastifyInstance,
  awaitTurn: AwaitTurn,
  kind: BodyKind,
  bodyLimit: number,
  read: (bytes: Buffer) => unknown,
): void {
  app.addContentTypeParser(kind, { parseAs: "buffer", bodyLimit }, async ({ raw }: FastifyRequest, bytes: Buffer) => {
    if (bytes.length > largeBytes) await awaitTurn(raw);
    return read(bytes);
  });
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw new Fault("bodyEmpty");
  if (!isUtf8(bytes)) throw new Fault("bodyMalformed");
  return bytes.toString("utf8");
}

/** A JSON value. Names of prototypes become plain properties, which schemas drop. @throws Fault `bodyMalformed` */
export function parseJson(text: string): unknown {
  try {
    // A byte-order mark may be ignored (RFC 8259 8.1).
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // A SyntaxError quotes the body; it goes no further than the log.
    throw new Fault("bodyMalformed", { cause: error });
  }
}

/** Half of the bytes of a form could be ampersands. */
const pairsMax = namesMax + listEntriesMax;

function parseUrlencoded(text: string): URLSearchParams {
  if (text.split("&", pairsMax + 1).length > pairsMax) throw new Fault("namesTooMany");
  // URLSearchParams would put U+FFFD where the bytes are not UTF-8 and keep stray percent signs.
  try {
    decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw new Fault("bodyMalformed", { cause: error });
  }
  return new URLSearchParams(text);
}
