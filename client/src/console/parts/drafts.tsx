// Texts that are being written, by what they belong to. They survive going to another page, a reload and the end of the
// session, and are forgotten at a sign-out and where what they belong to is erased: they hold words about persons.
import { useState } from "react";
import { useMe } from "../operators.ts";

const prefix = "console.draft ";
const nameOf = (owner: string, key: string) => `${prefix}${owner} ${key}`;

/** The text, how to change it, and how to read it later: it may have been changed meanwhile, or elsewhere. */
export function useDraft(key: string): readonly [string, (text: string) => void, () => string] {
  const name = nameOf(useMe().email, key);
  const read = () => localStorage.getItem(name) ?? "";
  const [text, setText] = useState(read);
  const write = (next: string) => {
    setText(next);
    if (next === "") localStorage.removeItem(name);
    else localStorage.setItem(name, next);
  };
  return [text, write, read];
}

/** Forgets the drafts that a submission has, of all operators of this browser. */
export const forgetDraftsOf = (reference: string): void => forget((name) => name.endsWith(` ${reference}`));

/** Forgets all drafts but those of an operator. */
export const forgetDrafts = (but?: string): void =>
  forget((name) => but === undefined || !name.startsWith(nameOf(but, "")));

function forget(which: (name: string) => boolean): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  for (const name of names) if (which(name)) localStorage.removeItem(name);
}
