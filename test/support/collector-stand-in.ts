// Stands in for an OpenTelemetry collector on a port of its own: takes spans as OTLP over HTTP in JSON, or answers
// nothing.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { Listening } from "./listening.ts";

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number };
}

/** A span as it was sent. */
export interface TakenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly TakenSpan[] }[];
  }[];
}

/** Attributes as an object. */
export const factsOf = (attributes: readonly Attribute[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? undefined : String(value.intValue)),
    ]),
  );

export class CollectorStandIn extends Listening {
  readonly exports: Export[] = [];
  /** Each request as it came. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** What the next requests are answered with; null: they are never answered. */
  status: number | null = 200;

  static open(): Promise<CollectorStandIn> {
    const standIn = new CollectorStandIn(createServer());
    standIn.server.on("request", (request, response) => void standIn.#answer(request, response));
    return standIn.listen();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push({ path: request.url ?? "", headers: request.headers });
    const body = (await json(request).catch(() => null)) as Export | null;
    // Null: the service gave up in the middle.
    if (body === null || this.status === null) return;
    if (this.status === 200) this.exports.push(body);
    response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
  }

  /** All spans that were taken. */
  get spans(): readonly TakenSpan[] {
    return this.exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }
}
