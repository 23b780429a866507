// The text of a search box. The address holds what is searched for, and it changes in other ways too: with the Back button
// or by a link.
import { useEffect, useRef, useState } from "react";

/** The list is asked for once typing pauses. */
const pauseMs = 200;

/**
 * @param shown what the address says
 * @param onPause told of what was typed, without spaces around it
 */
export function useTypedSearch(shown: string, onPause: (words: string) => void) {
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(shown);
  // Filters may change while typing pauses.
  const latest = useRef(onPause);
  useEffect(() => {
    latest.current = onPause;
  });
  useEffect(() => {
    if (shown !== sent.current) {
      clearTimeout(timer.current);
      setText(shown);
    }
    sent.current = shown;
  }, [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return {
    text,
    onType(next: string): void {
      setText(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        sent.current = next.trim();
        latest.current(sent.current);
      }, pauseMs);
    },
    /** Takes what was typed at once. */
    take(): string {
      clearTimeout(timer.current);
      return (sent.current = text.trim());
    },
  };
}
