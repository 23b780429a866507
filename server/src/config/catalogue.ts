// Reads the package catalogue once, when the configuration is loaded. What it is used for, the intake knows.
import { z } from "zod";
import { requiredText } from "@submissions/shared/fields";
import { textLengthMax } from "@submissions/shared/limits";
import { readSettingsFile } from "./settings-file.ts";
import { Wrong } from "./variables.ts";

/** Titles by package identifier, in the order of the file. */
export type PackageTitles = ReadonlyMap<string, string>;

// The same rule as in a submission: an identifier that no inquiry can name must not stand in the catalogue.
const entry = z.object({
  id: requiredText(textLengthMax.packageId),
  title: requiredText(textLengthMax.name),
});

/** Reads a JSON array `[{ "id", "title" }]`; answers the titles, or in plain words why it cannot be used. */
export function readCatalogue(file: string): PackageTitles | Wrong {
  const read = readJson(file);
  if (read instanceof Wrong) return read;
  if (!Array.isArray(read.json) || read.json.length === 0) {
    return new Wrong("must be the path of a JSON array with at least one package.");
  }
  const titles = new Map<string, string>();
  for (const [index, item] of read.json.entries()) {
    const result = entry.safeParse(item);
    if (!result.success) {
      const field = result.error.issues[0]?.path[0];
      const fault = field === undefined ? "is not an object" : `has no usable ${String(field)}`;
      return new Wrong(`package ${index + 1} of the file ${fault}.`);
    }
    if (titles.has(result.data.id)) return new Wrong(`package ${index + 1} of the file repeats an earlier id.`);
    titles.set(result.data.id, result.data.title);
  }
  return titles;
}

function readJson(file: string): { readonly json: unknown } | Wrong {
  const text = readSettingsFile(file);
  if (text instanceof Wrong) return text;
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    // SyntaxError, whose message quotes the file.
    return new Wrong("the file is not valid JSON.");
  }
}
