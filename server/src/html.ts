// Writes HTML so that a template cannot forget to escape: whatever is put into `html` is text, unless `html` made it.

const made = Symbol("made by html");

/** Markup that {@link html} made, or {@link escapedElsewhere} vouches for; nothing else can make it. */
export interface Markup {
  readonly [made]: string;
}

/** What may stand in a template. Text is escaped; null, undefined and false are left out. */
export type Fill = string | number | Markup | readonly Fill[] | null | undefined | false;

const special = /[&<>"']/g;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escape = (text: string) => text.replace(special, (character) => entities[character]!);

const isMarkup = (fill: object): fill is Markup => made in fill;

function write(fill: Fill): string {
  if (typeof fill === "string") return escape(fill);
  if (fill === null || fill === undefined || fill === false) return "";
  if (typeof fill === "number") return String(fill);
  if (isMarkup(fill)) return fill[made];
  return fill.map(write).join("");
}

// The layout of the source is for its readers; a mail carries single line breaks in its place. Only what stands in a
// template is touched, never a fill.
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>();

function compact(parts: TemplateStringsArray): readonly string[] {
  const known = compacted.get(parts);
  if (known) return known;
  const short = parts.map((part) => part.replace(/\s*\n\s*/g, "\n"));
  compacted.set(parts, short);
  return short;
}

/**
 * Tagged template for HTML. Fills are escaped for text and for quoted attribute values, so attributes in a template
 * must stand in quotes; a fill never belongs into a script, a style or an unquoted attribute.
 */
export function html(parts: TemplateStringsArray, ...fills: readonly Fill[]): Markup {
  const written = compact(parts);
  let markup = written[0]!;
  for (let index = 0; index < fills.length; index += 1) markup += write(fills[index]) + written[index + 1]!;
  return { [made]: markup };
}

/** Markup of others who escape as carefully: the templates of the forms, which browsers run too. Never anything typed. */
export const escapedElsewhere = (markup: string): Markup => ({ [made]: markup });

/** The markup as a string, for whoever sends it. */
export const render = (markup: Markup): string => markup[made];
