// What the pages know of this installation, put together once.
import { type FormName, formNames, forms } from "@submissions/shared/forms/form-fields";
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import { nextField } from "@submissions/shared/hidden-fields";
import { type Language, languageAmong } from "@submissions/shared/language";
import { textLengthMax } from "@submissions/shared/limits";
import type { CataloguePackage } from "../../config/catalogue.ts";
import type { Opening } from "../../config/openings.ts";
import type { Config } from "../../config/config.ts";
import type { LanguageWords } from "../../config/languages.ts";
import type { Intake } from "../../intake/submit.ts";
import type { FormsBundle } from "./assets.ts";
import { submissionKinds } from "@submissions/shared/kinds";
import { englishPages } from "../../config/page-words.ts";
import { type FormPage, ofKinds, serverKindOf } from "../../kinds.ts";

/** A buyer reads no more, and a page with all of a large catalogue would be megabytes. */
const packagesShownMax = 200;

interface SiteFacts extends Pick<Config, "brand" | "privacy" | "corsOrigins" | "hasFrontPage" | "languages"> {
  readonly packages: readonly CataloguePackage[];
  /** The base address of this service, and its origin. Asked for once it listens. */
  readonly publicUrl: () => string;
  readonly origin: () => string;
  readonly version: string;
  /** The forms' script; null when it was not built. */
  readonly bundle: FormsBundle | null;
  readonly intake: Pick<Intake, "packageTitles" | "openings" | "clock" | "newsletterOptIn" | "proofOfWork">;
}

export type Site = ReturnType<typeof siteOf>;

export function siteOf({ intake, packages, ...facts }: SiteFacts) {
  const { packageTitles, openings, newsletterOptIn, proofOfWork } = intake;
  // Named one by one: what it is made from may have secrets beside them.
  const { brand, privacy, corsOrigins, hasFrontPage, languages, publicUrl, origin, version, bundle } = facts;
  const known = { brand, privacy, corsOrigins, hasFrontPage, languages, publicUrl, origin, version, bundle };
  return {
    ...known,
    /** The packages that inquiries may name; null: any. */
    catalogue: packageTitles,
    /** The packages to choose from: the first of the catalogue, or else the sample. */
    packages: packages.slice(0, packagesShownMax),
    newsletterOptIn,
    proofOfWork: proofOfWork !== null,
    /** What one may apply for now; null: no list. */
    openings: (): readonly PackageChoice[] | null => openings && openings.open(intake.clock.now()).map(choiceOf),
    languageOf: (tag: unknown): Language => languageAmong(tag, languages),
    words: (language: Language = "en"): LanguageWords => languages.get(language) ?? languages.get("en")!,
  };
}

const choiceOf = ({ id, title, location }: Opening): PackageChoice => ({
  id,
  title: location === undefined ? title : `${title} – ${location}`,
});

/** The packages to choose from, and those of `ids` that stand further down in the catalogue. */
export function packagesWith({ packages, catalogue }: Site, ids: readonly string[]): readonly PackageChoice[] {
  const titles = new Map(packages.map(({ id, title }) => [id, title]));
  for (const id of ids) {
    const title = catalogue?.get(id);
    if (title !== undefined) titles.set(id, title);
  }
  return Array.from(titles, ([id, title]) => ({ id, title }));
}

export const formOf = (url: string | undefined): FormName | undefined =>
  formNames.find((name) => forms[name].path === url);

/** Where a form without script comes back to: a path of this host, or a whole address of a known origin. Undefined: neither. */
export function nextAddress(form: FormData | undefined, site: Pick<Site, "corsOrigins" | "origin">) {
  const [next, ...more] = form?.getAll(nextField) ?? [];
  if (typeof next !== "string" || more.length > 0 || next.length > textLengthMax.url) return undefined;
  // Browsers drop control characters and take a backslash for a slash. Other schemes may carry an origin, too (`blob:`).
  if (!/^(?:https?:\/\/|\/)[^\\\p{Cc}]*$/iu.test(next)) return undefined;
  const own = site.origin();
  const url = URL.parse(next, own);
  if (url === null || url.username !== "" || url.password !== "") return undefined;
  if (url.origin !== own) return site.corsOrigins.includes(url.origin) ? url.href : undefined;
  // Once its dots are resolved, a path may begin like the address of another host.
  return url.pathname.startsWith("//") ? undefined : url.pathname + url.search + url.hash;
}

/** What the pages say of each form: the rows of the kinds, and that of the newsletter. */
export const formPages: Readonly<Record<FormName, FormPage>> = {
  ...ofKinds((kind) => serverKindOf(kind).page),
  newsletter: {
    anchor: "newsletter",
    words: englishPages.forms.newsletter,
    front: {
      heading: "New recordings, by e-mail",
      text: "One e-mail when we add a package, and nothing else. Every e-mail has a link to unsubscribe.",
    },
  },
};

const [first, ...others] = submissionKinds;

/** The forms in the order of the front page. */
export const formOrder: readonly FormName[] = [first!, "newsletter", ...others];
