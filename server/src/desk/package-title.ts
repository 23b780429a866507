// What operators read in place of the identifier of a package.
import { languageNameOf } from "@submissions/shared/language-name";

/** Of the catalogue, by the identifiers of packages; null: there is none. */
export type CatalogueTitles = ReadonlyMap<string, string> | null;

/** A language with its region, and what else an identifier says: `en-GB-scottish`. */
const languageFirst = /^([a-z]{2,3}-[A-Z]{2})(?:-(.+))?$/;

/** The title in the catalogue, else the language that the identifier names, else the identifier. */
export function packageTitle(id: string, titles: CatalogueTitles): string {
  const title = titles?.get(id);
  if (title !== undefined) return title;
  const [, tag, rest] = languageFirst.exec(id) ?? [];
  const language = tag && languageNameOf(tag);
  if (!language) return id;
  return rest === undefined ? language : `${language}, ${rest.replaceAll("-", " ")}`;
}

/** The titles of those packages that are not called by their identifier. */
export const titlesAmong = (ids: readonly string[], titles: CatalogueTitles): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const title = packageTitle(id, titles);
      return title === id ? [] : [[id, title]];
    }),
  );
