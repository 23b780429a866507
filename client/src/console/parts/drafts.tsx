// Texts that are being written, by what they belong to: they survive going to another page, and end with the session.
import { createContext, use, useState, type ReactNode } from "react";

const DraftsContext = createContext<Map<string, string> | null>(null);

export function DraftsProvider({ children }: { readonly children: ReactNode }) {
  const [drafts] = useState(() => new Map<string, string>());
  return <DraftsContext value={drafts}>{children}</DraftsContext>;
}

/** The text, how to change it, and how to read it later: it may have been changed meanwhile, or elsewhere. */
export function useDraft(key: string): readonly [string, (text: string) => void, () => string] {
  const drafts = use(DraftsContext);
  const read = () => drafts?.get(key) ?? "";
  const [text, setText] = useState(read);
  const write = (next: string) => {
    setText(next);
    if (next === "") drafts?.delete(key);
    else drafts?.set(key, next);
  };
  return [text, write, read];
}
