// Short messages at the bottom of the page: what was done and can be undone, and what did not work.
import { useSyncExternalStore } from "react";
import { messageOf } from "../calls.ts";
import { Icon } from "./icons.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly undo?: () => void;
}

const shownMs = 8_000;

let toasts: readonly Toast[] = [];
let latestId = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const remove = (id: number) => put(toasts.filter((toast) => toast.id !== id));

/** Shows a message for 8 s. `undo`: offered beside it, and on z, as long as it is shown. */
export function showToast(
  text: string,
  { tone = "plain", undo }: { tone?: Toast["tone"]; undo?: () => void } = {},
): void {
  const id = ++latestId;
  // One offer at a time, so that it is clear what z undoes.
  const others = toasts.filter((toast) => undo === undefined || toast.undo === undefined).slice(-2);
  put([...others, { id, text, tone, ...(undo && { undo }) }]);
  setTimeout(() => remove(id), shownMs);
}

/** Says what was not done because a call failed. */
export const showFailure = (what: string, error: unknown): void =>
  showToast(`${what} ${messageOf(error)}`, { tone: "bad" });

/** Undoes what the newest message offers. */
export function undoLatest(): void {
  const toast = toasts.findLast(({ undo }) => undo !== undefined);
  if (toast === undefined) return;
  remove(toast.id);
  toast.undo?.();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text, tone, undo }) => (
        <div key={id} className={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <button type="button" className="link" onClick={undoLatest}>
              Undo <kbd>z</kbd>
            </button>
          )}
          <button type="button" className="bare" aria-label="Close" onClick={() => remove(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
