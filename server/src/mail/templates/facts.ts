// How a notice lists what a stranger sent: label and value, as text and as HTML. Values are shown as they are and never
// made into links.
import { html, type Markup } from "@submissions/shared/html";
import { frame } from "./frame.ts";

/** One fact of a notice: what it is called and what was sent. */
export interface Fact {
  readonly label: string;
  readonly value: string | readonly string[];
}

const factFrame = frame<"label" | "lines">(
  (slot) =>
    html`<dt class="soft" style="font-size:13px;color:#4b5563">${slot("label")}</dt>
      <dd style="margin:0 0 12px">${slot("lines")}</dd>`,
);
// Direction is the value's own: a name in Arabic beside a label in English.
const lineFrame = frame<"value">(
  (slot) =>
    html`<div dir="auto" style="text-align:start;overflow-wrap:anywhere;word-break:break-word">${slot("value")}</div>`,
);

/** Facts one below the other, for the inside of a `dl`. */
export const factItems = (facts: readonly Fact[]): readonly Markup[] =>
  facts.map(({ label, value }) => {
    const lines = typeof value === "string" ? lineFrame({ value }) : value.map((item) => lineFrame({ value: item }));
    return factFrame({ label, lines });
  });

/** Facts in the text part. A value stays on its line, so that it cannot pass for another fact. */
export const factLines = (facts: readonly Fact[]): string[] =>
  facts.flatMap(({ label, value }) =>
    typeof value === "string"
      ? [`${label}: ${oneLine(value)}`]
      : [`${label}:`, ...value.map((item) => `  - ${oneLine(item)}`)],
  );

// U+2028 and U+2029 pass for text in a field and break the line on the screen.
const oneLine = (text: string) => text.replace(/[\u2028\u2029]/g, " ");

/** What a notice holds beside the submission. */
export interface NoticeFacts {
  readonly brand: string;
  readonly consoleUrl: string;
  /** Whether the submitter's address is at a host of throw-away addresses. */
  readonly isDisposable: boolean;
}

/** A fact that may be absent. */
export const optional = (label: string, value: string | null): Fact[] => (value === null ? [] : [{ label, value }]);

/** What the team should know of the address beside it; nothing, most of the time. */
export const emailNote = (isDisposable: boolean): Fact[] =>
  isDisposable ? [{ label: "Note", value: "The e-mail address is at a host of throw-away addresses." }] : [];

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
