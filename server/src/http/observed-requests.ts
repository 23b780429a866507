// One log line, the counts and times, and perhaps a trace of each request. The route is logged, never the URL.
import type { IncomingMessage } from "node:http";
import { type FaultCode, faults, type FaultName } from "@submissions/shared/faults";
import type { FastifyReply, FastifyRequest } from "fastify";
import { systemClock } from "../clock.ts";
import type { Fault } from "../fault.ts";
import { FixedWindows } from "../fixed-windows.ts";
import type { CallWatch } from "../intake/call.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { RequestTrace, Traces } from "../observe/traces.ts";
import type { Door } from "../storage/records.ts";
import { probePaths } from "./health.ts";

interface ObserverOptions {
  readonly log: Log;
  readonly metrics: Pick<Metrics, "requests" | "refusals" | "submissions" | "stages">;
  readonly traces: Traces | null;
  /** The paths of the procedures. Any other path is a stranger's text, and must not become a label. */
  readonly procedures: ReadonlySet<string>;
}

interface CallFacts {
  /** Its name is known: a stranger's text would not be logged. */
  readonly procedure: string;
  /** True for a call of the console that changes nothing. Open consoles repeat such calls without end. */
  readonly isRead?: boolean;
  readonly reference?: string;
  readonly result?: string;
}

const unknownRoute = "unknown";

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? unknownRoute;

/** Lines in a minute of what fails on our side, by its fault: an outage under load would fill the disk with them. */
const failuresMax = 100;
const failuresMs = 60_000;

type Observing = ObserverOptions & { readonly mayLog: ReturnType<typeof boundFailures> };

/** Makes what tells whether one more failure of a fault or route may be logged, and says so before the first that may not. */
function boundFailures({ log }: ObserverOptions) {
  const failures = new FixedWindows(failuresMs, systemClock);
  return (of: string): boolean => {
    const { count } = failures.add(of);
    if (count === failuresMax + 1)
      log.warn({ fault: of, count: failuresMax }, "more answers of this fault are not logged for a minute");
    return count <= failuresMax;
  };
}

export class Observer {
  readonly #options: Observing;
  readonly #cut = new WeakMap<IncomingMessage, FaultName>();

  constructor(options: ObserverOptions) {
    this.#options = { ...options, mayLog: boundFailures(options) };
  }

  begin(request: FastifyRequest, reply: FastifyReply): Observation {
    const observation = new Observation(this.#options, request, reply);
    // It comes after every end of an answer, also when the client went away.
    reply.raw.once("close", () => observation.end(this.#cut.get(request.raw)));
    return observation;
  }

  /** Notes a refusal that is written on the bare connection of a request, where no hook sees it. */
  cut(request: IncomingMessage, fault: FaultName): void {
    this.#cut.set(request, fault);
  }

  /** Logs and counts a refusal of what never became a request: without a route. */
  neverBegun(requestId: string, fault: FaultName): void {
    const { log, metrics, mayLog } = this.#options;
    const { status } = faults[fault];
    metrics.refusals.inc({ route: unknownRoute, fault });
    if (status < 500 || mayLog(fault)) log.info({ requestId, route: unknownRoute, status, fault }, "answered");
  }
}

export class Observation {
  readonly #options: Observing;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #begunAt = performance.now();
  readonly #trace: RequestTrace | null;
  #calls: readonly CallFacts[] | null = null;
  readonly #refusals: { readonly fault: FaultName; readonly error: unknown }[] = [];

  constructor(options: Observing, request: FastifyRequest, reply: FastifyReply) {
    const { traces } = options;
    this.#options = options;
    this.#request = request;
    this.#reply = reply;
    const isTraced = traces !== null && !probePaths.has(routeOf(request));
    this.#trace = isTraced ? traces.begin(this.#begunAt, request.headers.traceparent) : null;
  }

  /** Notes calls of the console. */
  called(calls: readonly CallFacts[]): void {
    this.#calls = calls;
  }

  /** Follows a call: the time of each stage goes to the metrics, and to the trace if there is one. */
  follow(procedure: string): CallWatch {
    const { stages } = this.#options.metrics;
    const reply = this.#reply;
    const trace = this.#trace;
    const call: CallFacts = { procedure };
    this.#calls = this.#calls === null ? [call] : [...this.#calls, call];
    let since = this.#begunAt;
    return {
      ended(stage) {
        const now = performance.now();
        stages.observe(procedure, stage, (now - since) / 1000);
        trace?.stage(procedure, stage, since, now);
        since = now;
      },
      stored(reference, result) {
        Object.assign(call, { reference, result });
        if (result === "repeated") reply.header("idempotency-replayed", "true");
      },
      mailed: (mails) => trace?.expect(mails),
    };
  }

  /** Counts a call of a procedure by the code of its answer; `SPAM` is answered like `OK`. */
  count(procedure: string, door: Door, code: FaultCode | "OK" | "SPAM"): void {
    this.#options.metrics.submissions.inc({ procedure, door, code });
  }

  /** Notes a refusal, and counts the calls that it refuses. @param paths which these are, unless the route says so */
  refused({ fault }: Fault, error: unknown, paths: readonly string[]): void {
    this.#refusals.push({ fault, error });
    const { door, procedure } = this.#request.routeOptions.config;
    if (door === undefined) return;
    for (const path of procedure === undefined ? paths : [procedure])
      if (this.#options.procedures.has(path)) this.count(path, door, faults[fault].code);
  }

  /** @param cutAs what the request was refused with on its bare connection */
  end(cutAs: FaultName | undefined): void {
    const { log, metrics, mayLog } = this.#options;
    const { raw, statusCode } = this.#reply;
    const { id: requestId, method } = this.#request;
    const route = routeOf(this.#request);
    const refusals = cutAs === undefined ? this.#refusals : [{ fault: cutAs, error: undefined }];
    const status = cutAs === undefined ? statusCode : faults[cutAs].status;
    // An early refusal waits for the rest of the body before it ends (body/incoming-body.ts). Its client may leave meanwhile.
    const isRefused = cutAs !== undefined || (refusals.length > 0 && raw.headersSent && !raw.writableEnded);
    const hasLeft = !raw.writableFinished && !isRefused;
    const { fault, error: err } = refusals.at(-1) ?? {};
    const calls = this.#calls ?? [];
    const [procedure, reference] = [joined(calls, "procedure"), joined(calls, "reference")];
    const why = { procedure, reference, result: joined(calls, "result"), fault, err };
    if (hasLeft) log.info({ requestId, method, route, ...why }, "client went away");
    else {
      const ms = performance.now() - this.#begunAt;
      metrics.requests.observe(route, `${Math.trunc(status / 100)}xx`, ms / 1000);
      for (const refusal of refusals) metrics.refusals.inc({ route, fault: refusal.fault });
      const isReading = fault === undefined && this.#calls?.every(({ isRead }) => isRead) === true;
      const level = status >= 500 ? "error" : isReading || probePaths.has(route) ? "debug" : "info";
      const facts = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, ...why };
      if (status < 500 || mayLog(fault ?? route)) log[level](facts, "answered");
    }
    this.#trace?.end({ method, route, status: hasLeft ? null : status, requestId, fault: fault ?? null });
  }
}

/** A fact of all calls, with commas between them. */
function joined(calls: readonly CallFacts[], name: "procedure" | "reference" | "result"): string | undefined {
  if (calls.length === 1) return calls[0]?.[name];
  const texts = calls.flatMap((call) => call[name] ?? []);
  return texts.length === 0 ? undefined : texts.join();
}
