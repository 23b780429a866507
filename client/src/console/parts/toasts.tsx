// Short messages at the bottom of the page: what was done and can be undone, and what did not work.
import { createContext, use, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { messageOf, queryClient } from "../calls.ts";
import { Icon } from "./icons.tsx";
import { useShortcuts } from "./shortcuts.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly undo?: (() => void) | undefined;
  /** Its offer to undo lasts for a time, whatever is done meanwhile. */
  readonly isTimed: boolean;
}

const shownMs = 8_000;

/** Whether the next action leaves it. */
const isLasting = ({ undo, isTimed }: Toast) => undo === undefined || isTimed;

interface Toasts {
  /** Shows a message for 8 s. One with `undo`, which is on z too, stays until the next action, or else for `forMs`. */
  readonly showToast: (
    text: string,
    options?: { readonly tone?: Toast["tone"]; readonly undo?: () => void; readonly forMs?: number },
  ) => void;
  /** Says what was not done because a call failed. */
  readonly showFailure: (what: string, error: unknown) => void;
}

const ToastsContext = createContext<Toasts>({ showToast: () => {}, showFailure: () => {} });

export const useToasts = (): Toasts => use(ToastsContext);

export function ToastsProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const latestId = useRef(0);
  const close = (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id));
  const calls = useMemo<Toasts>(() => {
    const showToast: Toasts["showToast"] = (
      text,
      { tone = "plain", undo, forMs = undo ? undefined : shownMs } = {},
    ) => {
      const toast = { id: ++latestId.current, text, tone, undo, isTimed: undo !== undefined && forMs !== undefined };
      // Nothing is said twice.
      const stays = (one: Toast) => (undo === undefined || isLasting(one)) && one.text !== text;
      const fits = (one: Toast, at: number, shown: readonly Toast[]) =>
        one.undo !== undefined || at >= shown.length - 2;
      setToasts((shown) => [...shown.filter(stays).filter(fits), toast]);
      // Without a time it stays until the next action.
      if (forMs !== undefined) setTimeout(close, forMs, toast.id);
    };
    return { showToast, showFailure: (what, error) => showToast(`${what} ${messageOf(error)}`, { tone: "bad" }) };
  }, []);
  const offer = toasts.findLast(({ undo }) => undo !== undefined);
  const undo = () => {
    if (offer === undefined) return calls.showToast("There is nothing to undo.");
    close(offer.id);
    offer.undo?.();
  };
  // Every change that is sent is an action.
  useEffect(
    () =>
      queryClient.getMutationCache().subscribe(({ type }) => {
        if (type === "added") setToasts((shown) => (shown.every(isLasting) ? shown : shown.filter(isLasting)));
      }),
    [],
  );
  useShortcuts({ z: undo });
  return (
    <ToastsContext value={calls}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, text, tone }) => (
          <div key={id} className={`toast ${tone}`}>
            <span>{text}</span>
            {/* One at a time, so that it is clear what z undoes. */}
            {id === offer?.id && (
              <button className="link" aria-keyshortcuts="z" onClick={undo}>
                Undo <kbd aria-hidden="true">z</kbd>
              </button>
            )}
            <button className="bare" aria-label="Close" onClick={() => close(id)}>
              <Icon name="close" size={14} />
            </button>
          </div>
        ))}
      </div>
    </ToastsContext>
  );
}
