// Traces as OpenTelemetry has them: requests, the stages of their calls, and mails, without anything of a person. Spans are
// made from times that were noted. Loaded only where a collector is set: OpenTelemetry's packages are optional.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Attributes, type Context } from "@opentelemetry/api";
import { ExportResultCode, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../intake/call.ts";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import type { Log, LogFacts } from "./log.ts";

export interface TracingSettings {
  readonly endpoint: string;
  /** Sent with every batch; may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of requests whose callers do not say whether they are traced; 0 to 1. */
  readonly share: number;
}

interface TracesOptions extends TracingSettings {
  readonly version: string;
  readonly flushMs: number;
  readonly log: Log;
}

export type Traces = ReturnType<typeof startTraces>;
export type RequestTrace = NonNullable<ReturnType<Traces["begin"]>>;

interface TracedAnswer {
  readonly method: string;
  readonly route: string;
  readonly status: number | null;
  readonly requestId: string;
  /** Name in the table of faults; null: not refused. */
  readonly fault: string | null;
}

/** Spans that may wait, about 600 bytes each; more are dropped. In a batch: about a millisecond to write. */
const queue = { maxQueueSize: 4_096, maxExportBatchSize: 256, scheduledDelayMillis: 2_000 };
/** Mails that may be waited for. Those that are given back to the store never settle here. */
const mailsMax = 10_000;

const stageNames: Readonly<Record<Stage, string>> = {
  read: "read body",
  validate: "validate",
  resume: "keep resume",
  store: "store",
  mail: "wait for mail",
};

/** A span, so that others can name it as their parent. */
interface Parent {
  readonly context: Context;
  /** Added to `performance.now()` it gives milliseconds since the epoch, the same way for all spans of a trace. */
  readonly epochMs: number;
}

interface Timed {
  readonly name: string;
  /** Both by `performance.now()`. */
  readonly from: number;
  readonly to: number;
  readonly kind?: SpanKind;
  readonly isError?: boolean;
}

export function startTraces({ endpoint, headers, serviceName, share, version, flushMs, log }: TracesOptions) {
  const report = reporter(log);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, headers: { ...headers } });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.version": version,
      "service.instance.id": randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        ...queue,
        exporter: {
          export: (spans, done) =>
            exporter.export(spans, (result) => {
              report(result.code === ExportResultCode.SUCCESS ? null : { err: result.error });
              done(result);
            }),
          shutdown: () => exporter.shutdown(),
        },
      }),
    ],
  });
  const tracer = provider.getTracer("submissions");
  const mails = new Map<string, { readonly kind: string; readonly from: number; readonly parent: Parent }>();

  function add({ context, epochMs }: Parent, { name, from, to, kind, isError }: Timed, attributes: Attributes): void {
    const span = tracer.startSpan(name, { ...(kind && { kind }), startTime: epochMs + from, attributes }, context);
    if (isError === true) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(epochMs + to);
  }

  return {
    /** Begins the trace of a request, or goes on with that of its caller. Null: it is not to be traced. */
    begin(from: number, traceparent: unknown) {
      const caller = typeof traceparent === "string" ? parseTraceParent(traceparent) : null;
      const above = caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
      const epochMs = Date.now() - performance.now();
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER, startTime: epochMs + from }, above);
      if (!span.isRecording()) return null;
      const root: Parent = { context: trace.setSpan(above, span), epochMs };
      return {
        stage: (procedure: string, stage: Stage, begun: number, to: number) =>
          add(root, { name: stageNames[stage], from: begun, to }, { "submissions.procedure": procedure }),
        /** These mails are handed over from now on, perhaps after the answer. */
        expect(leased: readonly LeasedMail[]) {
          const handed = performance.now();
          for (const { id, kind } of leased) mails.set(id, { kind, from: handed, parent: root });
          for (const id of mails.keys()) {
            if (mails.size <= mailsMax) return;
            mails.delete(id);
          }
        },
        end({ method, route, status, requestId, fault }: TracedAnswer) {
          const error = status === null ? "client-went-away" : fault;
          span.updateName(`${method} ${route}`);
          span.setAttributes({
            "http.request.method": method,
            "http.route": route,
            "submissions.request_id": requestId,
            ...(status !== null && { "http.response.status_code": status }),
            ...(error !== null && { "error.type": error }),
          });
          if (status === null || status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(epochMs + performance.now());
        },
      };
    },

    /** A try to deliver a mail has ended. Mails that no traced request expects are ignored. */
    mailSettled(id: string, result: MailSettlement["result"]): void {
      const mail = mails.get(id);
      if (mail === undefined) return;
      mails.delete(id);
      const { kind, from, parent } = mail;
      const timed = { name: "hand over mail", kind: SpanKind.CLIENT, from, to: performance.now() };
      const facts = { "submissions.mail.kind": kind, "submissions.mail.result": result };
      add(parent, { ...timed, isError: result === "failed" }, facts);
    },

    async [Symbol.asyncDispose](): Promise<void> {
      // A rejection has been reported.
      const sent = provider.shutdown().catch(() => {});
      const tooLate = await Promise.race([sent, sleep(flushMs, { code: "timeout" }, { ref: false })]);
      if (tooLate !== undefined) report(tooLate);
    },
  };
}

function reporter(log: Log): (problem: LogFacts | null) => void {
  let isFailing = false;
  return (problem) => {
    if ((problem !== null) === isFailing) return;
    isFailing = problem !== null;
    if (problem === null) log.info("the collector takes spans again");
    else log.warn(problem, "the collector takes no spans: they are dropped until it does");
  };
}
