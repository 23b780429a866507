// The openings that one may apply for: a file that a setting names, read when the configuration is loaded.
import { required } from "@submissions/shared/fields";
import { textLengthMax } from "@submissions/shared/limits";
import { cleanLine, requiredText } from "@submissions/shared/text";
import { z } from "zod";
import { dayMs } from "../clock.ts";
import { fileText, readEntries } from "./catalogue.ts";
import { jsonIn } from "../read-unknown.ts";
import { refuse, type SettingType } from "./setting-types.ts";

const line = required({ rule: requiredText(textLengthMax.name) });

const openingShape = z.object({
  id: required({ rule: requiredText(textLengthMax.packageId) }),
  /** It is stored as the position, and has its limit. */
  title: line,
  team: line.optional(),
  location: line.optional(),
  /** The last day, UTC; absent: it stays open. */
  closes: z.iso.date().optional(),
});

export type Opening = Readonly<z.output<typeof openingShape>>;

export const openings: SettingType<readonly Opening[]> = fileText.transform((text, context) => {
  const json = jsonIn(text);
  if (!Array.isArray(json)) return refuse(context, "must be the path of a JSON array of openings.");
  const read = readEntries(openingShape, json, "opening");
  return typeof read === "string" ? refuse(context, read) : read;
});

/** What is open at a time, and what a position means. Null where no openings are set: any text is a position. */
export class Openings {
  readonly all: readonly Opening[];
  /** By id and by title, {@link folded}. */
  readonly byName: ReadonlyMap<string, readonly Opening[]>;

  constructor(all: readonly Opening[]) {
    this.all = all;
    const byName = new Map<string, Opening[]>();
    for (const one of all) {
      for (const name of new Set([folded(one.id), folded(one.title)]))
        byName.getOrInsertComputed(name, () => []).push(one);
    }
    this.byName = byName;
  }

  open(at: number): readonly Opening[] {
    return this.all.filter((one) => isOpen(one, at));
  }

  /** The opening that a position names by its id or title, in any case; one that is open goes before others of that name. */
  named(position: string, at: number): Opening | undefined {
    const named = this.byName.get(folded(position)) ?? [];
    const exactly = named.filter(({ title }) => title === position);
    return named.find(({ id }) => id === position) ?? [...exactly, ...named].find((one) => isOpen(one, at)) ?? named[0];
  }
}

const folded = (text: string): string => cleanLine(text).replaceAll(/\s+/g, " ").toLowerCase();

/** Until the end of its last day. */
export const isOpen = ({ closes }: Opening, at: number): boolean =>
  closes === undefined || at < Date.parse(closes) + dayMs;
