// What the service is to reach, and whether it does: from the rows of the table, and from measurements of its own where the
// table has none.
import type { Means, Row } from "../compare.ts";
import { measureExport } from "./export-speed.ts";
import { measureFullDay } from "./full-day.ts";
import { measureCommits } from "./postgres-commits.ts";
import { measureUploadsAtOnce } from "./uploads-at-once.ts";

export interface Goal {
  readonly goal: string;
  /** What was measured, in words. */
  readonly measured: string;
  readonly met: boolean;
}

const atLeast = (goal: string, least: number, figure: number, unit = " times"): Goal => ({
  goal,
  measured: `${figure >= 100 ? Math.round(figure).toLocaleString("en") : figure.toFixed(2)}${unit}`,
  met: figure >= least,
});
const atMost = (goal: string, most: number, figure: number, unit: string): Goal => ({
  goal,
  measured: `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`,
  met: figure <= most,
});

/** The goals whose scenarios are among the rows. */
export function goalsOfRows(rows: readonly Row[]): readonly Goal[] {
  const find = (scenario: string, wanted: Partial<Row>) =>
    rows.find(
      (row) =>
        row.scenario === scenario && Object.entries(wanted).every(([name, value]) => row[name as keyof Row] === value),
    );
  const ratioOf = (scenario: string, wanted: Partial<Row>, other: Partial<Row>) => {
    const [one, two] = [find(scenario, wanted), find(scenario, other)];
    return one === undefined || two === undefined ? null : one.perSecond / two.perSecond;
  };
  const service = { entrant: "service" } as const;
  const doors = { entrant: "service, no store" } as const;
  const goals: readonly (Goal | null)[] = [
    ...([10, 50] as const).map((size) => {
      const figure = find(`doors-${size}`, doors)?.ratio ?? null;
      const least = size === 10 ? 6 : 8;
      const how = size === 10 ? "" : "; the service in batches of 10, its limit";
      const goal = `batches of ${size}: at least ${least} times the stock plugin (the doors alone, nothing stored${how})`;
      return figure === null ? null : atLeast(goal, least, figure);
    }),
    whenKnown(
      ratioOf("slow-disk", { ...service, clients: 256 }, { entrant: "by hand, single", clients: 256 }),
      (figure) => atLeast("1 ms a sync, 256 clients: at least 15 times one transaction a request (SQLite)", 15, figure),
    ),
    ...[1, 5].map((size) =>
      whenKnown(find(`upload-${size}mb`, service)?.ratio ?? null, (figure) =>
        atLeast(`uploads of ${size} MB: at least 0.95 of a hand-written streaming route`, 0.95, figure),
      ),
    ),
    whenKnown(ratioOf("refusal", { ...service, request: "refusal" }, { ...service, request: "inquiry" }), (figure) =>
      atLeast("refusals: at least 1.2 times the speed of acceptances", 1.2, figure),
    ),
  ];
  return goals.filter((goal) => goal !== null);
}

const whenKnown = (figure: number | null, goal: (figure: number) => Goal) => (figure === null ? null : goal(figure));

/** The goals that the table does not show. */
export async function measureGoals(means: Means): Promise<readonly Goal[]> {
  const { folder } = means.ground;
  const commits = await measureCommits(means);
  const uploadsMb = await measureUploadsAtOnce(means);
  const exported = await measureExport(folder);
  const fullDay = await measureFullDay(folder, means.rounds);
  return [
    ...commits.map(({ callers, ratio }) => {
      const least = callers === 64 ? 3 : 10;
      return atLeast(
        `PostgreSQL, 1 ms a sync, ${callers} callers: shared commits at least ${least} times single ones`,
        least,
        ratio,
      );
    }),
    atMost("128 uploads of 5 MB at once: at most 150 MB over idle", 150, uploadsMb, " MB"),
    atLeast("export as CSV: at least 300,000 rows/s", 300_000, exported.csv, " rows/s"),
    atLeast("export as NDJSON: at least 300,000 rows/s", 300_000, exported.ndjson, " rows/s"),
    atMost("a reference at 99.99 % of a day costs at most ten at 0 %", 10, fullDay, " times one"),
  ];
}
