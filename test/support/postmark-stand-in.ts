// Stands in for Postmark's API: takes mails, remembers those it took, and breaks in every way that a test asks for.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { serverKinds } from "../../server/src/kinds.ts";
import { Listening } from "./listening.ts";

export const addressees = {
  ...Object.fromEntries(Object.values(serverKinds).map(({ settings }) => [settings.team, "team@datasets.example"])),
  MAIL_FROM: "Accent Datasets <hello@datasets.example>",
  SALES_EMAIL: "sales@datasets.example",
  RECRUITING_EMAIL: "jobs@datasets.example",
};

export interface PostedMessage {
  readonly From: string;
  readonly To: string;
  readonly ReplyTo?: string;
  readonly Subject: string;
  readonly TextBody: string;
  readonly HtmlBody: string;
  readonly Headers?: readonly { readonly Name: string; readonly Value: string }[];
  readonly MessageStream: string;
  readonly Tag?: string;
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly TrackOpens?: boolean;
  readonly TrackLinks?: string;
  readonly Attachments?: readonly { readonly Name: string; readonly Content: string; readonly ContentType: string }[];
}

export interface TakenMessage extends PostedMessage {
  readonly MessageID: string;
  readonly SubmittedAt: string;
}

/** How the next request goes wrong. With `taken` the messages are taken all the same and only the answer is lost. */
export type PostmarkFault =
  /** Postmark's own error body. */
  | {
      readonly kind: "error";
      readonly status: number;
      readonly code?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly taken?: boolean;
    }
  | { readonly kind: "body"; readonly status: number; readonly body: string; readonly taken?: boolean }
  /** The answer ends in the middle; the connection breaks before it; it never comes; it comes a byte at a time. */
  | { readonly kind: "cut" | "reset" | "hang" | "trickle"; readonly taken?: boolean };

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly messages: number;
}

export class PostmarkStandIn extends Listening {
  readonly taken: TakenMessage[] = [];
  readonly requests: SeenRequest[] = [];
  readonly token = "stand-in-token";
  open = 0;
  breakdown: PostmarkFault | null = null;
  /** How many of the messages it took, counted from the first, the search knows: the index lags behind. */
  indexed = Infinity;
  /** Every request that comes waits for it. */
  gate: Promise<void> = Promise.resolve();
  readonly #faults: PostmarkFault[] = [];
  readonly #refusedAddresses = new Map<string, number>();

