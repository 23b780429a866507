// A tag, in a colour of its own.
/** How many colours there are, `tag-0` and so on. A tag has the same one everywhere. */
const colours = 6;
export const colourOf = (tag: string): string =>
  `tag tag-${Array.from(tag).reduce((sum, sign) => (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973, 7) % colours}`;

export const Tag = ({ tag }: { readonly tag: string }) => <span className={colourOf(tag)}>{tag}</span>;
