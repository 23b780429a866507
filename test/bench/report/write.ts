// Writes what was measured: the table, the same as JSON, and pictures.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Row } from "../compare.ts";
import type { Goal } from "../goals/goals.ts";
import { type Machine, machineLine } from "../machine.ts";
import { drawCpu, drawThroughput } from "./charts.ts";
import type { PartReport } from "./parts.ts";
import { markdownTable, tableOf } from "./table.ts";

export interface Results {
  readonly machine: Machine;
  readonly rounds: number;
  readonly roundMs: number;
  readonly rows: readonly Row[];
  readonly goals: readonly Goal[];
}

/** The text of a report; also what is printed. */
export function reportOf({ machine, rounds, roundMs, rows, goals }: Results): string {
  const parts = [
    `${machineLine(machine)} ${rounds} rounds of ${roundMs} ms for each figure.\n`,
    rows.length === 0 ? "" : tableOf(rows),
    goals.length === 0 ? "" : goalTable(goals),
  ];
  return parts.filter(Boolean).join("\n");
}

const goalTable = (goals: readonly Goal[]) =>
  markdownTable(
    ["Goal", "Measured", "Met"],
    goals.map(({ goal, measured, met }) => [goal, measured, met ? "yes" : "**no**"]),
  );

export async function writeResults(folder: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "bench.md"), reportOf(results));
  await writeFile(join(folder, "bench.json"), `${JSON.stringify(results, null, 1)}\n`);
  if (results.rows.length === 0) return;
  await writeFile(join(folder, "throughput.svg"), drawThroughput(results.rows));
  await writeFile(join(folder, "cpu.svg"), drawCpu(results.rows));
}

/** Writes the report of a part under its name. */
export async function writePart(folder: string, name: string, machine: Machine, part: PartReport): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.md`), part.text);
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ machine, figures: part.figures }, null, 1)}\n`);
  if (part.picture !== undefined) await writeFile(join(folder, `${name}.svg`), part.picture);
}
