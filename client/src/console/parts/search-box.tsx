// The search box of a list. / leads to it. The address holds what is searched for, and it changes in other ways too: with
// the Back button or by a link.
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.ts";

/** The list is asked for once typing pauses. */
const pauseMs = 200;

interface Props {
  /** What the address says. */
  readonly shown: string;
  /** Told of what was typed, without spaces around it, when typing pauses and on Enter. */
  readonly onPause: (words: string) => void;
  readonly placeholder: string;
  readonly maxLength: number;
  readonly children?: ReactNode;
}

export function SearchBox({ shown, onPause, children, ...attributes }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(shown);
  const sent = useRef(shown);
  const send = () => {
    sent.current = text.trim();
    onPause(sent.current);
  };
  const onTimer = useEffectEvent((pathname: string) => {
    if (text.trim() === sent.current) return;
    // Another page was opened while the words were typed. It stays.
    if (pathname === location.pathname) send();
    else setText(sent.current);
  });
  useEffect(() => {
    const timer = setTimeout(onTimer, pauseMs, location.pathname);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (shown !== sent.current) setText(shown);
    sent.current = shown;
  }, [shown]);
  useShortcuts({ "/": () => input.current?.focus() });
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        value={text}
        onChange={({ target }) => setText(target.value)}
        {...attributes}
      />
      {children}
    </form>
  );
}
