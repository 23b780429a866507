// Keyboard shortcuts of single keys. They rest while text is typed and while a dialog is open, and can be turned off
// (WCAG 2.1.4).
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** What is on in this browser until it is turned off. */
const setting = (key: string) => ({
  isOn: (): boolean => localStorage.getItem(key) !== "off",
  turn: (on: boolean): void => {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
    // Browsers tell other tabs only.
    dispatchEvent(new StorageEvent("storage", { key }));
  },
});

const { isOn: areShortcutsOn, turn: turnShortcuts } = setting("console.shortcuts");
const { isOn: isNextOpened, turn: turnOpenNext } = setting("console.open-next");
export { turnOpenNext, turnShortcuts };

const subscribe = (listener: () => void) => {
  addEventListener("storage", listener);
  return () => removeEventListener("storage", listener);
};

/** Whether the next submission opens after a reply was sent. */
export const useOpensNext = (): boolean => useSyncExternalStore(subscribe, isNextOpened);

export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, areShortcutsOn);

/** What the page does for a key; `shift+x` with the shift key. */
export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>;

const typing = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** Listens for keys as long as the component is shown. Where several know a key, a child gets it before its parent. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as Element;
    const inText = target.matches(typing);
    if (document.querySelector(":modal") !== null) return;
    // The browser closes what is open, and nothing else happens.
    if (event.key === "Escape" && document.querySelector(":popover-open") !== null) return;
    // Escape leaves a field. All other keys belong to it.
    if (inText) {
      if (event.key === "Escape" && !target.matches("select")) (target as HTMLElement).blur();
      return;
    }
    if (event.key !== "Escape" && !areShortcutsOn()) return;
    const name = event.shiftKey && /^[a-z]$/i.test(event.key) ? `shift+${event.key.toLowerCase()}` : event.key;
    const action = shortcuts[name];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** All shortcuts, for the help and for `aria-keyshortcuts`. */
export const shortcutHelp: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["j"], "Next submission"],
  [["k"], "Previous submission"],
  [["Enter"], "Open the submission"],
  [["e"], "Set to done and go to the next"],
  [["r"], "Reply"],
  [["h"], "Snooze"],
  [["a"], "Assign"],
  [["n"], "Write a note"],
  [["t"], "Add a tag"],
  [["s"], "Move to a stage"],
  [["d"], "Decline"],
  [["Ctrl", "Enter"], "Send and mark done"],
  [["Ctrl", "Shift", "Enter"], "Send"],
  [["x"], "Select"],
  [["Shift", "x"], "Select up to here"],
  [["Esc"], "Clear the selection, or go back to the list"],
  [["z"], "Undo"],
  [["/"], "Search"],
  [["?"], "Show these shortcuts"],
];
