// Subscribers and mails, page by page.
import { emailKey } from "@submissions/shared/fields";
import { arrivalsMax, type DeskStore, sourcesMax } from "../desk-store.ts";
import { quoted } from "../rules/columns.ts";
import { dayMs, shownDay, startOfDay } from "../rules/days.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscription.ts";
import { bindTo, type Engine, only, type Value } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

/** Subscribers that one statement counts. */
const countedAtOnce = 20_000;

export function makeLists(engine: Engine) {
  const { prepare, read, unprepared, indexedBy } = engine;
  const lastSubscriber = prepare<{ last: number }>("SELECT coalesce(max(arrival), 0) AS last FROM subscriber");
  const sourcesOf = prepare<{ source: string; subscribers: number }>(`
    SELECT source, count(*) AS subscribers FROM subscriber WHERE arrival > $1 AND arrival <= $2 GROUP BY source`);
  const subscribers = prepareNewestFirst(engine, {
    columns: subscriberColumns,
    name: "subscriber",
    number: "arrival",
    numberOf: ({ arrival }: SubscriberRow) => arrival,
    recordOf: storedSubscriber,
  });
  const mails = prepareNewestFirst(engine, {
    columns: mailColumns,
    name: "mail",
    joins: mailJoins,
    number: "mail.id",
    numberOf: ({ row }: ReadMail) => row,
    recordOf: storedMail,
  });

  return {
    listSubscribers: ({ status, source, search = "" }, page) =>
      subscribers((bind) => {
        // Both engines call this differently: whether a text holds another.
        const conditions = search === "" ? [] : [`email_key <> replace(email_key, ${bind(emailKey(search))}, '')`];
        if (source !== undefined) conditions.push(`source = ${bind(source)}`);
        if (status === undefined) return { conditions };
        return { conditions: [`status = ${bind(status)}`, ...conditions], index: "subscriber_status" };
      }, page),

    async subscriberArrivals({ status, source }, now, days) {
      const values: Value[] = [];
      const bind = bindTo(values);
      const first = startOfDay(now) - (days - 1) * dayMs;
      const conditions = [
        ...(status === undefined ? [] : [`status = ${bind(status)}`]),
        ...(source === undefined ? [] : [`source = ${bind(source)}`]),
      ];
      const index = status !== undefined ? "subscriber_status" : source !== undefined ? "subscriber_source" : null;
      const text = `SELECT at - at % ${dayMs} AS day, count(*) AS count FROM (
          SELECT subscribed_at AS at FROM subscriber ${indexedBy(index)}
          WHERE ${["true", ...conditions].join(" AND ")} ORDER BY arrival DESC LIMIT ${arrivalsMax}) AS newest
        WHERE at >= ${bind(first)} GROUP BY day`;
      const found = await read(unprepared<{ day: number; count: number }>(text, values, "index"));
      const counts = new Map(found.map(({ day, count }) => [day, count]));
      return Array.from({ length: days }, (_, at) => first + at * dayMs).map((day) => ({
        day: shownDay(day),
        count: counts.get(day) ?? 0,
      }));
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
      return found.toSorted((one, other) => other.count - one.count).slice(0, sourcesMax);
    },

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const conditions = [
        `mail.kind IN (${quoted(kinds)})`,
        ...(status === undefined ? [] : [`mail.status = '${status}'`]),
      ];
      // The condition of the index is repeated as it is there.
      const stopped = { conditions: [...conditions, "mail.status IN ('failed', 'in-doubt')"], index: "mail_stopped" };
      const hasStopped = status === "failed" || status === "in-doubt";
      return mails(() => (hasStopped ? stopped : { conditions }), page);
    },
  } satisfies Partial<DeskStore>;
}
