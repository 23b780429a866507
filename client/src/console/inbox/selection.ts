// Which rows are selected, and which row the keyboard stands on.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

/** What the rows of a list tell of themselves. */
export interface RowFocus {
  /** The link of a row, which takes the keyboard; null when it is gone. */
  register(reference: string, link: HTMLElement | null): void;
  onFocus(reference: string): void;
  onBlur(): void;
}

/** The row that the keyboard stands on is the one that has the focus. */
export function useCursor(references: readonly string[]) {
  const links = useRef(new Map<string, HTMLElement>());
  const focused = useRef<string>(undefined);

  const rowFocus = useMemo<RowFocus>(
    () => ({
      register: (reference, link) => {
        if (link !== null) links.current.set(reference, link);
        else links.current.delete(reference);
      },
      onFocus: (reference) => void (focused.current = reference),
      onBlur: () => void (focused.current = undefined),
    }),
    [],
  );

  /** Puts the keyboard on a row. */
  const goTo = useCallback((reference: string | undefined) => {
    const link = links.current.get(reference ?? "");
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: "nearest" });
  }, []);

  // A browser says nothing when a row that has the focus is gone.
  const current = () => references.find((reference) => reference === focused.current && links.current.has(reference));

  /** Moves by a row, and stops at both ends. */
  const move = (by: 1 | -1) => {
    const at = references.indexOf(current() ?? "");
    goTo(references[at < 0 ? 0 : Math.min(Math.max(at + by, 0), references.length - 1)]);
  };
  return { rowFocus, goTo, current, move };
}

/** @param goTo puts the keyboard on a row */
export function useSelection(references: readonly string[], goTo: (reference: string | undefined) => void) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>(undefined);
  const order = useRef(references);
  order.current = references;

  const select = useCallback((reference: string, range: boolean) => {
    const from = range && anchor.current !== undefined ? order.current.indexOf(anchor.current) : -1;
    setSelected((before) => {
      const next = new Set(before);
      if (from >= 0) {
        const to = order.current.indexOf(reference);
        for (const one of order.current.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one);
      } else if (!next.delete(reference)) next.add(reference);
      return next;
    });
    if (!range) anchor.current = reference;
  }, []);
  const clear = useCallback(() => setSelected((before) => (before.size === 0 ? before : new Set())), []);
  const selectAll = useCallback(() => setSelected(new Set(order.current)), []);
  const none = selected.size === 0;
  useEffect(() => {
    // What changes the selected ones is gone, and with it the button that had the focus.
    if (none && document.activeElement === document.body) goTo(anchor.current);
  }, [none, goTo]);
  return { selected, select, clear, selectAll };
}
