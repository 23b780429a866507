// Reads what lies in deploy/ for the tests beside this. It knows no rule about any of it.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The text of a file, by its path from the root. */
export const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

/** Paths below deploy/, from the root. */
export const filesOf = (pattern: string): string[] => globSync(`deploy/${pattern}`, { cwd: root }).toSorted();

/** The documents of a YAML file. Throws on what YAML does not allow, doubled keys among it. */
export function readYaml<T>(path: string): T[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
    return document.toJS() as T;
  });
}
