// Where a newsletter subscriber came from, reduced to a label that can be counted. A source is never a reason to refuse
// a subscription: whatever comes in, a label comes out.
import { isNormalisable } from "./text.ts";
import { textLengthMax } from "./limits.ts";

/** The label of a source that says nothing, or says too much. */
export const unknownSource = "unknown";

/**
 * Reduces a source to letters and digits joined by single dashes, at most 64 code points.
 *
 * NFKC, lower case, every run of anything else becomes one `-`. Of a URL or path only the first path segment is kept, so
 * that query strings and the personal data in them are never stored; a value that looks like an e-mail address, or has
 * no letter or digit, becomes `unknown`.
 */
export function normaliseSource(raw: string): string {
  const text = compose(raw).trim();
  // Percent signs may have hidden a full-width at sign, or marks without end.
  const value = isUrlOrPath(text) ? compose(firstPathSegment(text)) : text;
  if (looksLikeEmail(value)) return unknownSource;
  const label = value
    .toLowerCase()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  const cut = Array.from(label).slice(0, textLengthMax.source).join("").replace(/-$/, "");
  return cut === "" ? unknownSource : cut;
}

// What cannot be normalised in reasonable time says nothing.
const compose = (text: string) => (isNormalisable(text) ? text.normalize("NFKC") : "");

// An at sign may still be percent-encoded: in text that is no URL, beside a stray percent sign, or because it was encoded
// twice. The bound keeps thousands of them from taking the square of their number.
const looksLikeEmail = (text: string) => /[^\s@](?:@|%(?:25)*40|%EF%BC%A0)[^\s@]{1,254}\.[^\s@]/iu.test(text);

const isUrlOrPath = (text: string) => /^(?:[a-z][a-z0-9+.-]*:)?\/\/|^\//i.test(text);

function firstPathSegment(url: string): string {
  const path = url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  const segment = path.split("/").find((part) => part !== "") ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    // URIError: a stray percent sign is punctuation like any other.
    return segment;
  }
}
