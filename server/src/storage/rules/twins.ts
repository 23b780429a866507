// Submissions that may be duplicates of one another.
import type { DeskDetail } from "../desk-store.ts";
import type { SubmissionKind, TriageStatus } from "../records.ts";
import { duplicatesMax } from "./audit.ts";

export interface Twin {
  readonly arrival: number;
  readonly reference: string;
  readonly kind: SubmissionKind;
  readonly receivedAt: number;
  readonly status: TriageStatus;
}

/** The newest of some submissions, each once. */
export function newestTwins(twins: readonly Twin[]): DeskDetail["duplicates"] {
  const byArrival = new Map(twins.map((twin) => [twin.arrival, twin]));
  return [...byArrival.values()]
    .toSorted((a, b) => b.arrival - a.arrival)
    .slice(0, duplicatesMax)
    .map(({ reference, kind, receivedAt, status }) => ({ reference, kind, receivedAt, status }));
}
