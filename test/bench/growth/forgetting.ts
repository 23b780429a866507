// `npm run bench -- outbox`: an outbox of a million mails that were sent long ago. They are forgotten in batches while
// inquiries come in; their times are compared with those of the same process afterwards.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { seedStore } from "../../../server/dev/seed/seed.ts";
import type { Means } from "../compare.ts";
import { startEntrant } from "../entrants.ts";
import { percentile } from "../statistics.ts";

export interface Forgetting {
  readonly mails: number;
  readonly perSecondOffered: number;
  /** How long it took to forget all of them. */
  readonly seconds: number;
  /** Milliseconds of an inquiry meanwhile, and afterwards. */
  readonly during: { readonly p50: number; readonly p99: number };
  readonly after: { readonly p50: number; readonly p99: number };
}

const submissions = 10_000;
const clients = 32;
const perSecond = 300;
const sliceMs = 2_000;
const slicesMax = 150;

export async function measureForgetting(means: Means, mails: number): Promise<Forgetting> {
  const data = join(means.ground.folder, "forgetting");
  await mkdir(data);
  const file = join(data, "submissions.sqlite");
  const options = { count: submissions, days: 365, now: Date.now() };
  await seedStore({ kind: "sqlite", file }, options);
  using database = new DatabaseSync(file);
  addOldMails(database, mails);
  const oldest = database.prepare("SELECT created_at AS at FROM mail ORDER BY id LIMIT 1");
  const isDone = () => Number(oldest.get()?.["at"] ?? Infinity) > Date.now() - forgottenAfterMs;
  const service = await startEntrant(means.ground, "service", { data });
  const begun = performance.now();
  const slice = async () => {
    const job = { urls: [service.url], kind: "inquiry", clients, ms: sliceMs, perSecond } as const;
    return [...(await means.generator.run(job)).latencies];
  };
  const during: number[] = [];
  for (let count = 0; !isDone() && count < slicesMax; count += 1) during.push(...(await slice()));
  const seconds = (performance.now() - begun) / 1_000;
  const after: number[] = [];
  for (let count = 0; count < 5; count += 1) after.push(...(await slice()));
  await service.kill();
  return { mails, perSecondOffered: perSecond, seconds, during: timesOf(during), after: timesOf(after) };
}

const dayMs = 86_400_000;
const forgottenAfterMs = 90 * dayMs;

/** The made-up mails are replaced: these come first, as their age says. */
function addOldMails(database: DatabaseSync, mails: number): void {
  database.exec("DELETE FROM mail; DELETE FROM sqlite_sequence WHERE name = 'mail'");
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
       INSERT INTO mail (kind, submission, status, attempts, created_at, ended_at, last_answer)
       SELECT 'inquiry-receipt', 1 + n % ?2, 'sent', 1, ?3 + n, ?3 + n, 'mail-' || n FROM numbers`,
    )
    .run(mails, submissions, Date.now() - 100 * dayMs);
}

function timesOf(latencies: readonly number[]) {
  const sorted = Float64Array.from(latencies).toSorted();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}
