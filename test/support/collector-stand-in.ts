// Stands in for an OpenTelemetry collector: takes spans as OTLP over HTTP in JSON, or answers nothing.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { Document } from "./deploy/read-deploy.ts";
import { Listening } from "./listening.ts";

export type TakenSpan = Document;

export const factsOf = (attributes: readonly Document[]): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? (value.intValue === undefined ? undefined : String(value.intValue)),
    ]),
  );

export class CollectorStandIn extends Listening {
  readonly exports: Document[] = [];
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
    const body: Document = await json(request).catch(() => null);
    // Null: the service gave up in the middle.
    if (body === null || this.status === null) return;
    if (this.status === 200) this.exports.push(body);
    response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
  }

  get spans(): readonly TakenSpan[] {
    const { exports } = this;
    return exports
      .flatMap((one) => one.resourceSpans)
      .flatMap((one) => one.scopeSpans)
      .flatMap((one) => one.spans);
  }
}
