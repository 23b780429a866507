// One field of a form as HTML: label, hint, control, problem, note. Hint, problem and note always have their places, so
// that a script only fills them.
import type { FormField } from "./form-fields.ts";
import type { FormState, PackageChoice } from "./form-state.ts";
import type { FormStrings } from "./form-strings.ts";
import { html, type Fill, type Markup } from "../html.ts";
import { issueOf, type WordedIssue } from "./issue-words.ts";

/** A field in its place, with its value and its problem. */
export function fieldMarkup(field: FormField, state: FormState, issues: readonly WordedIssue[]): Markup {
  const { name, kind, half, rule } = field;
  const { strings, values, packages } = state;
  const problem = issueOf(issues, name);
  const words = strings.fields[name];
  const hint = kind === "packages" && packages === null ? strings.packagesTyped : words.hint;
  const label = html`${words.label}${!rule?.required && html` <span class="optional" part="optional">(${strings.optional})</span>`}`;
  const hinted = hint && html`<p class="hint" part="hint" id="${name}-hint">${hint}</p>`;
  // A file is checked as soon as it is chosen, so its problem is announced. Other problems get the focus.
  const errorState = html` id="${name}-error"${kind === "file" && html` role="alert"`}${!problem && html` hidden`}`;
  const error = html`<p class="error" part="error" ${errorState}>${problem}</p>`;
  // A suggestion for an address, or the length of a long text.
  const noted = kind === "email" || kind === "paragraphs";
  const note = noted && html`<p class="note" part="note" id="${name}-note" hidden></p>`;
  const described = html` aria-describedby="${hint && `${name}-hint `}${noted && `${name}-note `}${name}-error"`;
  const classes = `field ${kind}${half ? " half" : ""}`;
  const value = values[name] ?? "";
  if (kind === "packages" && packages !== null)
    return html`<fieldset class="${classes}" part="field" id="${name}" tabindex="-1" data-field="${name}" ${described}>
      <legend part="label">${label}</legend>
      ${hinted}${error}${boxes(packages, [value].flat(), problem)}
    </fieldset>`;
  const attributes = html` id="${name}" name="${name}"${described}${problem && html` aria-invalid="true"`}`;
  // Below the control, so that the controls of a pair stay side by side.
  return html`<div class="${classes}" part="field" data-field="${name}">
    <label for="${name}" part="label">${label}</label
    >${hinted}${control(field, attributes, [value].flat().join("\n"), strings)}${error}${note}
  </div>`;
}

function control(field: FormField, attributes: Markup, value: string, strings: FormStrings): Fill {
  const { kind, rule, autocomplete } = field;
  const more = html`${attributes}${rule?.required && html` required`}${autocomplete && html` autocomplete="${autocomplete}"`}
  ${(kind === "email" || kind === "packages") && html` spellcheck="false" autocapitalize="off"`}`;
  if (kind === "file") return fileControl(more, strings);
  // A parser drops the first line break of a text area, so the markup has one more.
  if (kind === "paragraphs" || kind === "packages")
    return html`<textarea part="input" rows="${kind === "packages" ? 3 : 7}" ${more}>${"\n"}${value}</textarea>`;
  return html`<input part="input" type="${kind}" ${more} value="${value}" />`;
}

// A file input. A script makes it a place where files can be dropped.
const fileControl = (attributes: Markup, strings: FormStrings): Markup =>
  html`<div class="drop" part="drop">
    <svg aria-hidden="true" viewBox="0 0 24 24" width="24" height="24">
      <path d="M12 16V4m0 0L7 9m5-5 5 5M4 15v3a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-3" />
    </svg>
    <span class="invitation" hidden><b>${strings.fileChoose}</b> <span>${strings.fileDrop}</span></span>
    <span class="chosen" part="file" hidden></span>
    <input type="file" part="file-input" ${attributes} accept=".pdf,.doc,.docx" />
    <button type="button" class="quiet" part="remove" data-do="remove" hidden></button>
  </div>`;

/** The catalogue as boxes to tick. */
export const boxes = (packages: readonly PackageChoice[], ticked: readonly string[], problem?: string): Markup =>
  html`<div class="boxes">
    ${packages.map(
      ({ id, title }, index) =>
        html`<label class="box" part="package"
          ><input
            type="checkbox"
            part="checkbox"
            id="selectedPackageIds-${index}"
            name="selectedPackageIds"
            value="${id}"
            ${ticked.includes(id) && html` checked`}${problem && html` aria-invalid="true"`}
            aria-describedby="selectedPackageIds-error"
          />
          <span>${title}</span></label
        >`,
    )}
  </div>`;
