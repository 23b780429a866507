// The sections of the list: by day, and in a search people before letters.
import type { InboxRow } from "@submissions/shared/console";
import { useNow } from "../parts/states.tsx";

/** Midnight in the viewer's zone, so many days before. Days have 23 to 25 hours there, so the calendar counts them. */
function midnight(now: number, daysBefore: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysBefore).getTime();
}

/** Today and the six days before are this week: on a Monday it is not empty. */
function dayName(at: number, today: number): string {
  if (at >= today) return "Today";
  if (at >= midnight(today, 1)) return "Yesterday";
  return at >= midnight(today, 6) ? "This week" : "Earlier";
}

interface Section {
  readonly name: string;
  readonly rows: readonly InboxRow[];
}

export function useSections(rows: readonly InboxRow[], isSearch: boolean): readonly Section[] {
  const today = midnight(useNow(), 0);
  // Only what letters have is found with a sentence.
  const nameOf = isSearch
    ? ({ match }: InboxRow) => (match === undefined ? "People" : "Letters")
    : ({ receivedAt }: InboxRow) => dayName(receivedAt, today);
  return Array.from(Map.groupBy(rows, nameOf), ([name, its]) => ({ name, rows: its }));
}
