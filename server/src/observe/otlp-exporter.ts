// Sends spans to a collector as OTLP does over HTTP, in JSON. A collector that is slow or gone costs spans, never a
// submission: what waits is bounded, and nothing waits for an answer but the end of the process, for a moment.
import { randomUUID } from "node:crypto";
import type { Log, LogFacts } from "./log.ts";

/** A span in the JSON of OTLP 1. Ids are hexadecimal, times nanoseconds since the epoch, and whole numbers texts. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: 1 | 2 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue: string } | { readonly intValue: string };
  }[];
  /** 2: error. */
  readonly status?: { readonly code: 2 };
}

export interface ExporterOptions {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** How long an end waits for the collector, in milliseconds. */
  readonly flushMs: number;
  readonly log: Log;
}

/** Spans that may wait, some 600 bytes each; more are dropped. */
const spansMax = 4_096;
/** Spans in a request: about a millisecond to write. */
const batchMax = 256;
const delayMs = 2_000;
const answerMsMax = 10_000;

export class OtlpExporter implements AsyncDisposable {
  readonly #options: ExporterOptions;
  readonly #resource: object;
  readonly #ending = new AbortController();
  #spans: Span[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    const facts = {
      "service.name": options.serviceName,
      "service.version": options.version,
      "service.instance.id": randomUUID(),
    };
    const attributes = Object.entries(facts).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    this.#resource = { attributes };
  }

  add(span: Span): void {
    if (this.#spans.length >= spansMax) return;
    this.#spans.push(span);
    if (this.#spans.length >= batchMax) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), delayMs).unref();
  }

  /** Sends what is left, for a moment at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { flushMs } = this.#options;
    const tooLate = setTimeout(() => this.#ending.abort(), flushMs);
    this.#send();
    await this.#sending;
    clearTimeout(tooLate);
    this.#ending.abort();
  }

  #send(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#spans.length > 0 && !this.#ending.signal.aborted) {
      const problem = await this.#post(this.#spans.splice(0, batchMax));
      this.#report(problem);
    }
  }

  /** Answers what went wrong; null: nothing. Never rejects. */
  async #post(spans: readonly Span[]): Promise<LogFacts | null> {
    const { endpoint, headers } = this.#options;
    const scopeSpans = [{ scope: { name: "submissions" }, spans }];
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ resourceSpans: [{ resource: this.#resource, scopeSpans }] }),
        redirect: "error",
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(answerMsMax)]),
      });
      await response.body?.cancel();
      return response.ok ? null : { status: response.status };
    } catch (error) {
      // Whatever it is, it is about spans only.
      return { err: error };
    }
  }

  #report(problem: LogFacts | null): void {
    if ((problem !== null) === this.#isFailing) return;
    this.#isFailing = problem !== null;
    const { log } = this.#options;
    if (problem === null) log.info("the collector takes spans again");
    else log.warn(problem, "the collector takes no spans: they are dropped until it does");
  }
}
