// Numbers of the overview. Past days were counted before; only what came since is counted when it is asked for.
import type { Overview } from "@submissions/shared/console";
import type { Scope } from "../desk-store.ts";
import { firstAt } from "../ranges.ts";
import type { SubmissionKind } from "../records.ts";
import { dayAt, dayMs, isSubmissionKind, median, shownDay, startOfDay, storedDay } from "../rules/days.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { inboxRow, listedColumns, type ListedRow } from "../rules/inbox-row.ts";
import { growthOf, responsesMax, shownDays, waitingMax } from "../rules/overview.ts";
import type { Connections } from "./connections.ts";
import type { Statement } from "./session.ts";
import type { DeskLists } from "./desk-lists.ts";

const counted: Statement<{ day: number; kind: string; counted: number }> = {
  name: "counted-days",
  text: "SELECT day, kind, counted FROM day_count WHERE day >= $1 ORDER BY day",
};

const lastCounted: Statement<{ day: number | null }> = {
  name: "last-counted-day",
  text: "SELECT max(day) AS day FROM day_count",
};

const firstReceived: Statement<{ at: number }> = {
  name: "first-received",
  text: "SELECT received_at AS at FROM submission ORDER BY arrival LIMIT 1",
};

const countKind: Statement<{ count: number }> = {
  name: "count-kind-between",
  text: "SELECT count(*) AS count FROM submission WHERE kind = $1 AND arrival >= $2 AND arrival < $3 AND status <> 'spam'",
};

const storeDay: Statement = {
  name: "store-day",
  text: `
    INSERT INTO day_count (day, kind, counted) SELECT $1, * FROM unnest($2::text[], $3::bigint[])
    ON CONFLICT (day, kind) DO UPDATE SET counted = excluded.counted`,
};

const active: Statement<{ count: number }> = {
  name: "count-active",
  text: "SELECT count(*) AS count FROM subscriber WHERE status = 'active'",
};

const responses: Statement<{ took: number }> = {
  name: "responses",
  text: `SELECT responded_at - received_at AS took FROM submission
    WHERE responded_at > $1 AND kind = ANY ($2::text[]) ORDER BY responded_at DESC LIMIT ${responsesMax}`,
};

const waiting: Statement<ListedRow> = {
  name: "waiting-longest",
  text: `SELECT ${listedColumns} FROM submission
    WHERE status = 'new' AND kind = ANY ($1::text[]) ORDER BY arrival LIMIT ${waitingMax}`,
};

const lastMail: Statement<{ last: number }> = {
  name: "last-mail",
  text: "SELECT coalesce(max(id), 0) AS last FROM mail",
};

const mailAt: Statement<{ at: number }> = {
  name: "mail-at",
  text: "SELECT created_at AS at FROM mail WHERE id >= $1 ORDER BY id LIMIT 1",
};

const mailOutcomes: Statement<{ status: string; count: number }> = {
  name: "mail-outcomes",
  text: "SELECT status, count(*) AS count FROM mail WHERE id >= $1 AND kind = ANY ($2::text[]) GROUP BY status",
};

export class DeskOverview {
  readonly #connections: Connections;
  readonly #lists: DeskLists;

  constructor(connections: Connections, lists: DeskLists) {
    this.#connections = connections;
    this.#lists = lists;
  }

  async overview(scope: Scope, now: number): Promise<Overview> {
    const since = now - shownDays * dayMs;
    const [waits, took, days, mails] = await Promise.all([
      this.#connections.all(waiting, [scope.kinds]),
      this.#connections.all(responses, [since, scope.kinds]),
      this.#days(scope, now),
      this.#mails(scope, since),
    ]);
    return { days, mails, waiting: waits.map(inboxRow), firstResponseMs: median(took.map((row) => row.took)) };
  }

  async #days({ kinds }: Scope, now: number): Promise<Overview["days"]> {
    const today = startOfDay(now);
    const first = today - (shownDays - 1) * dayMs;
    const known = await this.#connections.all(counted, [storedDay(first)]);
    const lastKnown = known.reduce((last, { day, kind }) => (isSubmissionKind(kind) ? Math.max(last, day) : last), 0);
    const found: { day: string; inquiries: number; applications: number }[] = [];
    for (let at = first; at <= today; at += dayMs) {
      const day = storedDay(at);
      const numbers = { inquiry: 0, application: 0 };
      if (day <= lastKnown) {
        for (const row of known) if (row.day === day && isSubmissionKind(row.kind)) numbers[row.kind] = row.counted;
      } else Object.assign(numbers, await this.#countDay(at, kinds));
      const seen = (kind: SubmissionKind) => (kinds.includes(kind) ? numbers[kind] : 0);
      found.push({ day: shownDay(at), inquiries: seen("inquiry"), applications: seen("application") });
    }
    return found;
  }

  async #countDay(at: number, kinds: readonly SubmissionKind[]): Promise<Partial<Record<SubmissionKind, number>>> {
    const [from, to] = [await this.#lists.firstSince(at), await this.#lists.firstSince(at + dayMs)];
    const numbers: Partial<Record<SubmissionKind, number>> = {};
    for (const kind of kinds) numbers[kind] = (await this.#connections.all(countKind, [kind, from, to]))[0]?.count ?? 0;
    return numbers;
  }

  async #mails(scope: Scope, since: number): Promise<Overview["mails"]> {
    const last = (await this.#connections.all(lastMail))[0]?.last ?? 0;
    const first = await firstAt(since, last, async (id) => (await this.#connections.all(mailAt, [id]))[0]?.at ?? null);
    const rows = await this.#connections.all(mailOutcomes, [first, mailKindsOf(scope)]);
    const of = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
    return { queued: of("queued"), sent: of("sent"), failed: of("failed"), inDoubt: of("in-doubt") };
  }

  async growth(now: number, shown: number): Promise<{ day: string; active: number }[]> {
    const from = storedDay(startOfDay(now) - (shown - 1) * dayMs);
    const [rows, [current]] = await Promise.all([
      this.#connections.all(counted, [from]),
      this.#connections.all(active),
    ]);
    return growthOf(rows, now, current?.count ?? 0);
  }

  /** Counts the next past day. Answers whether there are more. */
  async countNextDay(now: number): Promise<boolean> {
    const last = (await this.#connections.all(lastCounted))[0]?.day ?? null;
    const first = (await this.#connections.all(firstReceived))[0]?.at ?? now - dayMs;
    const at = last === null ? startOfDay(first) : dayAt(last) + dayMs;
    if (at >= startOfDay(now)) return false;
    const numbers = await this.#countDay(at, ["inquiry", "application"]);
    const kinds: string[] = Object.keys(numbers);
    const counts: number[] = Object.values(numbers);
    const isYesterday = at === startOfDay(now) - dayMs;
    if (isYesterday) {
      kinds.push("subscriber");
      counts.push((await this.#connections.all(active))[0]?.count ?? 0);
    }
    await this.#connections.write(storeDay, [storedDay(at), kinds, counts], { repeatable: true });
    return !isYesterday;
  }
}
