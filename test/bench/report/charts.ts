// The pictures of the bench: which rows they show, and what of them.
import type { Row } from "../compare.ts";
import { type BarGroup, drawBars } from "./bars.ts";
import { entrantTitle } from "./table.ts";

/** Calls a second of each program. */
export const drawThroughput = (rows: readonly Row[]): string =>
  drawBars(
    "Calls a second, stored and mailed",
    "64 clients, 16 for uploads. Longer is faster. Every group has a scale of its own.",
    groupsOf(rows, ({ perSecond }) => [perSecond, `${Math.round(perSecond).toLocaleString("en")}/s`]),
  );

/** CPU time of a call, which moves least when a machine has other work. */
export const drawCpu = (rows: readonly Row[]): string =>
  drawBars(
    "CPU time of a call, stored and mailed",
    "64 clients, 16 for uploads. Shorter is cheaper. Every group has a scale of its own.",
    groupsOf(rows, ({ cpuMicros }) => [cpuMicros, `${Math.round(cpuMicros).toLocaleString("en")} µs`]),
  );

/** One group for each scenario, ours first. */
function groupsOf(rows: readonly Row[], figure: (row: Row) => readonly [value: number, text: string]): BarGroup[] {
  const shown = rows.filter(({ scenario, request }) => scenario !== "refusal" || request === "refusal");
  return [...Map.groupBy(shown, ({ scenario }) => scenario).values()].map((ofScenario) => {
    const clients = ofScenario.some((row) => row.clients === 64) ? 64 : ofScenario[0]!.clients;
    const atClients = ofScenario.filter((row) => row.clients === clients);
    const isOurs = ({ entrant }: Row) => entrant === "service";
    const ordered = [...atClients.filter(isOurs), ...atClients.filter((row) => !isOurs(row))];
    return {
      label: labelOf(ordered[0]!),
      bars: ordered.map((row) => {
        const [value, text] = figure(row);
        return { series: entrantTitle(row), value, text };
      }),
    };
  });
}

const engineNames = { SQLite: "", PostgreSQL: ", PostgreSQL" } as const;

const labelOf = ({ scenario, engine }: Row) => {
  const plain = scenario.replace(/^postgres-?/, "").replaceAll("-", " ");
  return `${plain === "" ? "inquiry" : plain}${engineNames[engine]}`;
};
