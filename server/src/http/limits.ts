// What the HTTP side bears, each with its operational reason. What a submission may hold: `shared/src/limits.ts`.

export const httpLimits = {
  /** Time for the headers of a request. */
  headersMs: 10_000,
  /** A connection on which nothing moves is cut after this time. Longer than any answer takes. */
  idleMs: 20_000,
  /** Longer than the idle time-outs of common proxies, so that they close first. */
  keepAliveMs: 72_000,
  /** How often time-outs and sending rates are checked. */
  checkMs: 1_000,
  /**
   * Time to store a submission, or a file of a reply, once its body was read. Leaves 5 s of the idle time-out for the mail and
   * the answer.
   */
  answerMsMax: 15_000,
  /** A large body waits so long for its turn to be read: a thousand of one client. Half of the idle time-out. */
  bodyTurnMsMax: 10_000,
  /** Slowest sender of a body: 0.06 Mbit/s. Every phone is faster, and a trickle holds the slot of an upload. */
  bodyBytesPerSecondMin: 8_000,
  /** Over any so long. In less, a phone that changes cells, or a client with many uploads at once, sends nothing. */
  bodyWindowMs: 10_000,
  /** Time and bytes to read on, and throw away, after a request was refused. */
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
  /** Requests of one client that are taken in a turn of the event loop. To refuse as many is 20 to 40 ms of work. */
  requestsPerClientTurnMax: 1_000,
  /** Requests of one client that begin in a turn, so that those of others come in between: 20 ms of work. */
  requestsPerClientBegunMax: 64,
  /** Requests that a connection may send ahead of their answers. Browsers send none, and Node runs all that arrive at once. */
  requestsPerConnectionMax: 32,
  /** Each has a staging file open and its buffers: 128 stay below 300 MB, and 1,024 open files are usual. */
  uploadsMax: 256,
  /** Half of all, and half of what the rate limit grants one client in a window: 30, unless that is raised. */
  uploadsPerClientMax: 128,
  /** Health probes give up after about a second. */
  loopLagMsMax: 1_000,
  /** Wrong passwords of one client address in a minute. */
  wrongPasswordsMax: 10,
} as const;

export type HttpLimits = Readonly<Record<keyof typeof httpLimits, number>>;

/** How often a client may do something, as a multiple of the limit on submissions. */
export const rateLimitFactors = {
  calls: 1,
  /** A form asks for a challenge when it is opened, and is seldom sent. */
  challenges: 10,
  /** The one-click POSTs of a mail provider's readers come from few addresses. */
  links: 10,
  /** An open console asks every few seconds. */
  console: 20,
  /** Of one operator or token, from whatever address, call by call. */
  operators: 20,
} as const;
