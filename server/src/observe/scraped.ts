// What is asked for at each scrape instead of being counted: the outbox, the commits, the disks. Asking before the scrape
// takes one query for all gauges of the outbox.
import type { CommitCounts, Store } from "../storage/store.ts";
import { histogramOf, numberOf, type Line, type Shown } from "./series.ts";

/** Where the numbers come from. A source that fails leaves its gauges out of that scrape; it never fails the others. */
export interface MetricSources {
  readonly mailBacklog?: Store["mailBacklog"];
  readonly storeTotals?: () => CommitCounts;
  /** Bytes that are left on the disk of a place, by its name. */
  readonly disks?: Readonly<Record<string, () => Promise<number>>>;
}

type MailBacklog = Awaited<ReturnType<Store["mailBacklog"]>>;

/** The metrics that are read at a scrape. They show what `ask`, which must be called before each scrape, was answered. */
export function scraped(now: () => number) {
  let backlog: MailBacklog | undefined;
  let totals: CommitCounts | undefined;
  let disks: readonly Line[] = [];

  async function ask(sources: MetricSources): Promise<void> {
    totals = sources.storeTotals?.();
    const places = Object.entries(sources.disks ?? {}).map(async ([place, freeBytes]): Promise<readonly Line[]> => {
      const value = await answerOf(freeBytes);
      return value === undefined ? [] : [{ labels: { place }, value }];
    });
    const mails = answerOf(sources.mailBacklog);
    disks = (await Promise.all(places)).flat();
    backlog = await mails;
  }

  const secondsSince = (time: number | null) => (time === null ? 0 : Math.max(0, (now() - time) / 1000));
  const outbox = (name: string, help: string, of: (backlog: MailBacklog) => number) =>
    numberOf("gauge", { name, help }, () => backlog && of(backlog));
  const commits = (name: string, help: string, of: (totals: CommitCounts) => number) =>
    numberOf("counter", { name, help }, () => totals && of(totals));
  const shown: readonly Shown[] = [
    outbox("mail_queue_size", "Mails waiting to be sent.", ({ queued }) => queued),
    outbox("mail_failed_size", "Mails given up.", ({ failed }) => failed),
    outbox("mail_in_doubt_size", "Mails that may have been sent and are not tried again.", ({ inDoubt }) => inDoubt),
    outbox("mail_queue_oldest_age_seconds", "Age of the oldest mail that waits; 0 when none waits.", (mails) =>
      secondsSince(mails.oldestCreatedAt),
    ),
    outbox("mail_queue_overdue_seconds", "How long the first due mail has been due; 0 when none is due.", (mails) =>
      secondsSince(mails.firstDueAt),
    ),
    commits("store_commits_total", "Commits to stable storage.", (store) => store.commits),
    commits("store_jobs_total", "Writes; several share a commit.", ({ jobs }) => jobs),
    commits("store_retries_total", "Commits tried again: another process held a lock.", ({ retries }) => retries),
    numberOf("gauge", { name: "store_jobs_waiting", help: "Writes that wait for a commit." }, () => totals?.waiting),
    histogramOf({ name: "store_commit_size", help: "Writes in a commit." }, () => totals?.sizes),
    histogramOf({ name: "store_commit_seconds", help: "Time that a commit took." }, () => totals?.seconds),
    { name: "disk_free_bytes", help: "Bytes left on the disk of a place.", type: "gauge", lines: () => disks },
  ];
  return { shown, ask };
}

async function answerOf<T>(ask: (() => Promise<T>) | undefined): Promise<T | undefined> {
  try {
    return await ask?.();
  } catch {
    // The storage is unusable or the folder is gone; /readyz tells why. An old number would look like a healthy one.
    return undefined;
  }
}
