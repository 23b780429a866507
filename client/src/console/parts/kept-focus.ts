// Keeps the focus for people who use the keyboard. A button that is disabled until its call is answered loses the focus, and
// so does one whose row is removed. The focus then returns to the button, or moves to the nearest control.
import { queryClient } from "../calls.ts";

const focusable = "a[href], button, input, select, textarea, summary, [tabindex='0']";
/** They lie above the page. When one closes, the focus returns to where it was before. */
const above = "dialog, .toasts";
/** Components that set the focus themselves do it sooner. */
const laterMs = 50;

/** To be called once. */
export function keepFocus(): void {
  /** The element that had the focus last, then those that it moves to instead, the nearest first. */
  let places: readonly HTMLElement[] = [];
  /** While a key is held the focus does not move: the key would press the next button, too. */
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
    // Escape leaves a field on purpose.
    if (key === "Escape") places = [];
  });
  addEventListener("keyup", () => {
    isKeyDown = false;
    lookLater();
  });
  // A click beside all controls leaves them on purpose, too.
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
