// The overview. Past days were counted before; only what came since is counted when it is asked for. An engine reads the
// numbers, and stores those of a day.
import type { Overview } from "@submissions/shared/console";
import type { DeskStore, Scope } from "../desk-store.ts";
import type { SubmissionKind } from "../records.ts";
import { dayAt, dayMs, shownDay, startOfDay, storedDay } from "./days.ts";
import { mailKindsOf } from "./inbox-filter.ts";
import { inboxRow, type ListedRow } from "./inbox-row.ts";

/** Today among them. */
const shownDays = 30;

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

/** How many mails have a status. A status may come several times. */
export interface MailCount {
  readonly status: string;
  readonly count: number;
}

interface Reader {
  /** From a day on, in the order of the days. */
  counted(day: number): Promise<readonly CountedDay[]>;
  lastCounted(): Promise<number | null>;
  /** When the first submission came. */
  firstReceivedAt(): Promise<number | null>;
  /** Submissions of some kinds on the day that begins at an instant. */
  countDay(at: number, kinds: readonly SubmissionKind[]): Promise<DayCounts>;
  /** Active subscribers. */
  countActive(): Promise<number>;
  storeDay(day: number, counts: DayCounts): Promise<unknown>;
  /** How long the latest responses after an instant took; at most {@link responsesMax}. */
  responses(since: number, kinds: readonly SubmissionKind[]): Promise<readonly number[]>;
  /** New submissions, the oldest {@link waitingMax}. */
  waiting(kinds: readonly SubmissionKind[]): Promise<readonly ListedRow[]>;
  /** Mails of some kinds that were stored since an instant. */
  mails(since: number, kinds: readonly string[]): Promise<readonly MailCount[]>;
}

export const makeOverview = (reader: Reader) =>
  ({
    async overview(scope, now) {
      const since = now - shownDays * dayMs;
      const [days, took, waiting, mails] = await Promise.all([
        daysOf(scope, now, reader),
        reader.responses(since, scope.kinds),
        reader.waiting(scope.kinds),
        reader.mails(since, mailKindsOf(scope)),
      ]);
      return { days, firstResponseMs: median(took), waiting: waiting.map(inboxRow), mails: outcomesOf(mails) };
    },

    async subscriberGrowth(now, days) {
      const [rows, active] = await Promise.all([reader.counted(firstShown(now, days)), reader.countActive()]);
      const past = rows.filter(({ kind }) => kind === "subscriber");
      return [
        ...past.map(({ day, counted }) => ({ day: shownDay(dayAt(day)), active: counted })),
        { day: shownDay(now), active },
      ];
    },

    async countNextDay(now) {
      const last = await reader.lastCounted();
      const first = last === null ? ((await reader.firstReceivedAt()) ?? now - dayMs) : dayAt(last) + dayMs;
      const [day, today] = [startOfDay(first), startOfDay(now)];
      if (day >= today) return false;
      const counts = await reader.countDay(day, ["inquiry", "application"]);
      // The subscribers of an earlier day can no longer be counted.
      const isYesterday = day === today - dayMs;
      if (isYesterday) counts.subscriber = await reader.countActive();
      await reader.storeDay(storedDay(day), counts);
      return !isYesterday;
    },
  }) satisfies Partial<DeskStore>;

/** The first of the last days that are shown, as it is stored. */
const firstShown = (now: number, days: number): number => storedDay(startOfDay(now) - (days - 1) * dayMs);

async function daysOf({ kinds }: Scope, now: number, reader: Reader): Promise<Overview["days"]> {
  const today = startOfDay(now);
  const known = await reader.counted(firstShown(now, shownDays));
  const lastKnown = known.findLast(({ kind }) => kind !== "subscriber")?.day ?? 0;
  const found: { day: string; inquiries: number; applications: number }[] = [];
  for (let at = today - (shownDays - 1) * dayMs; at <= today; at += dayMs) {
    const day = storedDay(at);
    const counts = day <= lastKnown ? countsOf(known, day) : await reader.countDay(at, kinds);
    const seen = (kind: SubmissionKind) => (kinds.includes(kind) ? (counts[kind] ?? 0) : 0);
    found.push({ day: shownDay(at), inquiries: seen("inquiry"), applications: seen("application") });
  }
  return found;
}

const countsOf = (known: readonly CountedDay[], day: number): DayCounts =>
  Object.fromEntries(known.filter((row) => row.day === day).map(({ kind, counted }) => [kind, counted]));

function outcomesOf(rows: readonly MailCount[]): Overview["mails"] {
  const of = (status: string) => rows.reduce((sum, row) => (row.status === status ? sum + row.count : sum), 0);
  return { queued: of("queued"), sent: of("sent"), failed: of("failed"), inDoubt: of("in-doubt") };
}

/** The middle of some numbers; null without any. */
function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
