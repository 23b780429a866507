// Numbers of the overview.
import { firstAt } from "../ranges.ts";
import type { SubmissionKind } from "../records.ts";
import { dayMs } from "../rules/days.ts";
import { listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import {
  type CountedDay,
  type DayCounts,
  type MailCount,
  makeOverview,
  responsesMax,
  waitingMax,
} from "../rules/overview.ts";
import type { Connections } from "./connections.ts";
import { firstSince } from "./desk-lists.ts";
import { prepared } from "./statement.ts";

const counted = prepared<CountedDay>("SELECT day, kind, counted FROM day_count WHERE day >= $1 ORDER BY day");

const lastCounted = prepared<{ day: number | null }>("SELECT max(day) AS day FROM day_count");

const firstReceived = prepared<{ at: number }>("SELECT received_at AS at FROM submission ORDER BY arrival LIMIT 1");

const countKind = prepared<{ count: number }>(
  "SELECT count(*) AS count FROM submission WHERE kind = $1 AND arrival >= $2 AND arrival < $3 AND status <> 'spam'",
);

const storeDay = prepared(`
  INSERT INTO day_count (day, kind, counted) SELECT $1, * FROM unnest($2::text[], $3::bigint[])
  ON CONFLICT (day, kind) DO UPDATE SET counted = excluded.counted`);

const active = prepared<{ count: number }>("SELECT count(*) AS count FROM subscriber WHERE status = 'active'");

const responses = prepared<{ took: number }>(`
  SELECT responded_at - received_at AS took FROM submission
  WHERE responded_at > $1 AND kind = ANY ($2::text[]) ORDER BY responded_at DESC LIMIT ${responsesMax}`);

const waiting = prepared<ListedRow>(`
  SELECT ${listedColumns} FROM submission
  WHERE status = 'new' AND kind = ANY ($1::text[]) ORDER BY arrival LIMIT ${waitingMax}`);

const lastMail = prepared<{ last: number }>("SELECT coalesce(max(id), 0) AS last FROM mail");

const mailAt = prepared<{ at: number }>("SELECT created_at AS at FROM mail WHERE id >= $1 ORDER BY id LIMIT 1");

const mailOutcomes = prepared<MailCount>(
  "SELECT status, count(*) AS count FROM mail WHERE id >= $1 AND kind = ANY ($2::text[]) GROUP BY status",
);

export function makeDeskOverview(connections: Connections) {
  async function countDay(at: number, kinds: readonly SubmissionKind[]): Promise<DayCounts> {
    const [from, to] = [await firstSince(connections, at), await firstSince(connections, at + dayMs)];
    const counts: DayCounts = {};
    for (const kind of kinds) counts[kind] = (await connections.all(countKind, [kind, from, to]))[0]?.count ?? 0;
    return counts;
  }

  async function countMails(since: number, kinds: readonly string[]): Promise<MailCount[]> {
    const last = (await connections.all(lastMail))[0]?.last ?? 0;
    const first = await firstAt(since, last, async (id) => (await connections.all(mailAt, [id]))[0]?.at ?? null);
    return connections.all(mailOutcomes, [first, kinds]);
  }

  return makeOverview({
    counted: (day) => connections.all(counted, [day]),
    lastCounted: async () => (await connections.all(lastCounted))[0]?.day ?? null,
    firstReceivedAt: async () => (await connections.all(firstReceived))[0]?.at ?? null,
    countDay,
    countActive: async () => (await connections.all(active))[0]?.count ?? 0,
    storeDay: (day, counts) =>
      connections.write(storeDay, [day, Object.keys(counts), Object.values(counts)], { repeatable: true }),
    responses: async (since, kinds) => (await connections.all(responses, [since, kinds])).map((row) => row.took),
    waiting: (kinds) => connections.all(waiting, [kinds]),
    mails: countMails,
  });
}
