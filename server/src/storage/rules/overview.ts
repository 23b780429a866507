// What the overview shows. Past days were counted before; only what came since is counted when it is asked for.
import type { Overview } from "@submissions/shared/console";
import type { Scope } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";
import { dayAt, dayMs, shownDay, startOfDay, storedDay } from "./days.ts";

/** Today among them. */
export const shownDays = 30;

/** Submissions that wait longest. */
export const waitingMax = 5;

/** Responses that the median is taken of; the latest. */
export const responsesMax = 5_000;

/** A row of `day_count`. */
export interface CountedDay {
  readonly day: number;
  readonly kind: SubmissionKind | "subscriber";
  readonly counted: number;
}

export type DayCounts = Partial<Record<CountedDay["kind"], number>>;

/** The first of the last days that are shown, as it is stored. */
export const firstShown = (now: number, days: number): number => storedDay(startOfDay(now) - (days - 1) * dayMs);

/**
 * Submissions of the shown days.
 *
 * @param known the days that were counted, in their order
 * @param count counts the submissions of some kinds on the day that begins at an instant
 */
export async function daysOf(
  { kinds }: Scope,
  now: number,
  known: readonly CountedDay[],
  count: (at: number, kinds: readonly SubmissionKind[]) => Promise<DayCounts>,
): Promise<Overview["days"]> {
  const today = startOfDay(now);
  const lastKnown = known.findLast(({ kind }) => kind !== "subscriber")?.day ?? 0;
  const found: { day: string; inquiries: number; applications: number }[] = [];
  for (let at = today - (shownDays - 1) * dayMs; at <= today; at += dayMs) {
    const day = storedDay(at);
    const counts = day <= lastKnown ? countsOf(known, day) : await count(at, kinds);
    const seen = (kind: SubmissionKind) => (kinds.includes(kind) ? (counts[kind] ?? 0) : 0);
    found.push({ day: shownDay(at), inquiries: seen("inquiry"), applications: seen("application") });
  }
  return found;
}

const countsOf = (known: readonly CountedDay[], day: number): DayCounts =>
  Object.fromEntries(known.filter((row) => row.day === day).map(({ kind, counted }) => [kind, counted]));

/** Outcomes of mails; a status may come several times. */
export function outcomesOf(rows: readonly { readonly status: string; readonly count: number }[]): Overview["mails"] {
  const of = (status: string) => rows.reduce((sum, row) => (row.status === status ? sum + row.count : sum), 0);
  return { queued: of("queued"), sent: of("sent"), failed: of("failed"), inDoubt: of("in-doubt") };
}

/** Active subscribers of the counted days, and now. */
export const growthOf = (
  days: readonly CountedDay[],
  now: number,
  active: number,
): { day: string; active: number }[] => [
  ...days
    .filter(({ kind }) => kind === "subscriber")
    .map(({ day, counted }) => ({ day: shownDay(dayAt(day)), active: counted })),
  { day: shownDay(now), active },
];

/**
 * The beginning of the next past day that is to be counted; null when all are.
 *
 * @param last the last day that was counted
 * @param firstReceivedAt when the first submission came
 */
export function nextToCount(last: number | null, firstReceivedAt: number | undefined, now: number): number | null {
  const next = last === null ? startOfDay(firstReceivedAt ?? now - dayMs) : dayAt(last) + dayMs;
  return next < startOfDay(now) ? next : null;
}

/** Whether a day was yesterday. The subscribers of an earlier day can no longer be counted. */
export const isYesterday = (at: number, now: number): boolean => at === startOfDay(now) - dayMs;

/** The middle of some numbers; null without any. */
export function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
