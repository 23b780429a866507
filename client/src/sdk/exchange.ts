// One request and its complete answer. It knows neither envelopes nor failures: without a complete answer it rejects with
// the underlying error.

/** What each try sends. */
export interface Outgoing {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A complete answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly text: string;
  /** A header's value; null when it is missing, or hidden from pages of another origin. */
  readonly header: (name: string) => string | null;
}

/** Sends one POST. */
export type Exchange = (outgoing: Outgoing) => Promise<WholeAnswer>;

/** Sends by `fetch`. */
export const byFetch =
  (send: typeof fetch): Exchange =>
  async ({ url, headers, body = null, signal = null }) => {
    const response = await send(url, { method: "POST", headers, body, signal });
    // Read to its end: an answer that breaks off is no answer, even with a good status.
    const text = await response.text();
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  };
