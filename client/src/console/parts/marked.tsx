// A text with the words of a search marked.
import { beginningMin, placesOf } from "@submissions/shared/search-words";

/** In characters, before the first word that is marked. */
const leadMax = 20;

interface Props {
  readonly text: string;
  /** What is searched for. Of a name a shorter beginning is found. */
  readonly search: string | undefined;
  readonly isName?: boolean;
}

export function Marked({ text, search, isName = false }: Props) {
  const parts = [];
  let end = 0;
  for (const { from: index, to } of placesOf(search ?? "", text, beginningMin[isName ? "who" : "letter"])) {
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
