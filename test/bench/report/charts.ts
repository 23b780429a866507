// The pictures of the bench: which rows they show.
import type { Row } from "../compare.ts";
import { type BarGroup, drawBars } from "./bars.ts";
import { entrantTitle } from "./table.ts";

/** Calls a second at 64 clients, or at as many as the scenario has, best first in each group's order. */
export function drawThroughput(rows: readonly Row[]): string {
  const shown = rows.filter(
    ({ scenario, request }) => !scenario.startsWith("doors") && (scenario !== "refusal" || request === "refusal"),
  );
  const groups = [...Map.groupBy(shown, ({ scenario }) => scenario).values()].map((ofScenario): BarGroup => {
    const clients = ofScenario.some((row) => row.clients === 64) ? 64 : (ofScenario[0]?.clients ?? 0);
    const atClients = ofScenario.filter((row) => row.clients === clients);
    const ours = atClients.filter(({ entrant }) => entrant === "service");
    const theirs = atClients.filter(({ entrant }) => entrant !== "service");
    const [first] = ours;
    return {
      label: first === undefined ? "" : labelOf(first),
      bars: [...ours, ...theirs].map((row) => ({
        series: entrantTitle(row),
        value: row.perSecond,
        text: `${Math.round(row.perSecond).toLocaleString("en")}/s`,
      })),
    };
  });
  return drawBars(
    "Calls a second, stored and mailed",
    "64 clients, 16 for uploads. Every group has a scale of its own; compare bars within a group.",
    groups,
  );
}

const engineNames = { SQLite: "", PostgreSQL: ", PostgreSQL" } as const;

const labelOf = ({ scenario, engine }: Row) => {
  const plain = scenario.replace(/^postgres-?/, "").replaceAll("-", " ");
  return `${plain === "" ? "inquiry" : plain}${engineNames[engine]}`;
};
