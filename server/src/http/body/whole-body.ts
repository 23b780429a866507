// Reads JSON and URL-encoded bodies off the wire, whole and bounded. What cannot be decoded is refused, never repaired.
import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { bytesMax } from "@submissions/shared/limits";
import { Fault } from "../../fault.ts";

/**
 * JSON bodies of at most 64 KiB become values.
 *
 * @param mayBeEmpty whether an empty body is no body, instead of malformed
 */
export function takeJson(app: FastifyInstance, { mayBeEmpty = false } = {}): void {
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit: bytesMax.json },
    async (_request: FastifyRequest, bytes: Buffer) =>
      mayBeEmpty && bytes.length === 0 ? undefined : parseJson(bytes),
  );
}

/** URL-encoded forms of at most 256 KiB become `URLSearchParams`. */
export function takeUrlencoded(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: bytesMax.urlencodedForm },
    async (_request: FastifyRequest, bytes: Buffer) => parseUrlencoded(bytes),
  );
}

// Keys that are names of prototypes become plain properties of the parsed object and are dropped by the schemas, which
// copy known fields only.
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Fault("bodyEmpty");
  if (!isUtf8(bytes)) throw new Fault("bodyMalformed");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    // A SyntaxError quotes the body; it goes no further than the log.
    throw new Fault("bodyMalformed", { cause: error });
  }
}

/** Pairs of a form: those of the largest list and all fields. Half of the bytes of a form could be ampersands. */
const pairsMax = 1_100;

function parseUrlencoded(bytes: Buffer): URLSearchParams {
  if (bytes.length === 0) throw new Fault("bodyEmpty");
  if (!isUtf8(bytes)) throw new Fault("bodyMalformed");
  const text = bytes.toString("latin1");
  if (text.split("&", pairsMax + 1).length > pairsMax) throw new Fault("fieldTooLarge");
  // URLSearchParams would put U+FFFD where the bytes are not UTF-8 and keep stray percent signs.
  try {
    decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw new Fault("bodyMalformed", { cause: error });
  }
  return new URLSearchParams(bytes.toString("utf8"));
}
