// Writes the forms' markup so that nothing can be left unescaped. Small, because browsers load it.

/** Markup that {@link html} made: it is not escaped again. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: text is escaped, lists are joined, null, undefined and false are left out. */
export type Fill = string | number | Markup | readonly Fill[] | null | undefined | false;

const escaped = (text: string) => text.replace(/[&<>"']/g, (special) => `&#${special.charCodeAt(0)};`);

const written = (fill: Fill): string =>
  fill instanceof Markup
    ? fill.text
    : typeof fill === "object" && fill !== null
      ? fill.map(written).join("")
      : escaped(String(fill || fill === 0 ? fill : ""));

/** Tagged template for HTML. Attribute values must stand in quotes; no fill belongs into a script or a style. */
export const html = (parts: TemplateStringsArray, ...fills: readonly Fill[]): Markup =>
  new Markup(String.raw({ raw: parts }, ...fills.map(written)));
