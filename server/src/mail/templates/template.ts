// Templates of mails. Each is cut up at its places once, when the service starts, and a mail is the joining of a few pieces:
// at thousands of mails a second, writing them anew took a tenth of the service's time.
import { Markup, writeFill, type Fill } from "@submissions/shared/html";

type Fills<Place extends string, Value> = Readonly<Record<Place, Value>>;

/** A place in a template, for what is known only when the mail is written. */
export const placeOf = (name: string): string => `\0${name}\0`;

function cut<Value>(text: string, write: (fill: Value) => string): (fills: Fills<string, Value>) => string {
  // What is fixed, and after each piece of it the name of a place.
  const pieces = text.split(/\0(\w+)\0/);
  // Joined, so that the mail is one piece for JSON too: V8 keeps a sum of strings as a tree of its parts.
  return (fills) => pieces.map((piece, at) => (at % 2 === 0 ? piece : write(fills[piece]!))).join("");
}

/** Makes a text with places into a function of what stands in them. */
export const textTemplate = (text: string) => cut<string>(text, (fill) => fill);

/** Makes markup with places into a function of what stands in them, which is escaped as in `html`. */
export function template<Place extends string>(
  write: (place: (name: Place) => Markup) => Markup,
): (fills: Fills<Place, Fill>) => Markup {
  const fill = cut(write((name) => new Markup(placeOf(name))).text, writeFill);
  return (fills) => new Markup(fill(fills));
}

/** The same for markup of ours: it has none of the double quotes and line breaks that JSON escapes one by one. */
export const frame = <Place extends string>(write: (place: (name: Place) => Markup) => Markup) =>
  template<Place>((place) => {
    const { text } = write(place);
    if (text.includes("'")) throw new Error("A template of a mail holds a single quote.");
    return new Markup(text.replaceAll('"', "'").replaceAll("\n", " "));
  });