  static open(): Promise<PostmarkStandIn> {
    const standIn = new PostmarkStandIn(createServer());
    standIn.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      standIn.open += 1;
      response.on("close", () => (standIn.open -= 1));
      void standIn.#answer(request, response);
    });
    return standIn.listen();
  }

  get env() {
    return { ...addressees, MAIL_TRANSPORT: "postmark", POSTMARK_SERVER_TOKEN: this.token, POSTMARK_API_URL: this.url };
  }

  failNext(...faults: readonly PostmarkFault[]): void {
    this.#faults.push(...faults);
  }

  /** Refuses messages to an address from now on: 406 inactive, 300 invalid. */
  refuse(address: string, code: number): void {
    this.#refusedAddresses.set(address, code);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const body: unknown = request.method === "POST" ? await json(request).catch(() => null) : null;
    const messages = (Array.isArray(body) ? body : body === null ? [] : [body]) as PostedMessage[];
    const header = request.headers["x-postmark-server-token"];
    const token = typeof header === "string" ? header : undefined;
    this.requests.push({ method: request.method ?? "", path: url.pathname, token, messages: messages.length });
    await this.gate;
    const fault = this.#faults.shift() ?? this.breakdown;
    if (fault) {
      if (fault.taken) messages.forEach((message) => this.#take(message));
      return breakAnswer(fault, response);
    }
    const [status, answer] =
      token === this.token ? this.#route(request.method ?? "", url, body, messages) : [401, failure(10)];
    reply(response, status, answer);
  }

  #route(method: string, url: URL, body: unknown, messages: PostedMessage[]): [status: number, answer: unknown] {
    const path = `${method} ${url.pathname}`;
    if (path === "GET /server") return [200, { ID: 1, Name: "stand-in" }];
    if (path === "GET /message-streams/outbound") return [200, { ID: "outbound" }];
    if (path === "GET /messages/outbound") return this.#search(url.searchParams);
    if (path !== "POST /email" && path !== "POST /email/batch") return [404, failure(404)];
    if (body === null) return [422, failure(402)];
    if (path === "POST /email") {
      const answer = this.#accept(messages[0]!);
      return [answer.ErrorCode === 0 ? 200 : 422, answer];
    }
    if (!Array.isArray(body)) return [422, failure(403)];
    if (messages.length > 500) return [422, failure(410)];
    return [200, messages.map((message) => this.#accept(message))];
  }

  #accept(message: PostedMessage): { readonly ErrorCode: number } {
    const code = this.#judge(message);
    return code === 0 ? this.#take(message) : failure(code);
  }

  #judge(message: PostedMessage): number {
    const recipients = (message.To ?? "").split(",").map((address) => address.trim());
    const refused = recipients.map((address) => this.#refusedAddresses.get(address) ?? 0);
    // Postmark refuses a message for inactive recipients only when no other recipient is left.
    if (refused.every((code) => code !== 0)) return refused[0]!;
    if (refused.includes(300) || recipients.length > 50) return 300;
    if (!message.From || recipients.some((address) => !address.includes("@"))) return 300;
    const headers = (message.Headers ?? []).flatMap(({ Name, Value }) => [Name, Value]);
    return [message.Subject, ...headers].some((text) => /[\r\n]/.test(text)) ? 300 : 0;
  }

  #take(message: PostedMessage) {
    const taken = { ...message, MessageID: randomUUID(), SubmittedAt: new Date().toISOString() };
    this.taken.push(taken);
    const inactive = taken.To.split(",").filter((address) => this.#refusedAddresses.get(address.trim()) === 406);
    const Message =
      inactive.length === 0 ? "OK" : `Message OK, but will not deliver to these inactive addresses: ${inactive.join()}`;
    return { To: taken.To, SubmittedAt: taken.SubmittedAt, MessageID: taken.MessageID, ErrorCode: 0, Message };
  }

  // As Postmark does: count and offset are required, newest first.
  #search(query: URLSearchParams): [status: number, answer: unknown] {
    const [count, offset] = [Number(query.get("count") ?? Number.NaN), Number(query.get("offset") ?? Number.NaN)];
    if (!(count >= 1 && count <= 500 && offset >= 0)) return [422, failure(700)];
    const wanted = [...query].filter(([name]) => name.startsWith("metadata_"));
    const found = this.taken
      .slice(0, this.indexed)
      .filter((mail) => wanted.every(([name, value]) => mail.Metadata?.[name.slice("metadata_".length)] === value))
      .toReversed();
    const Messages = found.slice(offset, offset + count).map((mail) => ({
      Tag: mail.Tag,
      MessageID: mail.MessageID,
      MessageStream: mail.MessageStream,
      To: mail.To.split(",").map((address) => ({ Email: address.trim(), Name: null })),
      Recipients: mail.To.split(",").map((address) => address.trim()),
      ReceivedAt: mail.SubmittedAt,
      From: mail.From,
      Subject: mail.Subject,
      Status: "Sent",
      Metadata: mail.Metadata ?? {},
    }));
    return [200, { TotalCount: found.length, Messages }];
  }
}

// Postmark's messages quote what was sent to it; ours must never reach a log.
const failure = (code: number) => ({ ErrorCode: code, Message: `Refused with ${code}: secret@recipient.example` });

function reply(response: ServerResponse, status: number, answer: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(answer));
}

function breakAnswer(fault: PostmarkFault, response: ServerResponse): void {
  if (fault.kind === "error") return reply(response, fault.status, failure(fault.code ?? 0), { ...fault.headers });
  if (fault.kind === "body") {
    response.writeHead(fault.status, { "content-type": "text/html" }).end(fault.body);
    return;
  }
  if (fault.kind === "hang") return;
  if (fault.kind === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(200, { "content-type": "application/json", "content-length": "300" });
  response.write('{"ErrorCode":0,');
  if (fault.kind === "cut") setTimeout(() => response.socket?.destroy(), 20);
  else {
    const drip = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(drip));
  }
}
