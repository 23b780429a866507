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
  /** Sent with every batch; may hold secrets. */
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

export function openExporter({ endpoint, headers, serviceName, version, flushMs, log }: ExporterOptions) {
  const facts = { "service.name": serviceName, "service.version": version, "service.instance.id": randomUUID() };
  const resource = {
    attributes: Object.entries(facts).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const ending = new AbortController();
  const waiting: Span[] = [];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let isFailing = false;

  function send(): void {
    clearTimeout(timer ?? undefined);
    timer = null;
    sending ??= sendAll().finally(() => {
      sending = null;
    });
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && !ending.signal.aborted) report(await post(waiting.splice(0, batchMax)));
  }

  /** Answers what went wrong; null: nothing. Never rejects. */
  async function post(spans: readonly Span[]): Promise<LogFacts | null> {
    const scopeSpans = [{ scope: { name: "submissions" }, spans }];
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
        redirect: "error",
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(answerMsMax)]),
      });
      await response.body?.cancel();
      return response.ok ? null : { status: response.status };
    } catch (error) {
      // Whatever it is, it is about spans only.
      return { err: error };
    }
  }

  function report(problem: LogFacts | null): void {
    if ((problem !== null) === isFailing) return;
    isFailing = problem !== null;
    if (problem === null) log.info("the collector takes spans again");
    else log.warn(problem, "the collector takes no spans: they are dropped until it does");
  }

  return {
    add(span: Span): void {
      if (waiting.length >= spansMax) return;
      waiting.push(span);
      if (waiting.length >= batchMax) send();
      else timer ??= setTimeout(send, delayMs).unref();
    },

    /** Sends what is left, for a moment at most. */
    async [Symbol.asyncDispose](): Promise<void> {
      const tooLate = setTimeout(() => ending.abort(), flushMs);
      send();
      await sending;
      clearTimeout(tooLate);
      ending.abort();
    },
  };
}
