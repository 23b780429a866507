// Which rows are selected, and which row the keyboard stands on.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

/** The row that the keyboard stands on is the one that has the focus. */
export function useCursor(references: readonly string[]) {
  /** Puts the keyboard on a row. */
  const goTo = useCallback((reference: string | undefined) => {
    const link = document.querySelector<HTMLElement>(`.rows [data-reference="${reference}"]`);
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: "nearest" });
  }, []);
  const current = () =>
    document.activeElement?.closest(".row")?.querySelector<HTMLElement>("[data-reference]")?.dataset["reference"];
  /** Moves by a row, and stops at both ends. */
  const move = (by: 1 | -1) => {
    const at = references.indexOf(current() ?? "");
    goTo(references[at < 0 ? 0 : Math.min(Math.max(at + by, 0), references.length - 1)]);
  };
  return { goTo, current, move };
}

/** @param goTo puts the keyboard on a row */
export function useSelection(references: readonly string[], goTo: (reference: string | undefined) => void) {
  const [chosen, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Rows may leave the list, erased or on a page that is not loaded any more.
  const selected = useMemo(() => new Set(references.filter((one) => chosen.has(one))), [references, chosen]);
  /** Everything that the filter matches, loaded or not. */
  const [everything, setEverything] = useState(false);
  const anchor = useRef<string>(undefined);
  const order = useRef(references);
  order.current = references;

  const select = useCallback((reference: string, range: boolean) => {
    const from = range && anchor.current !== undefined ? order.current.indexOf(anchor.current) : -1;
    setEverything(false);
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
  const clear = useCallback(() => {
    setEverything(false);
    setSelected((before) => (before.size === 0 ? before : new Set()));
  }, []);
  const selectAll = () => setSelected(new Set(references));
  const selectEverything = () => setEverything(true);
  const none = selected.size === 0;
  useEffect(() => {
    // What changes the selected ones is gone, and with it the button that had the focus.
    if (none && document.activeElement === document.body) goTo(anchor.current);
  }, [none, goTo]);
  return { selected, everything, select, clear, selectAll, selectEverything };
}
