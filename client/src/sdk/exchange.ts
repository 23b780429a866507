// One request and its whole answer, by whatever means the surroundings have. It knows neither envelopes nor failures:
// when no whole answer comes, it rejects with whatever was thrown underneath.

/** What one try sends, the same each time. */
export interface Outgoing {
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
  readonly signal: AbortSignal | undefined;
}

/** An answer that has come to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly text: string;
  /** A header's value; null when it is missing, or hidden from pages of another origin. */
  readonly header: (name: string) => string | null;
}

/** Sends one POST. */
export type Exchange = (outgoing: Outgoing) => Promise<WholeAnswer>;

/** The usual means. */
export const byFetch =
  (send: typeof fetch): Exchange =>
  async ({ url, headers, body = null, signal = null }) => {
    const response = await send(url, { method: "POST", headers, body, signal });
    // Read here, to its end: an answer that breaks off is no answer, whatever its status said.
    const text = await response.text();
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  };
