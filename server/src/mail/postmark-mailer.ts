// Sends through Postmark's API, one call for a mail and one for a batch. The client library writes the requests; the
// reading of answers is watched here, because the library takes an empty answer for a success and hides `Retry-After`.
// It knows nothing of the outbox that tries again.
import { Errors, Models, ServerClient } from "postmark";
import type { Mailer, MailOutcome, OutgoingMail } from "./mailer.ts";
import { ambiguous, judgeEntry, judgeFailure, readRetryAfter, unsent, type Exchange } from "./postmark-verdict.ts";
import { formatSender, type Sender } from "./sender.ts";

/** How to reach Postmark. */
export interface PostmarkSettings {
  /** The server token; never logged. */
  readonly token: string;
  /** Another base address than Postmark's own: `http(s)://host[:port]`. */
  readonly apiUrl?: string | undefined;
  /** `outbound` unless named. */
  readonly messageStream?: string | undefined;
  /** How long a batch may take in all, in milliseconds; 10 seconds unless said otherwise. */
  readonly timeoutMs?: number | undefined;
}

/** Postmark takes at most 500 messages in a call. */
const batchMax = 500;
/** Long enough for 500 mails; whoever holds the lease on them counts on it. */
const timeoutMsDefault = 10_000;
/** An answer to 500 mails is about 100 KB; more is not from Postmark. */
const answerBytesMax = 1024 * 1024;

/** Opens the mailer. Nothing is sent and no connection is made. */
export function openPostmarkMailer(settings: PostmarkSettings, from: Sender): Mailer {
  return {
    batchMax,
    send(mails) {
      const endsAt = performance.now() + (settings.timeoutMs ?? timeoutMsDefault);
      return sendApart({ settings, from, endsAt }, mails);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

interface Errand {
  readonly settings: PostmarkSettings;
  readonly from: Sender;
  /** By `performance.now()`. */
  readonly endsAt: number;
}

// A call that is refused as a whole (too large, or a batch that Postmark will not read) says nothing of the single mails:
// it is halved until the one that is to blame stands alone.
async function sendApart(errand: Errand, mails: readonly OutgoingMail[]): Promise<MailOutcome[]> {
  if (mails.length === 0) return [];
  if (performance.now() >= errand.endsAt) return mails.map(() => unsent("no time left"));
  const exchange = await call(errand, mails);
  const entries = mails.length === 1 ? [exchange.body] : exchange.body;
  if (exchange.status === 200 && exchange.failure === null) {
    if (Array.isArray(entries) && entries.length === mails.length) return entries.map(judgeEntry);
    return mails.map(() => ambiguous("unreadable answer"));
  }
  const outcome = judgeFailure(exchange);
  if (outcome.result !== "refused" || mails.length === 1) return mails.map(() => outcome);
  const half = Math.ceil(mails.length / 2);
  const first = await sendApart(errand, mails.slice(0, half));
  return [...first, ...(await sendApart(errand, mails.slice(half)))];
}

async function call({ settings, from, endsAt }: Errand, mails: readonly OutgoingMail[]): Promise<Exchange> {
  const msLeft = Math.max(Math.ceil(endsAt - performance.now()), 1);
  const watch = new Watch(AbortSignal.timeout(msLeft));
  const client = new ServerClient(settings.token, {
    ...host(settings.apiUrl),
    // Seconds, and whole ones: a fraction can come out as a fraction of a millisecond, which no timer takes. The watch
    // ends the call before this does.
    timeout: Math.ceil(msLeft / 1000) + 1,
    fetch: (url, init) => watch.fetch(url, init),
  });
  const messages = mails.map((mail) => toMessage(mail, settings, from));
  try {
    await (mails.length === 1 ? client.sendEmail(messages[0]!) : client.sendEmailBatch(messages));
  } catch (error) {
    // Every refusal and every failed fetch; the watch has seen more of it than the error tells.
    if (!(error instanceof Errors.PostmarkError)) throw error;
  }
  return watch.exchange;
}

function host(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  const url = new URL(apiUrl);
  return { useHttps: url.protocol === "https:", requestHost: url.host + url.pathname.replace(/\/+$/, "") };
}

function toMessage(mail: OutgoingMail, settings: PostmarkSettings, from: Sender): Models.Message {
  const { content } = mail;
  return {
    From: formatSender(from),
    To: content.to.join(", "),
    ...(content.replyTo === null ? {} : { ReplyTo: content.replyTo }),
    Subject: content.subject,
    TextBody: content.text,
    HtmlBody: content.html,
    Headers: Object.entries(content.headers).map(([Name, Value]) => ({ Name, Value })),
    MessageStream: settings.messageStream ?? "outbound",
    Tag: mail.kind,
    // Postmark can be asked for the mail by these, and its webhooks bring them back.
    Metadata: {
      mailId: mail.id,
      kind: mail.kind,
      ...(mail.reference === null ? {} : { reference: mail.reference }),
    },
    TrackOpens: false,
    TrackLinks: Models.LinkTrackingOptions.None,
  };
}

/** Fetches for the client library and remembers what really came back. */
class Watch {
  exchange: Exchange = { status: null, retryAfterMs: null, body: null, failure: null };
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async fetch(url: RequestInfo | URL, init: RequestInit | undefined): Promise<Response> {
    try {
      // A redirect is never followed: the token would travel with it.
      const response = await fetch(url, { ...init, redirect: "manual", signal: this.#signal });
      const retryAfterMs = readRetryAfter(response.headers.get("retry-after"), Date.now());
      this.exchange = { status: response.status, retryAfterMs, body: null, failure: "cut answer" };
      const text = await readAll(response);
      this.exchange = { ...this.exchange, body: parse(text), failure: null };
      return new Response(text === "" ? null : text, { status: response.status });
    } catch (error) {
      this.exchange = { ...this.exchange, failure: failureCode(error) };
      throw error;
    }
  }
}

async function readAll(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop by a throw cancels the rest.
    if (bytes > answerBytesMax) throw new Error("answer too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // SyntaxError: an HTML page of something in between, or nothing at all.
    return text;
  }
}

// fetch says "fetch failed" and keeps what happened in the cause.
function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  if (error.name === "TimeoutError") return "time-out";
  const cause = error.cause;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return "connection failed";
}
