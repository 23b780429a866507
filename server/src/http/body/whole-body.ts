// Reads JSON and URL-encoded bodies off the wire, whole and bounded. What cannot be decoded is refused, never repaired.
import { isUtf8 } from "node:buffer";
import type { FastifyInstance } from "fastify";
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
    (_request, bytes, done) =>
      mayBeEmpty && bytes.length === 0 ? done(null) : parseInto(done, () => parseJson(bytes as Buffer)),
  );
}

/** URL-encoded forms of at most 256 KiB become `URLSearchParams`. */
export function takeUrlencoded(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: bytesMax.urlencodedForm },
    (_request, bytes, done) => parseInto(done, () => parseUrlencoded(bytes as Buffer)),
  );
}

type Done = (error: Error | null, body?: unknown) => void;

function parseInto(done: Done, parse: () => unknown): void {
  let body: unknown;
  try {
    body = parse();
  } catch (error) {
    // A SyntaxError quotes the body; it goes no further than the log.
    return done(error instanceof Fault ? error : new Fault("bodyMalformed", { cause: error }));
  }
  done(null, body);
}

// Keys that are names of prototypes become plain properties of the parsed object and are dropped by the schemas, which
// copy known fields only.
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new Fault("bodyEmpty");
  if (!isUtf8(bytes)) throw new Fault("bodyMalformed");
  return JSON.parse(bytes.toString("utf8"));
}

/** Pairs of a form: those of the largest list and all fields. Half of the bytes of a form could be ampersands. */
const pairsMax = 1_100;

function parseUrlencoded(bytes: Buffer): URLSearchParams {
  if (bytes.length === 0) throw new Fault("bodyEmpty");
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
