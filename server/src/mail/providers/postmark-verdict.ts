// What Postmark's answers mean for a mail. Pure: it is handed what came back, or what went wrong, and names the outcome.
// Errors hold numbers and codes only, because Postmark's own messages quote addresses.
import type { Later, MailFinding, MailOutcome } from "../mailer.ts";

/** What is seen of a call on its way; filled in as it goes. */
export interface Seen {
  /** Whether a connection was made. Without one not a byte of the mail can have left. */
  sent: boolean;
  /** The HTTP status, or null when no answer began. */
  status: number | null;
  /** The answer's `Retry-After` in milliseconds, or null. */
  retryAfterMs: number | null;
  /** What broke, by the code of the system or in words of ours; null while nothing has. */
  failure: string | null;
}

/** What one call came to, as far as it got. */
export interface Exchange extends Readonly<Seen> {
  /** The body as JSON, or its text where it is not JSON. Of a refusal only `ErrorCode`. */
  readonly body: unknown;
}

// Postmark's error codes. 300: the request names an invalid address. 406: the address bounced or complained before.
const invalidRequest = 300;
const inactiveRecipient = 406;
// 100: Postmark is down for maintenance. 429: we are too fast.
const maintenance = 100;
const tooFast = 429;

/** The outcome of a mail from its entry in a whole answer of HTTP 200. */
export function judgeEntry(entry: unknown): MailOutcome {
  const { ErrorCode: code, MessageID: id } = isObject(entry) ? entry : {};
  if (typeof code !== "number") return ambiguous("unreadable answer");
  if (code !== 0) return judgeCode(code, `code ${code}`, null);
  return typeof id === "string" && id !== "" ? { result: "taken", providerId: id } : ambiguous("no message id");
}

/** The outcome of every mail of a call that did not bring an answer of HTTP 200. */
export function judgeFailure({ sent, status, retryAfterMs, body, failure }: Exchange): Failure {
  if (status === null) return sent ? ambiguous(failure ?? "no answer") : unsent(failure ?? "no answer");
  const code = isObject(body) && typeof body["ErrorCode"] === "number" ? body["ErrorCode"] : 0;
  const error = [`HTTP ${status}`, code !== 0 && `code ${code}`, failure].filter(Boolean).join(", ");
  if (status >= 500) return later(error, "ambiguous", retryAfterMs);
  if (status === 429) return later(error, "limit", retryAfterMs);
  if (status === 413) return refused(error, false);
  if (status === 422) return judgeCode(code, error, retryAfterMs);
  // 401: the token. 403: something in front of the API. 404 and redirects: the base address. Postmark answers no other
  // 2xx than 200.
  return status < 300 ? ambiguous(error) : later(error, "configuration", retryAfterMs);
}

/** What a search for the mail of this id says. */
export function judgeSearch(exchange: Exchange, mailId: string): MailFinding {
  const { status, body, failure } = exchange;
  if (status !== 200 || failure !== null) {
    const outcome = judgeFailure(exchange);
    return outcome.result === "later" ? outcome : { result: "later", error: outcome.error, cause: "configuration" };
  }
  const { TotalCount: count, Messages: messages } = isObject(body) ? body : {};
  if (!Array.isArray(messages)) return unsent("unreadable search");
  // Compared once more: a search that did not understand the filter would show another mail.
  const found = messages.find((message) => isObject(message) && metadataOf(message)["mailId"] === mailId);
  if (found !== undefined && typeof found.MessageID === "string" && found.MessageID !== "") {
    return { result: "taken", providerId: found.MessageID };
  }
  return count === 0 && messages.length === 0 ? { result: "absent" } : unsent("unreadable search");
}

const metadataOf = ({ Metadata: metadata }: Record<string, unknown>) => (isObject(metadata) ? metadata : {});

// The codes that blame neither the recipient nor the message blame our account, sender address, stream or request (10,
// 400, 401, 405, 412, 413, 1226, 1235 and so on): no mail is given up for one of them.
function judgeCode(code: number, error: string, retryAfterMs: number | null): Failure {
  if (code === inactiveRecipient) return refused(error, true);
  if (code === invalidRequest) return refused(error, false);
  if (code === tooFast) return later(error, "limit", retryAfterMs);
  return later(error, code === maintenance ? "provider" : "configuration", retryAfterMs);
}

const refused = (error: string, inactive: boolean): Failure => ({
  result: "refused",
  error: `postmark: ${error}`,
  inactiveRecipient: inactive,
});

type Failure = Exclude<MailOutcome, { result: "taken" }>;

const later = (error: string, cause: Later["cause"], retryAfterMs: number | null): Later => ({
  result: "later",
  error: `postmark: ${error}`,
  cause,
  ...(retryAfterMs !== null && { retryAfterMs }),
});

/** The outcome when the provider may have taken the mail all the same. */
export const ambiguous = (error: string): Later => later(error, "ambiguous", null);

/** The outcome when the provider cannot have taken the mail. */
export const unsent = (error: string): Later => later(error, "provider", null);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** A longer wish than a day, in milliseconds, is taken for a mistake. */
const retryAfterMsMax = 24 * 60 * 60 * 1000;

/** Reads `Retry-After`, which is a number of seconds or an HTTP date; null when it is neither or absent. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), retryAfterMsMax);
}
