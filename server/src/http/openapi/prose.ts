// Renders the little markup that the document's descriptions use: paragraphs, and code between backticks.
import { html, type Markup } from "@submissions/shared/html";

/** A line of text with its code set as code. */
export const withCode = (text: string): Markup =>
  html`${text.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** Paragraphs. */
export const prose = (text: string): Markup =>
  html`${text.split("\n\n").map((paragraph) => html`<p>${withCode(paragraph)}</p>`)}`;
