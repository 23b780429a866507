// The one way to write HTML, for forms, pages and mails: a template cannot forget to escape. Small, because browsers
// load it.

/** Markup that {@link html} wrote. It is not escaped again. */
export class Markup {
  /** The markup, ready to send. */
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. Text is escaped, lists are joined; null, undefined and false are left out. */
export type Fill = string | number | Markup | readonly Fill[] | null | undefined | false;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function write(fill: Fill): string {
  if (typeof fill === "string") return fill.replace(/[&<>"']/g, (special) => entities[special]!);
  if (fill === null || fill === undefined || fill === false) return "";
  if (fill instanceof Markup) return fill.text;
  return typeof fill === "number" ? `${fill}` : fill.map(write).join("");
}

// The static parts of each template without its indentation, computed once. A fill keeps its white space.
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>();

function compact(parts: TemplateStringsArray): readonly string[] {
  const short = parts.map((part) => part.replace(/\s*\n\s*/g, "\n"));
  compacted.set(parts, short);
  return short;
}

/**
 * Tagged template for HTML. Fills are escaped for text and for quoted attribute values. So attributes must stand in
 * quotes, and no fill belongs into a script, a style or an unquoted attribute.
 */
export function html(parts: TemplateStringsArray, ...fills: readonly Fill[]): Markup {
  const fixed = compacted.get(parts) ?? compact(parts);
  let text = fixed[0]!;
  for (let index = 0; index < fills.length; index += 1) text += write(fills[index]) + fixed[index + 1]!;
  return new Markup(text);
}
