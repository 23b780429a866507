// How wide the window is, where the style sheets alone cannot say what is shown.
import { useSyncExternalStore } from "react";

function mediaHook(query: string): () => boolean {
  const list = matchMedia(query);
  const subscribe = (listener: () => void) => {
    list.addEventListener("change", listener);
    return () => list.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => list.matches);
}

/** Room for the list beside a submission. */
export const useWide = mediaHook("(min-width: 68rem)");
/** The side bar is a menu. */
export const usePhone = mediaHook("(max-width: 47.9375rem)");
