// The search of the inbox: names, addresses and companies as it is typed, and whole letters on Enter.
import { useEffect, useRef, useState, type RefObject } from "react";
import { changed, type InboxSearch } from "../inbox-search.ts";
import { Icon } from "../parts/icons.tsx";

/** The list is asked for once typing pauses. */
const pauseMs = 200;

interface Props {
  readonly search: InboxSearch;
  readonly onChange: (search: InboxSearch, replace: boolean) => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

export function SearchBox({ search, onChange, input }: Props) {
  const shown = search.q ?? search.letter ?? "";
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(shown);
  // The address changed in another way, with the Back button for example.
  useEffect(() => {
    if (shown !== sent.current) setText(shown);
    sent.current = shown;
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next.trim() === "" ? "" : next;
      onChange(changed(search, { q: next.trim() === "" ? undefined : next, letter: undefined }), true);
    }, pauseMs);
  };
  const searchLetters = () => {
    clearTimeout(timer.current);
    const words = text.trim();
    sent.current = words;
    onChange(changed(search, { q: undefined, letter: words === "" ? undefined : words }), false);
  };
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        searchLetters();
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        placeholder="Name, address, company"
        title="Press Enter to search whole letters as well"
        value={text}
        maxLength={200}
        onChange={(event) => change(event.target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
