// Reads the files that settings name, once, when the configuration is loaded: the package catalogue and the list of
// hosts of throw-away addresses.
import { readFileSync, statSync } from "node:fs";
import { email } from "@submissions/shared/addresses";
import { required } from "@submissions/shared/fields";
import { textLengthMax } from "@submissions/shared/limits";
import { readText, requiredText } from "@submissions/shared/text";
import { z } from "zod";
import { jsonIn } from "../read-unknown.ts";
import { readAt, refuse, type SettingType } from "./setting-types.ts";

const count = z.number().positive().lt(1e9).nullable().catch(null);
const name = required({ rule: requiredText(textLengthMax.name) });

/** Of further facts null: the catalogue does not say, or what it says cannot be used. Unknown fields are ignored. */
const cataloguePackage = z.object({
  // The rule of a submission: the catalogue may hold no identifier that no inquiry can name.
  id: required({ rule: requiredText(textLengthMax.packageId) }),
  title: name,
  /** Of recordings. */
  hours: count,
  speakers: count,
  licence: name.nullable().catch(null),
});

export type CataloguePackage = Readonly<z.output<typeof cataloguePackage>>;

/** Titles by package identifier, in the order of the file. */
export type PackageTitles = ReadonlyMap<string, string>;

export const titlesOf = (packages: readonly CataloguePackage[]): PackageTitles =>
  new Map(packages.map(({ id, title }) => [id, title]));

/** Such files are read whole. A larger one is none of ours. */
const fileBytesMax = 4 * 1024 * 1024;

/** The text of a file that a setting names, without a byte-order mark. */
export const fileText = readAt("file", (file, context) => {
  // Reading a pipe or a device would never end.
  const stats = statSync(file);
  if (!stats.isFile() || stats.size > fileBytesMax) {
    return refuse(context, "must be the path of a file of at most 4 MiB.");
  }
  return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
});

/** The entries of a list in a file, or what is wrong with each that is. */
export function readEntries<T extends { readonly id: string }>(shape: z.ZodType<T>, list: unknown[], noun: string) {
  const ids = new Set<string>();
  const mistakes: string[] = [];
  const entries = list.flatMap((one, index) => {
    const { data, error } = shape.safeParse(one);
    const fields = new Set(error?.issues.map(({ path: [field = ""] }) => String(field)));
    const wrong = [...fields].map((field) => (field === "" ? "is not an object" : `has no usable ${field}`));
    if (data && ids.has(data.id)) wrong.push("repeats an earlier id");
    if (wrong.length > 0) mistakes.push(`${noun} ${index + 1} of the file ${wrong.join(" and ")}.`);
    if (data) ids.add(data.id);
    return data ?? [];
  });
  return mistakes.length > 0 ? mistakes.join(" ") : entries;
}

export const catalogue: SettingType<readonly CataloguePackage[]> = fileText.transform((text, context) => {
  const json = jsonIn(text);
  if (json === undefined) return refuse(context, "the file is not valid JSON.");
  if (!Array.isArray(json) || json.length === 0)
    return refuse(context, "must be the path of a JSON array with at least one package.");
  const packages = readEntries(cataloguePackage, json, "package");
  return typeof packages === "string" ? refuse(context, packages) : packages;
});

/** A text with one domain a line; what follows a `#` is a comment. Domains are read in lower case and ASCII. */
export const disposableDomains: SettingType<readonly string[]> = fileText.transform((text, context) => {
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

function sample(id: string, title: string, hours: number, speakers: number, licence = "CC BY 4.0") {
  return { id, title, hours, speakers, licence };
}

/** What the front page shows without a catalogue. No inquiry is refused because of it. */
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
