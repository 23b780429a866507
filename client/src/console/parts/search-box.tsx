// The search box of a list. / leads to it.
import { useRef, type ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.ts";
import { useTypedSearch } from "./typed-search.ts";

interface Props {
  /** What the address says. */
  readonly shown: string;
  /** Told of what was typed, when typing pauses and on Enter. */
  readonly onPause: (words: string) => void;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly children?: ReactNode;
}

export function SearchBox({ shown, onPause, children, ...attributes }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const { text, onType, take } = useTypedSearch(shown, onPause);
  useShortcuts({ "/": () => input.current?.focus() });
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        onPause(take());
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        value={text}
        onChange={({ target }) => onType(target.value)}
        {...attributes}
      />
      {children}
    </form>
  );
}
