// Reduces the source of a newsletter subscription to a label that can be counted. A source is never refused: every value
// has a label.
import { textLengthMax } from "./limits.ts";
import { isNormalisable, percentDecoded, trimmed } from "./text.ts";

/** The label of a source without letters and digits, or with an e-mail address in it. */
export const unknownSource = "unknown";

/**
 * The label of a source: lower-case letters and digits, single dashes between them, at most 64 code points.
 *
 * A text is NFKC-normalised; each run of other characters becomes one `-`. Of a URL or a path only the first path segment
 * is kept, because query strings may hold personal data. A text that looks like an e-mail address, has no letter or digit,
 * or is longer than 4,096 code units, also once it is normalised, becomes `unknown`, and so does any other value.
 */
export function normaliseSource(raw: unknown): string {
  if (typeof raw !== "string" || raw.length > textLengthMax.sourceRead) return unknownSource;
  const value = readable(raw);
  if (looksLikeEmail(value)) return unknownSource;
  const label = value
    .toLowerCase()
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  const cut = Array.from(label).slice(0, textLengthMax.source).join("").replace(/-$/, "");
  return cut === "" ? unknownSource : cut;
}

// Decoding a path may reveal another at sign, or more combining marks, so it is normalised again.
function readable(raw: string): string {
  const text = trimmed(compose(raw));
  return isUrlOrPath(text) ? compose(firstPathSegment(text)) : text;
}

// A text that cannot be normalised in linear time has no label. Normalised, some characters are 18: a batch of such texts
// would hold the event loop for a quarter of a second.
function compose(text: string): string {
  const composed = isNormalisable(text) ? text.normalize("NFKC") : "";
  return composed.length > textLengthMax.sourceRead ? "" : composed;
}

// An at sign may be percent-encoded, once or several times.
const atSign = /@|%(?:25)*40|%EF%(?:BC%A0|B9%AB)/i;

// Looks at the text behind each at sign once, so that thousands of at signs take linear time. With blanks around the sign
// the host must end in letters: "Tee @ No.5" is no address.
function looksLikeEmail(text: string): boolean {
  const parts = text.split(atSign);
  return parts.some((part, index) => {
    const before = parts[index - 1];
    if (before === undefined || before.trim() === "") return false;
    const host = /^\s*(\S*)/.exec(part)?.[1] ?? "";
    const isJoined = /\S$/.test(before.slice(-1)) && /^\S/.test(part);
    return (isJoined ? /^[^.\u3002]+[.\u3002]./u : /^[^.\u3002]+[.\u3002]\p{L}{2}/u).test(host);
  });
}

const isUrlOrPath = (text: string) => /^(?:[a-z][a-z0-9+.-]*:)?\/\/|^\//i.test(text);

function firstPathSegment(url: string): string {
  const path = url.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  const segment = path.split("/").find((part) => part !== "") ?? "";
  // A stray percent sign is punctuation like any other.
  return percentDecoded(segment) ?? segment;
}
