// What the service is to reach, and whether it does: from the rows of the table, and from measurements of its own where the
// table has none.
import type { Means, Row } from "../compare.ts";
import { measureFullDay } from "./full-day.ts";
import { measureCommits } from "./postgres-commits.ts";
import { measureUploadsAtOnce } from "./uploads-at-once.ts";

export interface Goal {
  readonly goal: string;
  /** What was measured, in words. */
  readonly measured: string;
  readonly met: boolean;
}

const atLeast = (goal: string, least: number, times: number): Goal => ({
  goal,
  measured: `${times.toFixed(2)} times`,
  met: times >= least,
});
const atMost = (goal: string, most: number, figure: number, unit: string): Goal => ({
  goal,
  measured: `${figure.toFixed(figure < 10 ? 2 : 0)}${unit}`,
  met: figure <= most,
});

type Wanted = Partial<Pick<Row, "entrant" | "request" | "clients">>;

/** A goal that two rows of a scenario tell of. */
interface RowGoal {
  readonly goal: string;
  readonly scenario: string;
  readonly row: Wanted;
  readonly comparedWith: Wanted;
  /** Times the calls a second of the other row. */
  readonly least: number;
}

const upload = (size: 1 | 5): RowGoal => ({
  goal: `uploads of ${size} MB: at least 0.95 of a hand-written streaming route`,
  scenario: `upload-${size}mb`,
  row: { entrant: "service" },
  comparedWith: { entrant: "by hand" },
  least: 0.95,
});

const rowGoals: readonly RowGoal[] = [
  upload(1),
  upload(5),
  {
    goal: "refusals: at least 1.2 times the speed of acceptances",
    scenario: "refusal",
    row: { entrant: "service", request: "refusal" },
    comparedWith: { entrant: "service", request: "inquiry" },
    least: 1.2,
  },
];

/** The goals whose scenarios are among the rows. */
export function goalsOfRows(rows: readonly Row[]): readonly Goal[] {
  return rowGoals.flatMap(({ goal, scenario, row, comparedWith, least }) => {
    const find = (wanted: Wanted) => rows.find((one) => one.scenario === scenario && matches(one, wanted));
    const [ours, theirs] = [find(row), find(comparedWith)];
    if (ours === undefined || theirs === undefined) return [];
    // Both are ratios to the same program in the same rounds.
    const times = ours.ratio / theirs.ratio;
    const byCpu = theirs.cpuRatio / ours.cpuRatio;
    const measured = `${times.toFixed(2)} times; ${byCpu.toFixed(2)} by CPU time`;
    return [{ goal, measured, met: times >= least }];
  });
}

const matches = (row: Row, wanted: Wanted) =>
  Object.entries(wanted).every(([name, value]) => row[name as keyof Wanted] === value);

/** The goals that the table does not show. */
export async function measureGoals(means: Means): Promise<readonly Goal[]> {
  const { folder } = means.ground;
  const commits = await measureCommits(means);
  const uploadsMb = await measureUploadsAtOnce(means);
  const fullDay = await measureFullDay(folder, means.rounds);
  return [
    atLeast("PostgreSQL, 1 ms a sync, 64 callers: shared commits at least 3 times single ones", 3, commits),
    atMost("128 uploads of 5 MB at once: at most 150 MB over idle", 150, uploadsMb, " MB"),
    atMost("a reference at 99.99 % of a day costs at most ten at 0 %", 10, fullDay, " times one"),
  ];
}
