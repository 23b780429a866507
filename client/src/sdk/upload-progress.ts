// The progress of an upload. `fetch` cannot measure it, so this sends by XMLHttpRequest, which only browsers and their
// dedicated workers have.
import type { Fetch } from "./transport.ts";

/**
 * How much of a request is sent.
 *
 * @example
 * ```ts
 * const percent = ({ loaded, total }: UploadProgress) => Math.floor((100 * loaded) / total);
 * ```
 */
export interface UploadProgress {
  /** Bytes handed to the network so far. */
  readonly loaded: number;
  /** Bytes of the whole form: the resume, the fields, and what stands between them. */
  readonly total: number;
}

/** Whether uploads can be measured here. */
export const canMeasureUploads = (): boolean => typeof XMLHttpRequest === "function";

/** Sends as `fetch` does, and reports the progress. */
export const measuredUpload =
  (onProgress: (progress: UploadProgress) => void): Fetch =>
  (url, { headers, body = null, signal }) =>
    new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      const stop = () => xhr.abort();
      xhr.open("POST", url);
      new Headers(headers).forEach((value, name) => xhr.setRequestHeader(name, value));
      xhr.upload.addEventListener("progress", ({ loaded, total }) => onProgress({ loaded, total }));
      xhr.addEventListener("load", () => {
        const lines = xhr.getAllResponseHeaders().matchAll(/^(.+?): ?(.*)$/gm);
        const answered = Array.from(lines, ([, name = "", value = ""]): [string, string] => [name, value]);
        // Some statuses allow no body, not even an empty one.
        resolve(new Response(xhr.responseText || null, { status: xhr.status, headers: answered }));
      });
      // The event has no reason, on purpose: a page must not learn about other networks.
      xhr.addEventListener("error", () => reject(new TypeError("The upload failed.")));
      xhr.addEventListener("abort", () => reject(signal?.reason));
      xhr.addEventListener("loadend", () => signal?.removeEventListener("abort", stop));
      signal?.addEventListener("abort", stop);
      xhr.send(body as XMLHttpRequestBodyInit | null);
    });
