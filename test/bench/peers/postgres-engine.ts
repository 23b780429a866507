// The peers' store on PostgreSQL: one statement, and so one transaction, for all submissions that it is given.
import { Pool } from "pg";
import type { Engine } from "./peer-store.ts";

const text = `
  WITH settled AS (UPDATE mail SET sent_at = $1, due_at = NULL WHERE id = ANY ($2::bigint[])),
  stored AS (INSERT INTO submission SELECT id, $1, email, fields FROM unnest($3::text[], $4::text[], $5::text[]) AS new (id, email, fields))
  INSERT INTO mail (submission, kind, due_at)
  SELECT submission, kind, $1 FROM unnest($6::text[], $7::text[]) WITH ORDINALITY AS new (submission, kind, position) ORDER BY position
  RETURNING id`;

/** Two transactions at once: one is made while the other is on its way. */
const connections = 2;

export async function openPostgresEngine(url: string): Promise<Engine> {
  const pool = new Pool({ connectionString: url, max: connections });
  await pool.query(`
    CREATE TABLE submission (id text PRIMARY KEY, received_at bigint NOT NULL, email text NOT NULL, fields text NOT NULL);
    CREATE TABLE mail (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, submission text NOT NULL, kind text NOT NULL, due_at bigint, sent_at bigint);
    CREATE INDEX mail_due ON mail (due_at) WHERE due_at IS NOT NULL;`);
  return {
    atOnce: connections,
    async store(submissions, sentMails) {
      const mails = submissions.flatMap(({ id, mails: kinds }) => kinds.map((kind) => [id, kind] as const));
      const values = [
        Date.now(),
        sentMails,
        submissions.map(({ id }) => id),
        submissions.map(({ email }) => email),
        submissions.map(({ facts }) => JSON.stringify(facts)),
        mails.map(([id]) => id),
        mails.map(([, kind]) => kind),
      ];
      const { rows } = await pool.query<{ id: string }>({ name: "store", text, values });
      const ids = rows.map(({ id }) => Number(id));
      return submissions.map(({ mails: kinds }) => ids.splice(0, kinds.length));
    },
  };
}
