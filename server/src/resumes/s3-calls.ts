// Calls the object store: a bounded number of tries, each with a time-out, and in the end an error of the port in plain
// words. Knows no bucket and no key, and repeats nothing of what the store says, which may quote both.
import { setTimeout as sleep } from "node:timers/promises";
import type { S3Limits } from "./s3-limits.ts";
import { ResumeMissing, VaultUnavailable } from "./vault.ts";

/** Makes one call; gives up when the signal says so. */
type Attempt<T> = (signal: AbortSignal) => Promise<T>;

/** What of an error of the SDK, of the network or of a time-out counts. */
interface Failure {
  readonly name: string;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

/** Stores refuse with these although the next try may succeed. The SDK has set its clock right after the last one. */
const transientNames: ReadonlySet<string> = new Set(["SlowDown", "RequestTimeout", "RequestTimeTooSkewed"]);

export class S3Calls {
  readonly #limits: S3Limits;

  constructor(limits: S3Limits) {
    this.#limits = limits;
  }

  /**
   * Calls until it succeeds, or there is no more use in it.
   *
   * @throws ResumeMissing, VaultUnavailable
   */
  async send<T>(attempt: Attempt<T>): Promise<T> {
    const { attemptMs, attemptsMax, triesMs } = this.#limits;
    const deadline = performance.now() + triesMs;
    for (let tries = 1; ; tries += 1) {
      try {
        return await within(Math.min(attemptMs, deadline - performance.now()), attempt);
      } catch (error) {
        const pauseMs = this.#pauseAfter(tries);
        const useless = tries >= attemptsMax || performance.now() + pauseMs >= deadline;
        if (useless || !isTransient(failureOf(error))) throw asVaultError(error);
        await sleep(pauseMs);
      }
    }
  }

  /** Calls once, for an answer now. */
  async sendOnce<T>(attempt: Attempt<T>): Promise<T> {
    try {
      return await within(this.#limits.readinessMs, attempt);
    } catch (error) {
      throw asVaultError(error);
    }
  }

  // Many processes that were refused together must not come back together.
  #pauseAfter(tries: number): number {
    return this.#limits.pauseMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  }
}

/** The time ends with the head of the answer: a body that is being read must not be cut off by it. */
async function within<T>(ms: number, attempt: Attempt<T>): Promise<T> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), Math.max(0, ms));
  try {
    return await attempt(giveUp.signal);
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(error: unknown): Failure {
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
  // Without a status nobody answered, and whether the call had its effect is unknown: all of ours may be repeated.
  if (status === undefined) return name !== "CredentialsProviderError";
  return status >= 500 || status === 429 || status === 408;
}

/** The error of the port for whatever the SDK threw. What is neither the store's nor the network's stays what it is. */
export function asVaultError(error: unknown): unknown {
  if (error instanceof VaultUnavailable || error instanceof ResumeMissing) return error;
  const failure = failureOf(error);
  if (failure.name === "NoSuchKey") return new ResumeMissing("The object store has no such file.", { cause: error });
  return new VaultUnavailable(`The object store cannot be used: ${reasonOf(failure)}.`, { cause: error });
}

function reasonOf({ name, status, code }: Failure): string {
  if (name === "CredentialsProviderError") return "there are no credentials";
  // The SDK calls it a time-out, too, when a connection is reset.
  if (status === undefined && code !== undefined) return `the connection failed (${code})`;
  if (name === "AbortError" || name === "TimeoutError") return "it does not answer in time";
  if (status === undefined) return "the connection failed";
  if (status === 301 || status === 307) return "the bucket is in another region";
  if (status === 401 || status === 403) return "the credentials are wrong or lack a permission";
  if (status === 404) return "there is no such bucket";
  return `it answers ${status}`;
}
