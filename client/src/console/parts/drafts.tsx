// Texts that are being written, by what they belong to. They survive going to another page, a reload and the end of the
// session, and are forgotten at a sign-out and where what they belong to is erased: they hold words about persons.
import { useEffect, useState } from "react";
import { useMe } from "../operators.ts";

const prefix = "console.draft ";
export const draftName = (owner: string, key: string): string => `${prefix}${owner} ${key}`;

/** The text, how to change it, and how to read it later: it may have been changed meanwhile, or elsewhere. */
export function useDraft(key: string): readonly [string, (text: string) => void, () => string] {
  const name = draftName(useMe().email, key);
  const read = () => localStorage.getItem(name) ?? "";
  const [text, setText] = useState(read);
  const write = (next: string) => {
    setText(next);
    writeDraft(name, next);
  };
  // What is written or was sent elsewhere is shown here, too, so that it is not sent again. Null: it was only forgotten.
  useEffect(() => {
    const onStorage = ({ key: changed, newValue }: StorageEvent) => {
      if (changed === name && newValue !== null) setText(newValue);
    };
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, [name]);
  return [text, write, read];
}

/**
 * What the page showed when a text was sent, for as long as no answer to it came, also after a reload: the text may be
 * stored, and what came since is not seen. @param shown what the page shows now
 */
export function useSeen(key: string, shown: number) {
  const [before, write] = useDraft(key);
  const seen = before === "" ? shown : Number(before);
  return { seen, onSend: () => write(String(seen)), onAnswer: () => write("") };
}

/** The key of the words with which some submissions are declined. */
export const declineDraft = (references: readonly string[]): string => `decline ${references.join(" ")}`;

/** Keeps a draft, and shows it wherever it stands. Empty: there is none any more. */
export function writeDraft(name: string, newValue: string): void {
  localStorage.setItem(name, newValue);
  // Browsers tell other tabs only.
  dispatchEvent(new StorageEvent("storage", { key: name, newValue }));
  if (newValue === "") localStorage.removeItem(name);
}

/** Forgets the drafts that a submission has, alone or with others, of all operators of this browser. */
export const forgetDraftsOf = (reference: string): void => forget((name) => name.split(" ").includes(reference));

/** Forgets all drafts but those of an operator. */
export const forgetDrafts = (but?: string): void =>
  forget((name) => but === undefined || !name.startsWith(draftName(but, "")));

/** What an operator was offered to take back, and may be offered again after a reload. */
export const offersOf = (owner: string): readonly string[] => namesWith(draftName(owner, "undo "));

const namesWith = (beginning: string) => Object.keys(localStorage).filter((name) => name.startsWith(beginning));

function forget(which: (name: string) => boolean): void {
  for (const name of namesWith(prefix)) if (which(name)) localStorage.removeItem(name);
}
