// Which rows are selected, and which row the keyboard stands on.
import { useCallback, useEffect, useRef, useState } from "react";

/** The row that the keyboard stands on is the one that has the focus. */
const rowLinks = () => [...document.querySelectorAll<HTMLElement>(".rows [data-reference]")];

export const referenceAtCursor = (): string | undefined =>
  document.activeElement?.closest(".row")?.querySelector<HTMLElement>("[data-reference]")?.dataset["reference"];

/** Puts the keyboard on a row. */
export function goToRow(reference: string | undefined): void {
  const link = rowLinks().find(({ dataset }) => dataset["reference"] === reference);
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}

/** Moves by a number of rows. It stops at both ends. */
export function moveCursor(by: 1 | -1, from = referenceAtCursor()): void {
  const references = rowLinks().map(({ dataset }) => dataset["reference"]);
  const at = references.indexOf(from);
  goToRow(references[at < 0 ? 0 : Math.min(Math.max(at + by, 0), references.length - 1)]);
}

export function useSelection(references: readonly string[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef<string>(undefined);
  const order = useRef(references);
  order.current = references;

  const select = useCallback((reference: string, range: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      const from = range && anchor.current !== undefined ? order.current.indexOf(anchor.current) : -1;
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
    if (none && document.activeElement === document.body) goToRow(anchor.current);
  }, [none]);
  return { selected, select, clear, selectAll };
}
