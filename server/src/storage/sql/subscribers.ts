// Subscribers, page by page and as numbers: how many are active day by day, when those of a filter came, and from which sources.
import type { SourceCount, SubscriberFilter } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { referenceDay } from "@submissions/shared/reference";
import { dayMs, shownDay, startOfDay } from "../../clock.ts";
import { arrivalSources, arrivalsMax, type DeskStore, sourcesMax } from "../desk-store.ts";
import { subscriberTable } from "../rules/subscription.ts";
import { type Bind, bindTo, type Engine, only, together, type Value } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

/** Subscribers that one statement counts. */
const countedAtOnce = 20_000;

/** The subscribers of a filter, and the index that leads to them. */
function wantedSubscribers({ status, source, search = "" }: SubscriberFilter, bind: Bind) {
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`status = ${bind(status)}`);
  if (source !== undefined) conditions.push(`source = ${bind(source)}`);
  // Both engines call this differently: whether a text holds another.
  if (search !== "") conditions.push(`email_key <> replace(email_key, ${bind(emailKey(search))}, '')`);
  const index = status !== undefined ? "subscriber_status" : source !== undefined ? "subscriber_source" : null;
  return { conditions, index };
}

export function makeSubscribers(engine: Engine) {
  const { prepare, read, unprepared, indexedBy, transaction } = engine;
  const list = prepareNewestFirst(engine, subscriberTable);
  const fromActive = `FROM subscriber ${indexedBy("subscriber_status")} WHERE status = 'active'`;
  const activeNow = prepare<{ active: number }>(`SELECT count(*) AS active ${fromActive}`);
  const growth = prepare<{ day: number; active: number }>(`
      SELECT day, counted AS active FROM day_count WHERE day >= $1 AND kind = 'subscriber' ORDER BY day`);
  /** Days that were counted although they were not over: a clock was ahead. */
  const forgetFuture = prepare("DELETE FROM day_count WHERE day >= $1");
  // Does not count again.
  const countDay = prepare(`
      INSERT INTO day_count (day, kind, counted)
      SELECT CAST($1 AS INTEGER), 'subscriber', count(*) ${fromActive}
        AND NOT EXISTS (SELECT 1 FROM day_count WHERE day = $1 AND kind = 'subscriber')
      ON CONFLICT (day, kind) DO NOTHING`);
  const lastSubscriber = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM subscriber");
  const sourcesOf = prepare<{ source: string; subscribers: number }>(`
    SELECT source, count(*) AS subscribers FROM subscriber WHERE arrival > $1 AND arrival <= $2 GROUP BY source`);

  return {
    listSubscribers: (filter, page) => list(page, (bind) => wantedSubscribers(filter, bind)),

    async subscriberGrowth(now, days) {
      const first = referenceDay(startOfDay(now) - (days - 1) * dayMs);
      const [past, active] = await Promise.all([read(growth(first)), read(activeNow())]);
      const shown = past.map((one) => ({ ...one, day: String(one.day).replace(/^(....)(..)(..)$/, "$1-$2-$3") }));
      return [...shown, { day: shownDay(now), ...only(active) }];
    },

    async countSubscribers(now) {
      const both = () => together([forgetFuture(referenceDay(now)), countDay(referenceDay(now - dayMs))]);
      await transaction(both, { repeatable: true })();
    },

    // Not by a search, which would read every subscriber in one statement.
    async subscriberArrivals(filter, now, days) {
      const values: Value[] = [];
      const bind = bindTo(values);
      const first = startOfDay(now) - (days - 1) * dayMs;
      const { conditions, index } = wantedSubscribers({ ...filter, search: "" }, bind);
      const text = `SELECT at - at % ${dayMs} AS day, source, count(*) AS count FROM (
          SELECT subscribed_at AS at, source FROM subscriber ${indexedBy(index)}
          WHERE ${["true", ...conditions].join(" AND ")} ORDER BY arrival DESC LIMIT ${arrivalsMax}) AS newest
        WHERE at >= ${bind(first)} GROUP BY day, source`;
      const found = await read(unprepared<{ day: number; source: string; count: number }>(text, values, "index"));
      const sum = (rows: readonly { readonly count: number }[]) => rows.reduce((all, { count }) => all + count, 0);
      const bySource = Map.groupBy(found, ({ source }) => source);
      const counts = Array.from(bySource, ([source, rows]) => ({ source, count: sum(rows) }));
      const shown = counts.toSorted(byFrequency).slice(0, arrivalSources);
      const byDay = Map.groupBy(found, ({ day }) => day);
      return Array.from({ length: days }, (_, at) => {
        const day = first + at * dayMs;
        const rows = byDay.get(day) ?? [];
        const countOf = (source: string) => sum(rows.filter((row) => row.source === source));
        const sources = Object.fromEntries(shown.map(({ source }) => [source, countOf(source)]));
        return { day: shownDay(day), count: sum(rows), sources };
      });
    },

    async countSources() {
      const counts = new Map<string, number>();
      const { last } = only(await read(lastSubscriber()));
      // In parts, so that other lists need not wait for a large table.
      for (let above = 0; above < last; above += countedAtOnce) {
        for (const { source, subscribers: many } of await read(sourcesOf(above, above + countedAtOnce))) {
          counts.set(source, (counts.get(source) ?? 0) + many);
        }
      }
      const found = Array.from(counts, ([source, count]) => ({ source, count }));
      return found.toSorted(byFrequency).slice(0, sourcesMax);
    },
  } satisfies Partial<DeskStore>;
}

/** The most frequent first, and those that are as frequent by name: no database promises an order of its own. */
const byFrequency = (one: SourceCount, other: SourceCount): number =>
  other.count - one.count || (one.source < other.source ? -1 : 1);
