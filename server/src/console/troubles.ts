// What goes wrong that every operator is to see, by the numbers of the alerts (deploy/prometheus/alerts.yaml).
import type { Troubles } from "@submissions/shared/console";

const overdueMsMax = 600_000;
const freeBytesMin = 3 * 1024 ** 3;

interface Measured {
  /** Whether the provider takes nothing but probes. */
  readonly mailPaused: boolean;
  /** Since when the first mail is due, or will be; null: none is queued. */
  readonly firstDueAt: number | null;
  readonly freeBytes: readonly number[];
  readonly now: number;
}

export const troublesOf = ({ mailPaused, firstDueAt, freeBytes, now }: Measured): Troubles => ({
  mail: mailPaused || (firstDueAt !== null && now - firstDueAt > overdueMsMax),
  disk: freeBytes.some((bytes) => bytes < freeBytesMin),
});
