// What the overview shows.
import { dayAt, shownDay } from "./days.ts";

/** Today among them. */
export const shownDays = 30;

/** Submissions that wait longest. */
export const waitingMax = 5;

/** Responses that the median is taken of; the latest. */
export const responsesMax = 5_000;

/** Active subscribers of the counted days, and now. */
export const growthOf = (
  days: readonly { readonly day: number; readonly kind: string; readonly counted: number }[],
  now: number,
  active: number,
): { day: string; active: number }[] => [
  ...days
    .filter(({ kind }) => kind === "subscriber")
    .map(({ day, counted }) => ({ day: shownDay(dayAt(day)), active: counted })),
  { day: shownDay(now), active },
];
