// The surroundings of a form in its shadow root: its style, and what the server has written.
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import { formStyle } from "@submissions/shared/forms/form-style";

let sheet: CSSStyleSheet | undefined;

/** Gives a shadow root the style of the forms, unless the server has linked it. All forms of a page share one sheet. */
export function style(root: ShadowRoot): void {
  if (root.querySelector("link[rel=stylesheet]")) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(formStyle);
  }
  root.adoptedStyleSheets = [sheet];
}

/** The packages in a form that the server wrote: a list, any (null), or unknown (undefined). */
export function packagesIn(frame: HTMLElement): readonly PackageChoice[] | null | undefined {
  const boxes = [...frame.querySelectorAll<HTMLInputElement>(".box input")];
  if (boxes.length > 0)
    return boxes.map(({ value, labels }) => ({ id: value, title: labels?.[0]?.innerText ?? value }));
  return frame.querySelector(".packages textarea") ? null : undefined;
}
