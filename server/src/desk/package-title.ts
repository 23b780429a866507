// What operators read in place of the identifier of a package.

/** Of the catalogue, by the identifiers of packages; null: there is none. */
export type PackageTitles = ReadonlyMap<string, string> | null;

const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** A language with its region, and what else an identifier says: `en-GB-scottish`. */
const languageFirst = /^([a-z]{2,3}-[A-Z]{2})(?:-(.+))?$/;

/** The title in the catalogue, else the language that the identifier names, else the identifier. */
export function packageTitle(id: string, titles: PackageTitles): string {
  const [, tag = "", rest] = languageFirst.exec(id) ?? [];
  const language = tag === "" ? undefined : languageNames.of(tag);
  return (
    titles?.get(id) ?? (language === undefined ? id : [language, rest?.replaceAll("-", " ")].filter(Boolean).join(", "))
  );
}

/** The titles of those packages that are not called by their identifier. */
export const titlesAmong = (ids: readonly string[], titles: PackageTitles): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ids.flatMap((id) => {
      const title = packageTitle(id, titles);
      return title === id ? [] : [[id, title]];
    }),
  );
