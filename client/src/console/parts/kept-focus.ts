// The keyboard keeps its place where an action takes it away: a button rests until its call is answered, and a row is gone
// with its buttons. The focus then comes back to the button, or goes on to what stands beside it.
import { queryClient } from "../calls.ts";

const focusable = "a[href], button, input, select, textarea, summary, [tabindex='0']";
/** What stands for itself above the page, and goes away as a whole. */
const above = "dialog, .toasts";
/** Effects that put the focus somewhere themselves come before. */
const laterMs = 50;

/** To be called once. */
export function keepFocus(): void {
  /** What had the focus last, and what it goes to instead, the nearest first. */
  let places: readonly HTMLElement[] = [];
  /** A key that is held would press the next button, too. */
  let isKeyDown = false;
  /** After a click the focus comes back to its button, and goes nowhere else. */
  let byKeyboard = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = () => {
    if (isKeyDown || document.activeElement !== document.body) return;
    // Switched off until its call is answered.
    if (places[0]?.isConnected && queryClient.isMutating() > 0) return;
    for (const place of byKeyboard ? places : places.slice(0, 1)) {
      if (!place.isConnected || !place.checkVisibility()) continue;
      place.focus({ preventScroll: true });
      if (document.activeElement === place) return;
    }
  };
  const lookLater = () => {
    clearTimeout(timer);
    timer = setTimeout(look, laterMs);
  };

  addEventListener("focusin", ({ target }) => {
    const place = target as HTMLElement;
    const around = place.closest(above);
    // Before it was where the focus goes back to.
    const before = around === null ? [] : places.filter((one) => !around.contains(one));
    const all = [
      ...(around ?? document.querySelector("main") ?? document.body).querySelectorAll<HTMLElement>(focusable),
    ];
    const isAfter = (one: Node) => (place.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    const near = [...all.filter(isAfter), ...all.filter((one) => one !== place && !isAfter(one)).toReversed()];
    const group = place.closest(".tags") ?? place.closest("form, li, tr") ?? place;
    const [inGroup, others] = [near.filter((one) => group.contains(one)), near.filter((one) => !group.contains(one))];
    places = [place, ...inGroup, ...others, ...before];
  });
  addEventListener("keydown", ({ key }) => {
    isKeyDown = true;
    byKeyboard = true;
    // It leaves a field.
    if (key === "Escape") places = [];
  });
  addEventListener("keyup", () => {
    isKeyDown = false;
    lookLater();
  });
  // A click beside everything leaves it, too.
  const leave = () => {
    places = [];
    byKeyboard = false;
  };
  addEventListener("pointerdown", leave, { capture: true });
  new MutationObserver(lookLater).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["disabled"],
  });
  queryClient.getMutationCache().subscribe(lookLater);
}
