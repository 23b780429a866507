// What is told to traces: requests, the stages of their calls, and mails. otlp-traces.ts sends it to a collector; it is
// loaded only where one is set. Nothing of a person is ever told.
import type { Stage } from "../intake/call.ts";
import type { LeasedMail, MailSettlement } from "../storage/records.ts";

export interface Traces extends AsyncDisposable {
  /**
   * Begins the trace of a request, or goes on with that of its caller.
   *
   * @param from when the request came, by `performance.now()`
   * @param traceparent as W3C Trace Context has it; anything else is ignored
   * @returns null for a request that is not to be traced
   */
  begin(from: number, traceparent: unknown): RequestTrace | null;
  /** A try to deliver a mail has ended. Mails that no traced request expects are ignored. */
  mailSettled(id: string, result: MailSettlement["result"]): void;
}

/** Times are by `performance.now()`. */
export interface RequestTrace {
  stage(procedure: string, stage: Stage, from: number, to: number): void;
  /** These mails are handed over from now on, perhaps after the answer. */
  expect(mails: readonly LeasedMail[]): void;
  end(answer: TracedAnswer): void;
}

export interface TracedAnswer {
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Null: the client went away before. */
  readonly status: number | null;
  readonly requestId: string;
  /** Name in the table of faults; null: not refused. */
  readonly fault: string | null;
}
