// Reads what lies in deploy/ for the tests beside this. It knows no rule about any of it.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

/** Paths below deploy/, from the root. */
export const filesOf = (pattern: string): string[] => globSync(`deploy/${pattern}`, { cwd: root }).toSorted();

/** What a file holds. The tests say what must stand in it. */
// oxlint-disable-next-line typescript/no-explicit-any -- types by hand would say it a second time
export type Document = any;

/** The documents of a YAML file. Throws on what YAML does not allow, doubled keys among it. */
export function readYaml(path: string): Document[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
    return document.toJS();
  });
}
