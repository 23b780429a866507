// Rows that are sent later, of two tables: mails, and deliveries to webhooks. One text claims them, one renews their leases
// and one settles them. Both tables name the same thing by the same name; what differs is an `OutboxTable`.
import type { OutboxStore } from "../store.ts";
import { heldUntil } from "./held.ts";
import { settlementWaitMs } from "../rules/mails.ts";
import {
  type MailRow,
  type OutboxTable,
  type Settled,
  settledColumns,
  type SettledValue,
} from "../rules/outbox-row.ts";
import { type Engine, type Steps, together } from "./engine.ts";

const parameter: SettledValue = (column) =>
  `CAST($${Object.keys(settledColumns).indexOf(column) + 1} AS ${settledColumns[column]})`;

/**
 * Settles rows and gives their leases back; touches no row that another owner holds. It asks for the due time, not for the
 * status: otherwise the planner of a new database might read the index of all queued rows.
 * @param from where the values come from; without it they are parameters
 */
export const settling = (
  { name, settles }: Pick<OutboxTable<MailRow, unknown, unknown>, "name" | "settles">,
  value: SettledValue = parameter,
  from = "",
): string => `
  UPDATE ${name} SET status = ${value("status")}, attempts = attempts + ${value("tries")}, due_at = ${value("due_at")},
    scheduled_at = ${value("scheduled_at")}, ended_at = ${value("ended_at")},
    last_answer = coalesce(${value("last_answer")}, ${name}.last_answer), ${settles(value)}
    lease_owner = NULL, lease_until = NULL
  ${from}
  WHERE ${name}.id = ${value("id")} AND ${name}.created_at = ${value("created_at")} AND ${name}.due_at IS NOT NULL
    AND ${name}.lease_owner = ${value("owner")}`;

/** By so much the clocks of processes may differ. */
const slackMs = 60_000;

/** No lease is longer: one that ends later was taken by a clock that was ahead. */
const leaseMsMax = 2 * 60_000;

/** How often rows are looked for that another process may have written while its clock was ahead. */
const lookedForMs = 30_000;

/**
 * Makes rows due that were written by a clock that was ahead and has been set back. To be called before each claim. When they
 * were written is not indexed, so it looks at all of them only at its first call and when the time has gone back, and
 * otherwise at those that are due later than any that is tried again.
 */
function makeRewind(
  { prepare, read, write }: Engine,
  { name, lanes, lane, delayMsMax }: Pick<OutboxTable<never, never, never>, "name" | "lanes" | "lane" | "delayMsMax">,
) {
  const setAt = "coalesce(scheduled_at, created_at)";
  // What was put off for longer still waits for as long.
  const rewind = prepare(`
    UPDATE ${name} SET scheduled_at = $1,
      due_at = $1 + CASE WHEN due_at - ${setAt} > ${delayMsMax} THEN due_at - ${setAt} ELSE 0 END
    WHERE status = 'queued' AND due_at > $2 AND due_at < ${heldUntil} AND ${setAt} > $2`);
  const find = prepare<object>(`
    SELECT lane FROM (${lanes}) AS lanes WHERE EXISTS (SELECT 1 FROM ${name}
      WHERE ${lane} = lanes.lane AND status = 'queued' AND due_at > $2 AND due_at < ${heldUntil} AND ${setAt} > $1)`);
  let latest = Infinity;
  let lookedAt = -Infinity;
  return {
    /** Remembers the latest time at which a row was written. */
    sees: (now: number) => void (latest = Math.max(latest, now)),

    async rewind(now: number): Promise<void> {
      const soon = now + slackMs;
      const isLookedFor = Math.abs(now - lookedAt) >= lookedForMs;
      const isFound = isLookedFor && (await read(find(soon, soon + delayMsMax))).length > 0;
      if (isLookedFor) lookedAt = now;
      const isBack = now < latest - slackMs;
      // What is seen while it writes is for the next call.
      latest = isBack ? now : Math.max(latest, now);
      if (!isFound && !isBack) return;
      await write(rewind(now, soon)).catch((error: unknown) => {
        latest = Infinity;
        throw error;
      });
    },
  };
}

/**
 * @param refused which claimed rows must not be sent after all, and why; null: it has put the row off
 * @param settleBeside settles rows in the next commit of submissions, and answers which it has settled. It passes over rows
 *   that another session has locked, so that no submission waits for them. Without it the engine's transactions are those
 *   commits.
 */
