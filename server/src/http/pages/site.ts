// What the pages of the site are made of, put together once. It knows no requests.
import type { PackageChoice } from "@submissions/shared/forms/form-state";
import type { Deps } from "../../deps.ts";
import type { FormsBundle } from "./forms-bundle.ts";
import { sampleCatalogue } from "./sample-catalogue.ts";

/** More than a buyer reads through; a page with all of a large catalogue would be megabytes. */
const packagesShownMax = 200;

export interface Site {
  readonly brand: string;
  /** The packages that inquiries may name; null: any. */
  readonly catalogue: ReadonlyMap<string, string> | null;
  /** The packages to choose from: the first of the catalogue, or else the sample. */
  readonly packages: readonly PackageChoice[];
  readonly newsletterOptIn: Deps["newsletterOptIn"];
  readonly proofOfWork: boolean;
  /** The script of the forms; null when it was not built. */
  readonly bundle: FormsBundle | null;
}

export function siteOf(
  { mail, newsletterOptIn }: Deps,
  { bundle, proofOfWork }: Pick<Site, "bundle" | "proofOfWork">,
): Site {
  const catalogue = mail.packageTitles ?? null;
  const choices = catalogue === null ? sampleCatalogue : [...catalogue].map(([id, title]) => ({ id, title }));
  return {
    brand: mail.brand,
    catalogue,
    packages: choices.slice(0, packagesShownMax),
    newsletterOptIn,
    proofOfWork,
    bundle,
  };
}

/** The packages to choose from, and those of `ids` that are further down the catalogue. */
export function packagesWith({ packages, catalogue }: Site, ids: readonly string[]): readonly PackageChoice[] {
  const missing = [...new Set(ids)].filter((id) => !packages.some((shown) => shown.id === id));
  return [
    ...packages,
    ...missing.flatMap((id) => {
      const title = catalogue?.get(id);
      return title === undefined ? [] : [{ id, title }];
    }),
  ];
}
