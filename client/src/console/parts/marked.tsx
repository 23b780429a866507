// A text with the words of a search marked.
import { placesOf } from "@submissions/shared/search-words";

/** In characters, before the first word that is marked. */
const leadMax = 40;

interface Props {
  readonly text: string;
  /** What is searched for. Of its last word the beginning is enough where `typed` is set. */
  readonly search: string | undefined;
  readonly typed?: boolean;
}

export function Marked({ text, search, typed = false }: Props) {
  const parts = [];
  let end = 0;
  for (const { from: index, to } of placesOf(search ?? "", text, typed)) {
    // Parts of what is written without spaces may overlap.
    if (index < end) continue;
    // What stands long before the first one would leave no room for it.
    const lead = end === 0 && index > leadMax ? index - leadMax : 0;
    const space = text.slice(lead, index).indexOf(" ");
    const from = lead > 0 && space > 0 ? lead + space : lead;
    parts.push(from > 0 ? "…" : "", text.slice(Math.max(from, end), index));
    parts.push(<mark key={index}>{text.slice(index, to)}</mark>);
    end = to;
  }
  return parts.length === 0 ? text : [...parts, text.slice(end)];
}