export function makeOutbox<Row extends MailRow, Leased, Settlement extends { readonly id: string }>(
  engine: Engine,
  table: OutboxTable<Row, Leased, Settlement>,
  refused: ((rows: readonly Row[], now: number) => Steps<ReadonlyMap<number, string | null>>) | null = null,
  settleBeside?: (rows: readonly Settled[]) => Promise<readonly number[]>,
): OutboxStore<Leased, Settlement> {
  const { prepare, among, amongUnlocked, read, transaction } = engine;
  const { name, idOf, parseId, lane, lanes, columns, joins, claims } = table;
  const clock = makeRewind(engine, table);
  const isDue = (now: string, endedBefore: string) => `status = 'queued' AND due_at <= ${now}
    AND (lease_until IS NULL OR lease_until < ${endedBefore} OR lease_until > ${now} + ${leaseMsMax})`;
  const findLanes = prepare<{ lane: number }>(`
    SELECT lane FROM (${lanes}) AS lanes
    WHERE EXISTS (SELECT 1 FROM ${name} WHERE ${lane} = lanes.lane AND ${isDue("$1", "$2")})`);
  // Rows that another process is leasing at this moment are not waited for.
  const lend = prepare<{ id: number }>(`
    UPDATE ${name} SET ${claims} lease_owner = $1, lease_until = $2 WHERE ${amongUnlocked(
      "id",
      `SELECT id FROM ${name} WHERE ${lane} = $3 AND ${isDue("$4", "$5")} ORDER BY due_at, id LIMIT $6`,
    )} RETURNING id`);
  const readLent = prepare<Row & { readonly dueAt: number }>(`
    SELECT ${columns}, ${name}.due_at AS "dueAt" FROM ${name} ${joins}
    WHERE ${among(`${name}.id`, "$1", "bigint")}`);
  const renew = prepare<MailRow>(`
    UPDATE ${name} SET lease_until = $1 WHERE ${among("id", "$2", "bigint")} AND due_at IS NOT NULL AND lease_owner = $3
    RETURNING id AS row, created_at AS "createdAt"`);
  const settleEach = engine.prepareEach(settling(table), table.settled);
  // Repeatable: the second time the leases are gone.
  const settleLeft = transaction((left: readonly Settled[]) => together(settleEach(left)), {
    repeatable: true,
    waitMs: settlementWaitMs,
  });

  return {
    async claim(now, limit, { owner, until }, { endedBefore = now, underWay = [] } = {}) {
      await clock.rewind(now);
      const roomOf = (one: number) => limit - underWay.filter((other) => other === one).length;
      // Without a transaction where there is nothing to do: this is asked for every second.
      const due = (await read(findLanes(now, endedBefore))).filter((found) => roomOf(found.lane) > 0);
      if (due.length === 0) return [];
      const lending = () =>
        together(due.map((found) => lend(owner, until, found.lane, now, endedBefore, roomOf(found.lane))));
      const claim = function* () {
        const ids = (yield* lending()).flat().map(({ id }) => id);
        const rows = ids.length === 0 ? [] : yield* readLent(ids);
        const sorted = rows.toSorted((one, other) => one.dueAt - other.dueAt || one.row - other.row);
        const refusals = refused === null ? null : yield* refused(rows, now);
        return sorted.flatMap((row) => {
          const refusal = refusals?.get(row.row);
          return refusal === null ? [] : table.leased(idOf(row), row, now, until, refusal);
        });
      };
      // Repeatable: leases whose answer was lost run out.
      return transaction(claim, { repeatable: true })();
    },

    async renew(ids, { owner, until }) {
      const rows = ids.flatMap((id) => parseId(id)?.row ?? []);
      const renewed = await transaction(renew, { repeatable: true })(until, rows, owner);
      return new Set(renewed.map(idOf));
    },

    async settle(settlements, owner) {
      const rows = settlements.flatMap((settlement) => {
        const named = parseId(settlement.id);
        if (named === null) return [];
        return { ...table.ended(settlement), id: named.row, created_at: named.createdAt, owner };
      });
      if (rows.length === 0) return;
      try {
        const settled = new Set(await settleBeside?.(rows));
        const left = settled.size === 0 ? rows : rows.filter(({ id }) => !settled.has(id));
        if (left.length > 0) await settleLeft(left);
      } finally {
        // Behind the commit: a claim that came before it has not looked at these rows.
        clock.sees(Math.max(...rows.map(({ scheduled_at: at }) => at ?? 0)));
      }
    },
  };
}
