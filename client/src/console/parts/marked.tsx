// A text with the words of a search marked.
const word = /[\p{L}\p{N}]+/gu;
const plain = (text: string) =>
  text
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036F]/g, "")
    .toLowerCase();

/** In characters, before the first word that is marked. */
const leadMax = 40;

interface Props {
  readonly text: string;
  /** What is searched for. Of its last word the beginning is enough where `typed` is set. */
  readonly search: string | undefined;
  readonly typed?: boolean;
}

export function Marked({ text, search, typed = false }: Props) {
  const words: readonly string[] = plain(search ?? "").match(word) ?? [];
  if (words.length === 0) return text;
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.normalize("NFC").matchAll(word)) {
    const one = plain(found);
    if (!words.includes(one) && !(typed && one.startsWith(words.at(-1) ?? ""))) continue;
    // What stands long before the first one would leave no room for it.
    const from = end === 0 && index > leadMax ? text.indexOf(" ", index - leadMax) : 0;
    parts.push(from > 0 ? "…" : "", text.slice(Math.max(from, end), index), <mark key={index}>{found}</mark>);
    end = index + found.length;
  }
  return [...parts, text.slice(end)];
}
