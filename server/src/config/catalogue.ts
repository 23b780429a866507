// Reads the files that settings name, once, when the configuration is loaded: the package catalogue and the list of
// hosts of throw-away addresses.
import { readFileSync, statSync } from "node:fs";
import { email } from "@submissions/shared/addresses";
import { textLengthMax } from "@submissions/shared/limits";
import { readText, requiredText } from "@submissions/shared/text";
import { path, refuse, type Kind } from "./kinds.ts";

export interface CataloguePackage {
  readonly id: string;
  readonly title: string;
  /** Of recordings. Null, here and below: the catalogue does not say. */
  readonly hours: number | null;
  readonly speakers: number | null;
  readonly licence: string | null;
}

/** Titles by package identifier, in the order of the file. */
export type PackageTitles = ReadonlyMap<string, string>;

export const titlesOf = (packages: readonly CataloguePackage[]): PackageTitles =>
  new Map(packages.map(({ id, title }) => [id, title]));

/** Such files are read whole. A larger one is none of ours. */
const fileBytesMax = 4 * 1024 * 1024;

// The rules of a submission: the catalogue may hold no identifier that no inquiry can name.
const entryRules = {
  id: requiredText(textLengthMax.packageId),
  title: requiredText(textLengthMax.name),
  licence: requiredText(textLengthMax.name),
};

/** The text of a file that a setting names, without a byte-order mark. */
const fileText = path.transform((file, context) => {
  try {
    // Reading a pipe or a device would never end.
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > fileBytesMax) {
      return refuse(context, "must be the path of a file of at most 4 MiB.");
    }
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    // A system error: absent, unreadable.
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    return refuse(context, `the file cannot be read (${reason}).`);
  }
});

/** A JSON array `[{ "id", "title" }]`. */
export const catalogue: Kind<readonly CataloguePackage[]> = fileText.transform((text, context) => {
  const packages = parseJson(text);
  if (packages === undefined) return refuse(context, "the file is not valid JSON.");
  if (!Array.isArray(packages) || packages.length === 0) {
    return refuse(context, "must be the path of a JSON array with at least one package.");
  }
  const known = new Map<string, CataloguePackage>();
  for (const [index, item] of (packages as readonly unknown[]).entries()) {
    const wrong = (problem: string) => refuse(context, `package ${index + 1} of the file ${problem}.`);
    if (typeof item !== "object" || item === null) return wrong("is not an object");
    const id = fieldOf(item, "id");
    if (id === undefined) return wrong("has no usable id");
    const title = fieldOf(item, "title");
    if (title === undefined) return wrong("has no usable title");
    if (known.has(id)) return wrong("repeats an earlier id");
    const { hours, speakers } = item as Readonly<Record<string, unknown>>;
    // Values of these fields that cannot be used are left out. Unknown fields are ignored.
    const licence = fieldOf(item, "licence") ?? null;
    known.set(id, { id, title, hours: countOf(hours), speakers: countOf(speakers), licence });
  }
  return [...known.values()];
});

const countOf = (value: unknown): number | null =>
  typeof value === "number" && value > 0 && value < 1e9 ? value : null;

function fieldOf(item: object, name: keyof typeof entryRules): string | undefined {
  const value = (item as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? readText(entryRules[name], value).value : undefined;
}

/** A text with one domain a line; what follows a `#` is a comment. Domains are read in lower case and ASCII. */
export const disposableDomains: Kind<readonly string[]> = fileText.transform((text, context) => {
  const domains = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    const domain = line.replace(/#.*/s, "").trim();
    if (domain === "") continue;
    // Read as the host of an address, so that both are written alike.
    const address = readText(email, `a@${domain}`).value;
    if (address === undefined || domain.includes("@")) {
      return refuse(context, `line ${index + 1} of the file is not one domain.`);
    }
    domains.add(address.slice("a@".length));
  }
  return [...domains];
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The SyntaxError quotes the file.
    return undefined;
  }
}

const sample = (
  id: string,
  title: string,
  hours: number,
  speakers: number,
  licence = "CC BY 4.0",
): CataloguePackage => ({ id, title, hours, speakers, licence });

/**
 * The packages that are shown, and named in mails, where no catalogue is set. Made up: no inquiry is refused because of
 * them.
 */
export const samplePackages: readonly CataloguePackage[] = [
  sample("en-GB-scottish", "Scottish English, conversations", 120, 84),
  sample("en-IN-read", "Indian English, read sentences", 310, 412),
  sample("en-US-southern", "Southern US English, conversations", 96, 70),
  sample("de-AT", "Austrian German, conversations", 140, 118),
  sample("fr-CA", "Canadian French, call centre", 220, 160, "Commercial licence"),
  sample("pt-BR", "Brazilian Portuguese, voice commands", 64, 1_150),
  sample("es-MX", "Mexican Spanish, conversations", 180, 132),
  sample("yo-NG", "Yoruba, read sentences", 88, 95),
  sample("ar-EG", "Egyptian Arabic, conversations", 105, 76, "Commercial licence"),
];
