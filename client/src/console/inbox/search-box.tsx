// The search of the inbox: names, addresses and companies as it is typed, and whole letters on Enter.
import type { RefObject } from "react";
import { changed, type InboxSearch } from "../inbox-search.ts";
import { Icon } from "../parts/icons.tsx";
import { useTypedSearch } from "../parts/typed-search.ts";

interface Props {
  readonly search: InboxSearch;
  readonly onChange: (search: InboxSearch, replace: boolean) => void;
  readonly input: RefObject<HTMLInputElement | null>;
}

export function SearchBox({ search, onChange, input }: Props) {
  const { text, onType, take } = useTypedSearch(search.q ?? search.letter ?? "", (words) =>
    onChange(changed(search, { q: words || undefined, letter: undefined }), true),
  );
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(changed(search, { q: undefined, letter: take() || undefined }), false);
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
        onChange={(event) => onType(event.target.value)}
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}
