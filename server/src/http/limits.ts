// What the HTTP side bears: times, counts and rates, each with its operational reason. Tests inject smaller ones.
// What one submission may hold stands in `shared/src/limits.ts`.

export interface HttpLimits {
  /** Time for the headers of a request. */
  readonly headersMs: number;
  /** Time for headers and body together. */
  readonly requestMs: number;
  /** A connection on which nothing moves is cut after this time. Longer than any answer takes. */
  readonly idleMs: number;
  readonly keepAliveMs: number;
  /** How often time-outs and sending rates are checked. */
  readonly checkMs: number;
  /** Time to store a submission once its body was read. */
  readonly answerMsMax: number;
  /** Slowest sender of a body, on average from the end of {@link bodyGraceMs} on. */
  readonly bodyBytesPerSecondMin: number;
  readonly bodyGraceMs: number;
  /** Time and bytes to read on, and throw away, after a request was refused. */
  readonly drainMsMax: number;
  readonly drainBytesMax: number;
  readonly connectionsMax: number;
  readonly connectionsPerClientMax: number;
  readonly requestsMax: number;
  readonly requestsPerClientMax: number;
  /** Requests that one connection may have sent ahead of their answers. */
  readonly requestsPerConnectionMax: number;
  readonly uploadsMax: number;
  readonly uploadsPerClientMax: number;
  readonly loopLagMsMax: number;
  /** Wrong passwords of one client address in a minute. */
  readonly wrongPasswordsMax: number;
}

export const httpLimits: HttpLimits = {
  headersMs: 10_000,
  /** 5 MiB at 0.7 Mbit/s. */
  requestMs: 60_000,
  idleMs: 20_000,
  /** Longer than the idle time-outs of common proxies, so that they close first. */
  keepAliveMs: 72_000,
  checkMs: 1_000,
  /** Leaves 5 s of the idle time-out for the mail and the answer. */
  answerMsMax: 15_000,
  /** 0.06 Mbit/s: every phone is faster, and a trickle holds a slot of an upload. */
  bodyBytesPerSecondMin: 8 * 1024,
  /** A phone that changes cells, or a client with a hundred uploads at once, sends nothing for some seconds. */
  bodyGraceMs: 10_000,
  drainMsMax: 10_000,
  drainBytesMax: 32 * 1024 * 1024,
  /** Five for each request; without a limit idle connections take the files that store and vault open. */
  connectionsMax: 10_000,
  /** A tenth of all. An office behind one address needs some hundred. */
  connectionsPerClientMax: 1_000,
  /** Half a second of work at 4,000 answers a second, the measured rate of a small machine; more would only wait. */
  requestsMax: 2_000,
  /** Half of all, so that one client cannot fill the process. */
  requestsPerClientMax: 1_000,
  /** Browsers send none ahead, and Node runs all that arrive in one piece. */
  requestsPerConnectionMax: 32,
  /** Each has a staging file open and its buffers: 128 stay below 300 MB, and 1,024 open files are usual. */
  uploadsMax: 256,
  /** Half of all, and half of what the rate limit grants one client in a window: 30, unless it is raised. */
  uploadsPerClientMax: 128,
  /** Health probes give up after about a second. */
  loopLagMsMax: 1_000,
  wrongPasswordsMax: 10,
};
