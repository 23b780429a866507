// What the database knows of addresses that an automatic mail would go to, and the lock on each. Whoever changes anything
// that is known of an address (its subscriber, its links, its suppression, its mails) first takes its lock: what was read
// after that stays true until the transaction ends, in all processes.
import { sql } from "kysely";
import { automaticMailAllowed, automaticMailMs } from "../automatic-mail.ts";
import type { Queries } from "../queries/compile.ts";
import type { MailTable } from "../schema.ts";
import type { Mailable } from "../rules/subscription.ts";
import type { Session } from "./connections.ts";
import { anyOf } from "./queries.ts";

/**
 * Takes the locks of addresses, in the form of `emailKey`. All at once and in one order everywhere, so that nobody waits
 * for somebody who waits for them.
 */
export async function lockAddresses(queries: Queries, session: Session, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  const locks = sql`
    SELECT pg_advisory_xact_lock(number) FROM (
      SELECT DISTINCT hashtextextended(key, 0) AS number FROM unnest(${keys}::text[]) AS key ORDER BY number
    ) AS ordered`;
  await session.all(locks.compile(queries));
}

/** What some addresses may be sent, kept up to date with the mails that a transaction stores. */
export class Addressees {
  readonly #suppressed = new Set<string>();
  readonly #mailedAt = new Map<string, number[]>();

  /** Reads what is known of addresses whose locks are held. `since` is the earliest time that is asked about later. */
  static async read(queries: Queries, session: Session, keys: readonly string[], since: number): Promise<Addressees> {
    const addressees = new Addressees();
    if (keys.length === 0) return addressees;
    const known = queries
      .selectFrom("suppression")
      .select(["email_key as key", sql<number | null>`NULL::bigint`.as("at")])
      .where("email_key", "=", anyOf(keys))
      .where("reason", "is not", null)
      .unionAll(
        queries
          .selectFrom("mail")
          .select(["automatic_to as key", "created_at as at"])
          .where("automatic_to", "=", anyOf(keys))
          .where("created_at", ">", since - automaticMailMs)
          .$castTo<{ key: string; at: number | null }>(),
      );
    for (const { key, at } of await session.all(known.compile())) {
      if (at === null) addressees.#suppressed.add(key);
      else addressees.#note(key, at);
    }
    return addressees;
  }

  mayMail(key: string, now: number): Mailable {
    const suppressed = this.#suppressed.has(key);
    const times = this.#mailedAt.get(key) ?? [];
    const mailedInLastDay = times.filter((at) => at > now - automaticMailMs).length;
    return { suppressed, allowed: automaticMailAllowed({ suppressed, mailedInLastDay }) };
  }

  /** Those of the mails that are to be stored: all but automatic ones that their addressee may not get. */
  admit(mails: readonly MailTable[], now: number): MailTable[] {
    return mails.filter(({ automatic_to: key, created_at: at }) => {
      if (key !== null && !this.mayMail(key, now).allowed) return false;
      if (key !== null) this.#note(key, at);
      return true;
    });
  }

  #note(key: string, at: number): void {
    const times = this.#mailedAt.get(key);
    if (times === undefined) this.#mailedAt.set(key, [at]);
    else times.push(at);
  }
}

/** The addresses that these mails are counted for. */
export const automaticKeys = (mails: readonly MailTable[]): string[] =>
  mails.flatMap(({ automatic_to: key }) => (key === null ? [] : [key]));
