// Erases persons and outdated submissions, a batch in each transaction. What refers to a submission goes with it, its
// words in the search, too. Dead rows keep the words until VACUUM, which the server does by itself.
import { emailKey } from "@submissions/shared/fields";
import type { Actor, Erased, Outdated } from "../desk-store.ts";
import { erasedAtOnce } from "../rules/erasing.ts";
import { lockAddress } from "./addresses.ts";
import type { Connections } from "./connections.ts";
import type { Session, Statement } from "./session.ts";
import { auditWithin } from "./desk-changes.ts";
import { hashedInSql } from "./suppressed.ts";

const limit = erasedAtOnce.postgres;

interface Counts {
  readonly submissions: number;
  readonly resumes: number;
}

/** Erases the submissions of a list of arrival numbers. Keys of their resumes are kept. */
const erasing = (name: string, list: string): Statement<Counts> => ({
  name,
  text: `
    WITH erased AS (
      DELETE FROM submission WHERE arrival = ANY (ARRAY (${list} ORDER BY arrival LIMIT ${limit} FOR UPDATE))
      RETURNING resume_key
    ),
    kept AS (
      INSERT INTO erased_resume SELECT resume_key FROM erased WHERE resume_key IS NOT NULL ON CONFLICT DO NOTHING
    )
    SELECT count(*) AS submissions, count(resume_key) AS resumes FROM erased`,
});

const ofPerson = erasing("erase-person", "SELECT arrival FROM submission WHERE email_key = $1");

// Arrival numbers are in the order of time, but for seconds: what is left out now is found the next day.
const outdatedOf = {
  kind: erasing(
    "erase-outdated",
    "SELECT arrival FROM submission WHERE kind = $1 AND arrival < $2 AND received_at < $3 AND status <> 'spam'",
  ),
  spam: erasing(
    "erase-outdated-spam",
    "SELECT arrival FROM submission WHERE status = $1 AND arrival < $2 AND received_at < $3",
  ),
};

const eraseSubscriber: Statement = { name: "erase-subscriber", text: "DELETE FROM subscriber WHERE email_key = $1" };

const eraseSuppression: Statement<{ reason: string | null }> = {
  name: "erase-suppression",
  text: `
    WITH erased AS (DELETE FROM suppression WHERE email_key = $1 RETURNING reason, changed_at),
    kept AS (
      INSERT INTO suppression (email_key, reason, changed_at)
      SELECT ${hashedInSql("$1")}, reason, changed_at FROM erased WHERE reason IS NOT NULL
      ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at
    )
    SELECT reason FROM erased`,
};

const toDiscard: Statement<{ key: string }> = {
  name: "resumes-to-discard",
  text: "SELECT resume_key AS key FROM erased_resume ORDER BY resume_key LIMIT $1",
};

const discarded: Statement = {
  name: "resumes-discarded",
  text: "DELETE FROM erased_resume WHERE resume_key = ANY ($1::text[])",
};

export class DeskErase {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  person(email: string, actor: Actor): Promise<Erased> {
    const key = emailKey(email);
    return this.#connections.transaction(async (session: Session) => {
      await session.all(lockAddress, [key]);
      const [counts] = await session.all(ofPerson, [key]);
      const subscriptions = await session.run(eraseSubscriber, [key]);
      const suppressions = await session.all(eraseSuppression, [key]);
      const { submissions = 0, resumes = 0 } = counts ?? {};
      const detail = { submissions, subscriptions, resumes };
      const erased = submissions + subscriptions + suppressions.length > 0;
      if (erased) await auditWithin(session, [{ action: "erase", subject: "person", detail }], actor);
      return { ...detail, more: submissions === limit };
    });
  }

  /** @param firstKept arrival number of the first submission that is young enough */
  async outdated({ kind, before }: Outdated, firstKept: number): Promise<Erased> {
    const statement = kind === "spam" ? outdatedOf.spam : outdatedOf.kind;
    const [counts] = await this.#connections.write(statement, [kind, firstKept, before], { repeatable: true });
    const { submissions = 0, resumes = 0 } = counts ?? {};
    return { submissions, resumes, subscriptions: 0, more: submissions === limit };
  }

  async toDiscard(count: number): Promise<string[]> {
    return (await this.#connections.all(toDiscard, [count])).map(({ key }) => key);
  }

  async discarded(keys: readonly string[]): Promise<void> {
    await this.#connections.write(discarded, [keys], { repeatable: true });
  }
}
