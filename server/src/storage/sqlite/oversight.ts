// What operators and metrics ask about mails. Long work goes in steps, so that other work gets its turn.
import { setImmediate as nextTurn } from "node:timers/promises";
import { pageLimitMax } from "../desk-store.ts";
import { inSteps } from "../pages.ts";
import type { StoredMail } from "../records.ts";
import { storedMail } from "../rules/mail-row.ts";
import type { Store } from "../store.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { prepareMailPage } from "./desk-reading.ts";
import { type DuePlace, firstPlace, queuedBehind } from "./outbox.ts";

/** Mails that are counted in one step: about a millisecond. */
const countedAtOnce = 20_000;

export function makeOversight(connection: SqliteConnection) {
  const mailPage = prepareMailPage(connection);
  // SQLite uses a partial index only where its condition is repeated, and has to be told: it would rather read all mails
  // in the order of their rows.
  const countOfStopped = connection.prepare<["failed" | "in-doubt", number], { count: number; last: number | null }>(`
    SELECT count(*) AS count, max(id) AS last FROM (
      SELECT id FROM mail INDEXED BY mail_stopped
      WHERE mail.status IN ('failed', 'in-doubt') AND mail.status = ? AND id > ? ORDER BY id LIMIT ${countedAtOnce})`);
  const countQueued = connection.prepare<
    [number, number],
    { count: number; first: number | null; due: number | null }
  >(`
    SELECT count(*) AS count, min(id) AS first, min(dueAt) AS due FROM (${queuedBehind("id, due_at AS dueAt")} LIMIT ${countedAtOnce})`);
  const lastCounted = connection.prepare<[number, number], DuePlace>(
    `${queuedBehind("id, due_at AS dueAt")} LIMIT 1 OFFSET ${countedAtOnce - 1}`,
  );
  const createdAt = connection.prepare<[number], { createdAt: number }>(
    "SELECT created_at AS createdAt FROM mail WHERE id = ?",
  );

  function countBehind({ dueAt, id }: DuePlace) {
    const { count = 0, first = null, due = null } = countQueued.get(dueAt, id) ?? {};
    return { count, first, due, last: count < countedAtOnce ? null : (lastCounted.get(dueAt, id) ?? null) };
  }

  async function countStopped(status: "failed" | "in-doubt"): Promise<number> {
    let all = 0;
    await inSteps(0, async (after) => {
      const { count = 0, last = null } = (await read(() => countOfStopped.get(status, after))) ?? {};
      all += count;
      return count < countedAtOnce ? null : last;
    });
    return all;
  }

  return {
    async listMails({ status, limit }) {
      const listed: StoredMail[] = [];
      await inSteps(Number.MAX_SAFE_INTEGER, async (after) => {
        const { rows, next } = await mailPage(null, status, { after, limit: pageLimitMax });
        listed.push(...rows.map(storedMail));
        await nextTurn();
        return listed.length < limit ? next : null;
      });
      return listed.slice(0, limit);
    },

    async mailBacklog() {
      let queued = 0;
      let oldest = Infinity;
      let firstDueAt: number | null = null;
      await inSteps(firstPlace, async (after) => {
        const { count, first, due, last } = await read(() => countBehind(after));
        queued += count;
        // They are read in the order in which they are due.
        firstDueAt ??= due;
        oldest = Math.min(oldest, first ?? Infinity);
        return last;
      });
      const [failed, inDoubt] = [await countStopped("failed"), await countStopped("in-doubt")];
      // Row numbers are given in the order of time.
      const created = queued === 0 ? undefined : await read(() => createdAt.get(oldest));
      return { queued, failed, inDoubt, oldestCreatedAt: created?.createdAt ?? null, firstDueAt };
    },
  } satisfies Partial<Store>;
}

async function read<T>(step: () => T): Promise<T> {
  const result = await retryWhileBusy(step);
  await nextTurn();
  return result;
}
