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

/** A fill as it stands in a template: text escaped, lists joined. */
export function writeFill(fill: Fill): string {
  // Most texts hold nothing to escape, and the test is quicker than the replacement.
  if (typeof fill === "string")
    return /[&<>"']/.test(fill) ? fill.replace(/[&<>"']/g, (special) => entities[special]!) : fill;
  if (fill instanceof Markup) return fill.text;
  if (typeof fill === "number") return `${fill}`;
  return fill ? fill.reduce<string>((text, one) => text + writeFill(one), "") : "";
}

// The static parts of each template without its indentation, computed once. A fill keeps its white space.
const compacted = new WeakMap<TemplateStringsArray, readonly string[]>();

/**
 * Tagged template for HTML. Fills are escaped for text and for quoted attribute values. So attributes must stand in
 * quotes, and no fill belongs into a script, a style or an unquoted attribute.
 */
export function html(parts: TemplateStringsArray, ...fills: readonly Fill[]): Markup {
  let fixed = compacted.get(parts);
  if (!fixed) compacted.set(parts, (fixed = parts.map((part) => part.replace(/\s*\n\s*/g, "\n"))));
  return new Markup(fills.reduce<string>((text, fill, index) => text + writeFill(fill) + fixed[index + 1]!, fixed[0]!));
}
