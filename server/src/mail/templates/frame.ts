// Templates of mails are written once. What does not change is kept as finished strings, and a mail costs the joining of
// a few of them: at thousands of mails a second, writing them took a tenth of the service's time.
import { html, Markup, type Fill } from "@submissions/shared/html";

/** Stands before and after the name of a slot. */
const cut = "\0";

/** A template in pieces: what is fixed, and the slots between, in their order. */
interface Pieces<Slot extends string> {
  /** One more than there are slots. */
  readonly fixed: readonly string[];
  readonly slots: readonly Slot[];
}

/**
 * Cuts a template where its fills go.
 *
 * @param write called once, here; puts each slot into its place
 */
export function pieces<Slot extends string>(write: (slot: (name: Slot) => Markup) => Markup): Pieces<Slot> {
  const parts = write((name) => new Markup(`${cut}${name}${cut}`)).text.split(cut);
  return {
    fixed: parts.filter((_, index) => index % 2 === 0).map(cheapInJson),
    slots: parts.filter((_, index) => index % 2 === 1) as Slot[],
  };
}

/** Makes a template with slots into a function of its fills, which are escaped as in {@link html}. */
export function frame<Slot extends string>(
  write: (slot: (name: Slot) => Markup) => Markup,
): (fills: Readonly<Record<Slot, Fill>>) => Markup {
  const { fixed, slots } = pieces(write);
  return (fills) => {
    // Joined and not added up: adding makes a tree of strings, which JSON takes three times as long to write.
    const parts = [fixed[0]!];
    for (let index = 0; index < slots.length; index += 1) {
      parts.push(html`${fills[slots[index]!]}`.text, fixed[index + 1]!);
    }
    return new Markup(parts.join(""));
  };
}

// Mails travel in JSON, which escapes double quotes and line breaks one by one: without them it is written eight times
// as fast.
function cheapInJson(markup: string): string {
  if (markup.includes("'")) throw new Error("A template of a mail holds a single quote.");
  return markup.replaceAll('"', "'").replaceAll("\n", " ");
}
