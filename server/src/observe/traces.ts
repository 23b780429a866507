// Traces as OpenTelemetry has them: requests, the stages of their calls, and mails. Nothing of a person is ever told. A
// span is written once it has ended, from times that were noted, so that nothing has to be carried through the code. The
// exporter (otlp-exporter.ts) sends them. Loaded only where a collector is set.
import { randomUUID } from "node:crypto";
import type { Stage } from "../intake/call.ts";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";
import { openExporter, type ExporterOptions } from "./otlp-exporter.ts";

export interface TracingSettings extends Pick<ExporterOptions, "endpoint" | "headers" | "serviceName"> {
  /** Of requests whose callers do not say whether they are traced; 0 to 1. */
  readonly share: number;
}

export type RequestTrace = NonNullable<ReturnType<Traces["begin"]>>;

interface TracedAnswer {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Null: the client went away before. */
  readonly status: number | null;
  readonly requestId: string;
  /** Name in the table of faults; null: not refused. */
  readonly fault: string | null;
}

/** Mails that may be waited for. Those that are given back to the store are never heard of again. */
const mailsMax = 10_000;

const spanKinds = { internal: 1, server: 2, client: 3 } as const;

const stageNames: Readonly<Record<Stage, string>> = {
  read: "read body",
  validate: "validate",
  resume: "keep resume",
  store: "store",
  mail: "wait for mail",
};

/** A span to be, by which others name their parent. */
interface Place {
  readonly traceId: string;
  readonly spanId: string;
  /** What turns `performance.now()` into milliseconds since the epoch, for all spans of the trace alike. */
  readonly epochMs: number;
}

export class Traces implements AsyncDisposable {
  readonly #exporter: ReturnType<typeof openExporter>;
  readonly #share: number;
  readonly #mails = new Map<string, { readonly kind: string; readonly from: number; readonly parent: Place }>();

  constructor({ share, ...options }: TracingSettings & ExporterOptions) {
    this.#exporter = openExporter(options);
    this.#share = share;
  }

  /**
   * Begins the trace of a request, or goes on with that of its caller.
   *
   * @param from when the request came; this and all other times are by `performance.now()`
   * @param traceparent as W3C Trace Context has it; anything else is ignored
   * @returns null for a request that is not to be traced
   */
  begin(from: number, traceparent: unknown) {
    const caller = readTraceparent(traceparent);
    if (caller === null ? Math.random() >= this.#share : !caller.isSampled) return null;
    const root: Place = {
      traceId: caller?.traceId ?? drawTraceId(),
      spanId: drawSpanId(),
      epochMs: Date.now() - performance.now(),
    };
    return {
      stage: (procedure: string, stage: Stage, begun: number, to: number) =>
        this.#add(
          root,
          { name: stageNames[stage], kind: "internal", from: begun, to },
          { "submissions.procedure": procedure },
        ),
      /** These mails are handed over from now on, perhaps after the answer. */
      expect: (mails: readonly LeasedMail[]) => {
        const handed = performance.now();
        for (const { id, kind } of mails) this.#mails.set(id, { kind, from: handed, parent: root });
        for (const id of this.#mails.keys()) {
          if (this.#mails.size <= mailsMax) return;
          this.#mails.delete(id);
        }
      },
      end: ({ method, route, status, requestId, fault }: TracedAnswer) => {
        const isError = status === null || status >= 500;
        const timed = { name: `${method} ${route}`, kind: "server", from, to: performance.now(), isError } as const;
        this.#write(root, root.spanId, caller?.spanId, timed, {
          "http.request.method": method,
          "http.route": route,
          "submissions.request_id": requestId,
          "http.response.status_code": status,
          "error.type": status === null ? "client-went-away" : fault,
        });
      },
    };
  }

  /** A try to deliver a mail has ended. Mails that no traced request expects are ignored. */
  mailSettled(id: string, result: MailSettlement["result"]): void {
    const mail = this.#mails.get(id);
    if (mail === undefined) return;
    this.#mails.delete(id);
    const span = { name: "hand over mail", kind: "client", from: mail.from, to: performance.now() } as const;
    this.#add(
      mail.parent,
      { ...span, isError: result === "failed" },
      { "submissions.mail.kind": mail.kind, "submissions.mail.result": result },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#exporter[Symbol.asyncDispose]();
  }

  #add(parent: Place, timed: Timed, facts: Facts): void {
    this.#write(parent, drawSpanId(), parent.spanId, timed, facts);
  }

  #write(
    { traceId, epochMs }: Place,
    spanId: string,
    parentSpanId: string | undefined,
    { name, kind, from, to, isError = false }: Timed,
    facts: Facts,
  ): void {
    // Microseconds are whole numbers that a double can hold; nanoseconds since the epoch are not.
    const time = (at: number) => `${Math.round((epochMs + at) * 1000)}000`;
    this.#exporter.add({
      traceId,
      spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name,
      kind: spanKinds[kind],
      startTimeUnixNano: time(from),
      endTimeUnixNano: time(to),
      attributes: Object.entries(facts).flatMap(([key, value]) => {
        if (value === null) return [];
        return { key, value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value } };
      }),
      ...(isError ? { status: { code: 2 } } : {}),
    });
  }
}

interface Timed {
  readonly name: string;
  readonly kind: keyof typeof spanKinds;
  /** Both by `performance.now()`. */
  readonly from: number;
  readonly to: number;
  readonly isError?: boolean;
}

/** By their names; those that are null are left out. */
type Facts = Readonly<Record<string, string | number | null>>;

// Hexadecimal digits of UUIDs: Node draws the bytes of many at once, and six bits of each are fixed.
const drawTraceId = (): string => randomUUID().replaceAll("-", "");

function drawSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(19, 23) + uuid.slice(24);
}

/** W3C Trace Context: version, trace, span, flags. Later versions may add more behind them. */
function readTraceparent(text: unknown) {
  if (typeof text !== "string" || text.length > 100) return null;
  const [, version, traceId = "", spanId = "", flags = "", rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(text) ?? [];
  const isWrong = version === undefined || version === "ff" || (version === "00" && rest !== undefined);
  if (isWrong || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
