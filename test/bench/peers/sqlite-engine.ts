// The peers' store on node:sqlite.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Engine } from "./peer-store.ts";

export function openSqliteEngine(folder: string): Engine {
  const database = new DatabaseSync(join(folder, "peer.sqlite"));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE submission (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL, email TEXT NOT NULL, fields TEXT NOT NULL) STRICT;
    CREATE TABLE mail (id INTEGER PRIMARY KEY, submission TEXT NOT NULL, kind TEXT NOT NULL, due_at INTEGER, sent_at INTEGER) STRICT;
    CREATE INDEX mail_due ON mail (due_at) WHERE due_at IS NOT NULL;`);
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insertSubmission = database.prepare("INSERT INTO submission VALUES (?, ?, ?, ?)");
  const insertMail = database.prepare("INSERT INTO mail (submission, kind, due_at) VALUES (?, ?, ?)");
  const settle = database.prepare("UPDATE mail SET sent_at = ?, due_at = NULL WHERE id = ?");
  return {
    atOnce: 1,
    async store(submissions, sentMails) {
      const now = Date.now();
      begin.run();
      for (const id of sentMails) settle.run(now, id);
      const ids = submissions.map(({ id, email, facts, mails }) => {
        insertSubmission.run(id, now, email, JSON.stringify(facts));
        return mails.map((kind) => Number(insertMail.run(id, kind, now).lastInsertRowid));
      });
      commit.run();
      return ids;
    },
  };
}
