// How a notice lists what a stranger sent: label and value, as text and as HTML. Values are shown as they are and never
// made into links. It knows nothing of what the facts are.
import { html, type Markup } from "@submissions/shared/html";

/** One fact of a notice: what it is called and what was sent. */
export interface Fact {
  readonly label: string;
  readonly value: string | readonly string[];
}

// Direction is the value's own: a name in Arabic beside a label in English.
const factLine = (value: string) =>
  html`<div dir="auto" style="text-align:start;overflow-wrap:anywhere;word-break:break-word">${value}</div>`;

/** Facts one below the other. Values are a stranger's text: shown as they are, never made into links. */
export const factList = (facts: readonly Fact[]): Markup =>
  html`<dl style="margin:0 0 8px">
    ${facts.map(
      ({ label, value }) =>
        html` <dt class="soft" style="font-size:13px;color:#4b5563">${label}</dt>
          <dd style="margin:0 0 12px">${(typeof value === "string" ? [value] : value).map(factLine)}</dd>`,
    )}
  </dl>`;

/** Facts in the text part. A value stays on its line, so that it cannot pass for another fact. */
export const factLines = (facts: readonly Fact[]): string[] =>
  facts.flatMap(({ label, value }) =>
    typeof value === "string"
      ? [`${label}: ${oneLine(value)}`]
      : [`${label}:`, ...value.map((item) => `  - ${oneLine(item)}`)],
  );

// U+2028 and U+2029 pass for text in a field and break the line on the screen.
const oneLine = (text: string) => text.replace(/[\u2028\u2029]/g, " ");

/** What the team should know of the address beside it; nothing, most of the time. */
export const emailNote = ({ emailDisposable = false }: { readonly emailDisposable?: boolean }): Fact[] =>
  emailDisposable ? [{ label: "Note", value: "The e-mail address is at a host of throw-away addresses." }] : [];

/** `120 KB`, `4.9 MB`; binary multiples, as file managers show them. */
export const fileSize = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** `2026-11-21 09:30 UTC`. */
export const utcMinute = (epochMs: number): string =>
  `${new Date(epochMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
