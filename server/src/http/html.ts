// Writes HTML so that a page cannot forget to escape: whatever is put into `html` is text, unless `html` made it.

const made = Symbol("made by html");

/** Markup that {@link html} made; nothing else can make it. */
export interface Markup {
  readonly [made]: string;
}

/** What may stand in a template. Text is escaped; null, undefined and false are left out. */
export type Fill = string | number | Markup | readonly Fill[] | null | undefined | false;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function write(fill: Fill): string {
  if (typeof fill === "string") return fill.replace(/[&<>"']/g, (character) => entities[character] ?? "");
  if (typeof fill === "number") return String(fill);
  if (fill === null || fill === undefined || fill === false) return "";
  return made in fill ? fill[made] : fill.map(write).join("");
}

/**
 * Tagged template for HTML. Fills are escaped for text and for quoted attribute values, so attributes in a template
 * must stand in quotes; a fill never belongs into a script, a style or an unquoted attribute.
 */
export function html(parts: TemplateStringsArray, ...fills: readonly Fill[]): Markup {
  return { [made]: parts.reduce((markup, part, index) => markup + write(fills[index - 1]) + part) };
}

/** The markup as a string, for whoever sends it. */
export const render = (markup: Markup): string => markup[made];
