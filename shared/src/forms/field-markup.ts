// One field of a form as HTML: label, hint, control, problem, note. Hint, problem and note always have their places, so
// that a script only fills them.
import { positionField } from "../application-fields.ts";
import { otherPosition, otherPositionField } from "../hidden-fields.ts";
import type { FormField } from "./form-fields.ts";
import type { FormState, PackageChoice } from "./form-state.ts";
import type { FormStrings } from "./form-strings.ts";
import { html, type Fill, type Markup } from "../html.ts";
import { issueOf, wordsOf, type WordedIssue } from "./issue-words.ts";

/** A field in its place, with its value and its problem. */
export function fieldMarkup(field: FormField, state: FormState, issues: readonly WordedIssue[]): Markup {
  const { name, id, kind, half, rule } = field;
  const { strings, values, packages } = state;
  const problem = issueOf(issues, name);
  const words = wordsOf(field, strings);
  const given = Object.hasOwn(values, name) ? values[name] : undefined;
  const value = given ?? field.value ?? "";
  if (kind === "hidden") return html`<input type="hidden" name="${name}" value="${[value].flat().join(", ")}" />`;
  if (kind === "packages" && packages?.length === 0)
    return html`${[value].flat().map((one) => html`<input type="hidden" name="${name}" value="${one}" />`)}`;
  const hint = kind === "packages" && packages === null ? strings.packagesTyped : words.hint;
  const label = html`${words.label}${!rule?.required && html` <span class="optional" part="optional">(${strings.optional})</span>`}`;
  const hinted = hint && html`<p class="hint" part="hint" id="${id}-hint">${hint}</p>`;
  // A file is checked as soon as it is chosen, so its problem is announced. Other problems get the focus.
  const errorState = html` id="${id}-error"${kind === "file" && html` role="alert"`}${!problem && html` hidden`}`;
  const error = html`<p class="error" part="error" ${errorState}>${problem}</p>`;
  // A suggestion for an address, or the length of a long text.
  const noted = kind === "email" || kind === "paragraphs";
  const note = noted && html`<p class="note" part="note" id="${id}-note" hidden></p>`;
  const described = html` aria-describedby="${hint && `${id}-hint `}${noted && `${id}-note `}${id}-error"`;
  const classes = `field ${kind}${half ? " half" : ""}`;
  if (kind === "packages" && packages !== null)
    return html`<fieldset class="${classes}" part="field" id="${id}" tabindex="-1" data-field="${name}" ${described}>
      <legend part="label">${label}</legend>
      ${hinted}${error}${boxes(field, packages ?? [], [value].flat(), problem)}
    </fieldset>`;
  const attributes = html` id="${id}" name="${name}"${described}${problem && html` aria-invalid="true"`}`;
  if (kind === "checkbox") {
    const choice = { id: field.value ?? "yes", title: label };
    const box = boxes(field, [choice], given === undefined ? [] : [choice.id], problem);
    return html`<div class="${classes}" part="field" data-field="${name}">${box}${error}</div>`;
  }
  const { openings } = state;
  if (name === positionField && openings?.length) {
    const text = String(value);
    const chosen = openings.find((one) => one.id === text || one.title === text)?.id ?? (text && otherPosition);
    const choices = [...openings, { id: otherPosition, title: strings.other }];
    const other = chosen === otherPosition && text !== otherPosition ? text : "";
    // The style shows the second control once the last line of the list is chosen.
    return html`<div class="field choice" part="field" data-field="${name}">
      <label for="${id}" part="label">${label}</label>${list(attributes, choices, chosen, strings)}
      <input part="input" name="${otherPositionField}" aria-label="${strings.otherPosition}" value="${other}" />${error}
    </div>`;
  }
  // Below the control, so that the controls of a pair stay side by side.
  return html`<div class="${classes}" part="field" data-field="${name}">
    <label for="${id}" part="label">${label}</label
    >${hinted}${control(field, attributes, [value].flat().join("\n"), strings)}${error}${note}
  </div>`;
}

function control(field: FormField, attributes: Markup, value: string, strings: FormStrings): Fill {
  const { kind, rule, autocomplete, words } = field;
  // The service leaves out what is longer in a field of the page's own.
  const max = words && kind !== "select" && html` maxlength="${rule?.lengthMax}"`;
  const more = html`${attributes}${max}${rule?.required && html` required`}${autocomplete && html` autocomplete="${autocomplete}"`}
  ${(kind === "email" || kind === "packages") && html` spellcheck="false" autocapitalize="off"`}`;
  if (kind === "file") return fileControl(more, strings);
  if (kind === "select") return list(more, field.options ?? [], value, strings);
  // A parser drops the first line break of a text area, so the markup has one more.
  if (kind === "paragraphs" || kind === "packages")
    return html`<textarea part="input" rows="${kind === "packages" ? 3 : 7}" ${more}>${"\n"}${value}</textarea>`;
  return html`<input part="input" type="${kind}" ${more} value="${value}" />`;
}

const list = (attributes: Markup, options: readonly PackageChoice[], value: string, strings: FormStrings): Markup =>
  html`<select part="input" ${attributes}>
    <option value="">${strings.choose}</option>
    ${options.map(({ id, title }) => html`<option value="${id}" ${id === value && html` selected`}>${title}</option>`)}
  </select>`;

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

/** Boxes to tick: the catalogue, or the one of a field of the page's own. */
const boxes = (
  { name, id: field, kind, rule }: FormField,
  choices: readonly { readonly id: string; readonly title: Fill }[],
  ticked: readonly string[],
  problem?: string,
): Markup =>
  html`<div class="boxes">
    ${choices.map(
      ({ id, title }, index) =>
        html`<label class="box" part="package"
          ><input
            type="checkbox"
            part="checkbox"
            id="${field}-${index}"
            name="${name}"
            value="${id}"
            ${kind === "checkbox" && rule?.required && html` required`}
            ${ticked.includes(id) && html` checked`}${problem && html` aria-invalid="true"`}
            aria-describedby="${field}-error"
          />
          <span>${title}</span></label
        >`,
    )}
  </div>`;
