// The daily digest: counts what waits and stores it as a mail. The day is unique in the outbox: one mail goes out.
import { type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { dayMs, shownDay } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../observe/log.ts";
import { repeatedly } from "../repeatedly.ts";
import { backupMsMax, wholeScope } from "../storage/desk-store.ts";
import type { Digest } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";

const minuteMs = 60_000;

type Counted = Pick<Store, "desk" | "mailBacklog" | "storeDigest">;

interface DigestOptions {
  readonly store: Counted & Pick<Store, "clock">;
  readonly atMinute: NonNullable<Config["digest"]>["atMinute"];
  readonly log: Log;
  readonly pollMs?: number;
}

/** Begins to look whether a digest is due. Disposing waits for the one that is counted. */
export function startDigests({ store, atMinute, log, pollMs = minuteMs }: DigestOptions): AsyncDisposable {
  let latest: string | null = null;
  return repeatedly(async () => {
    const now = store.clock.now();
    const day = dueDay(now, atMinute);
    if (day !== null && day !== latest) {
      await storeDigest(store, day, now)
        .then(() => (latest = day))
        .catch((error: unknown) => log.error({ err: error }, "the digest could not be stored and will be later"));
    }
    return pollMs;
  });
}

/** The day whose digest is due, if its time has come; null before it. */
export const dueDay = (now: number, atMinute: number): string | null =>
  now % dayMs < atMinute * minuteMs ? null : shownDay(now);

/** Counts what waits and stores it, unless the day has its digest. */
export async function storeDigest(store: Counted, day: string, now: number): Promise<boolean> {
  const waiting = {} as Record<SubmissionKind, Digest[SubmissionKind]>;
  for (const kind of submissionKinds) {
    const counts = await store.desk.countByStatus({ kinds: [kind], subscribers: false }, "");
    waiting[kind] = { new: counts.new, open: counts.open };
  }
  const { failed, inDoubt } = await store.mailBacklog();
  const { waiting: first } = await store.desk.overview(wholeScope, now);
  const longest = first.map(({ kind, reference, receivedAt }) => ({ kind, reference, receivedAt }));
  const backup = await store.desk.latestBackup(now);
  const isMissed = backup !== null && now - backup.at > backupMsMax;
  const digest = { day, ...waiting, mails: { failed, inDoubt }, longest };
  return store.storeDigest({ ...digest, ...(isMissed && { lastBackupAt: backup.at }) }, now);
}
