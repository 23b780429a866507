// What kind of body a request says it carries. Only what RFC 9110 8.3.1 allows is understood; anything else is refused,
// never guessed, because guesses are how checks are slipped past.
import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "../../fault.ts";

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// Values are taken more widely than RFC 9110 has them: mail libraries send boundaries with "=" and "/" in them unquoted.
// No two parts of the pattern can match the same white space, so that it fails in linear time.
const parameter = `;[ \\t]*(?:${token}=(?:[^\\s;",]+|"(?:[^"\\\\]|\\\\.)*")[ \\t]*)?`;
const shape = new RegExp(`^(${token}/${token})[ \\t]*((?:${parameter})*)$`);

export type BodyKind = "application/json" | "multipart/form-data" | "application/x-www-form-urlencoded";

/**
 * The media type of a request in lower case.
 *
 * @throws Fault `contentTypeUnsupported` when the type is missing, malformed or not accepted, when its charset is not
 * UTF-8, or when the body is encoded
 */
export function bodyKind(headers: IncomingHttpHeaders, accepted: readonly BodyKind[]): BodyKind {
  const header = headers["content-type"] ?? "";
  // The two spellings that nearly every client sends.
  const plain = header === "application/json" || header === "application/json; charset=utf-8";
  const kind = plain ? "application/json" : parse(header);
  const known = accepted.find((one) => one === kind);
  const encoding = headers["content-encoding"];
  if (known === undefined || (encoding !== undefined && encoding.toLowerCase() !== "identity")) {
    throw new Fault("contentTypeUnsupported");
  }
  return known;
}

function parse(header: string): string | undefined {
  const [, type, parameters = ""] = shape.exec(header) ?? [];
  const charset = /;[ \t]*charset="?([^";]*)"?/i.exec(parameters)?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset.trim())) return undefined;
  return type?.toLowerCase();
}
