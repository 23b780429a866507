// Calls the object store: a bounded number of tries, each with a time-out, and in the end an error of the port in plain
// words. Repeats nothing of what the store says, which may quote names and keys.
import { setTimeout as sleep } from "node:timers/promises";
import { ResumeMissing, VaultUnavailable } from "./vault.ts";

/** How long the object store is waited for. */
export const s3Limits = {
  /** One try, up to the head of its answer. 5 MiB take this long on a line of 7 Mbit/s. */
  attemptMs: 6_000,
  /** All tries together. A request has 15 s, and a service that is stopped has 9.5 s. */
  triesMs: 8_000,
  /** All tries to take a resume back. They may begin at the deadline of a request, and its connection is cut at 20 s. */
  discardMs: 3_000,
  /** All tries to take back, at the end of a process, what could not be before. The database is closed after it. */
  closeMs: 300,
  attemptsMax: 3,
  /** Pause before the second try. It doubles with each try, and a random part of up to a half is taken off. */
  pauseMs: 200,
  /** A readiness probe needs its answer while the store is silent, too. */
  readinessMs: 3_000,
  /** A download in which nothing moves for so long has ended. */
  idleMs: 20_000,
  /** Connections at once: as many as uploads that are received at once. */
  socketsMax: 256,
  /** How long a link lives: long enough to be clicked, too short to be passed on. */
  linkSeconds: 300,
};

export type S3Limits = Readonly<typeof s3Limits>;

/** Stores refuse with these although the next try may succeed. The SDK has set its clock right after the last one. */
const transientNames: ReadonlySet<string> = new Set(["SlowDown", "RequestTimeout", "RequestTimeTooSkewed"]);

type Attempt<T> = (options: { readonly abortSignal: AbortSignal }) => Promise<T>;

interface Bounds {
  /** By `performance.now()`. */
  readonly deadline?: number | undefined;
  readonly attemptsMax?: number;
}

export function storeCalls({ attemptMs, triesMs, pauseMs, ...limits }: S3Limits) {
  // Processes that were refused together must not try again together.
  const pauseAfter = (tries: number) => pauseMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);

  /** Calls until it succeeds, another try is useless, or the deadline has come. @throws ResumeMissing, VaultUnavailable */
  return async <T>(
    attempt: Attempt<T>,
    { deadline = performance.now() + triesMs, attemptsMax = limits.attemptsMax }: Bounds = {},
  ): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new VaultUnavailable("There is no time left to call the object store.");
      try {
        return await within(Math.min(attemptMs, leftMs), attempt);
      } catch (error) {
        const restMs = pauseAfter(tries);
        const isUseless = tries >= attemptsMax || performance.now() + restMs >= deadline;
        if (isUseless || !isTransient(failureOf(error))) throw asVaultError(error);
        await sleep(restMs);
      }
    }
  };
}

/** The time ends with the head of the answer: a body that is being read must not be cut off by it. */
async function within<T>(ms: number, attempt: Attempt<T>): Promise<T> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), ms);
  try {
    return await attempt({ abortSignal: giveUp.signal });
  } finally {
    clearTimeout(timer);
  }
}

type Failure = ReturnType<typeof failureOf>;

/** What matters of an error of the SDK, of the network or of a time-out. */
function failureOf(error: unknown) {
  if (!(error instanceof Error)) return { name: "", status: undefined, code: undefined };
  const { $metadata, code } = error as { readonly $metadata?: { readonly httpStatusCode?: number }; code?: unknown };
  return {
    name: error.name,
    status: $metadata?.httpStatusCode,
    code: typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : undefined,
  };
}

function isTransient({ name, status }: Failure): boolean {
  if (transientNames.has(name)) return true;
  // Without a status there was no answer, and the call may have had its effect. All of our calls may be repeated.
  if (status === undefined) return name !== "CredentialsProviderError";
  return status >= 500 || status === 429 || status === 408;
}

// Whether a call failed because something is not there. Of a copy that is its source: when it vanishes meanwhile, Swift says
// that there is no such bucket.
export const isNotFound = (error: unknown): boolean =>
  error instanceof ResumeMissing || (error instanceof VaultUnavailable && failureOf(error.cause).status === 404);

export function asVaultError(error: unknown): unknown {
  if (error instanceof VaultUnavailable || error instanceof ResumeMissing) return error;
  const failure = failureOf(error);
  if (failure.name === "NoSuchKey") return new ResumeMissing("The object store has no such file.", { cause: error });
  return new VaultUnavailable(`The object store cannot be used: ${reasonOf(failure)}.`, { cause: error });
}

function reasonOf({ name, status, code }: Failure): string {
  if (name === "CredentialsProviderError") return "there are no credentials";
  // The SDK also calls it a time-out when a connection is reset.
  if (status === undefined && code !== undefined) return `the connection failed (${code})`;
  if (name === "AbortError" || name === "TimeoutError") return "it does not answer in time";
  if (status === undefined) return "the connection failed";
  if (status === 301 || status === 307) return "the bucket is in another region";
  if (status === 401 || status === 403) return "the credentials are wrong or lack a permission";
  if (status === 404) return "there is no such bucket";
  return `it answers ${status}`;
}
