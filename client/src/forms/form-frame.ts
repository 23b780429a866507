// What surrounds a form in its shadow root: its style, and what the server has written around it.
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import { formStyle } from "@submissions/shared/forms/form-style";

let sheet: CSSStyleSheet | undefined;

/** Gives a shadow root the forms' style, unless the server has linked it there. One sheet serves all forms of a page. */
export function style(root: ShadowRoot): void {
  if (root.querySelector("link[rel=stylesheet]")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(formStyle);
  }
  root.adoptedStyleSheets = [sheet];
}

/** What the server offers in a form that it wrote: packages, any (null), or nobody knows. */
export function packagesIn(frame: HTMLElement): readonly PackageChoice[] | null | undefined {
  const boxes = [...frame.querySelectorAll<HTMLInputElement>(".box input")];
  if (boxes.length > 0)
    return boxes.map(({ value, labels }) => ({ id: value, title: labels?.[0]?.innerText ?? value }));
  return frame.querySelector(".packages textarea") ? null : undefined;
}
