// Mails that came in and fit no submission.
import { emailKey } from "@submissions/shared/fields";
import { type InboundStore, unmatchedMax } from "../inbound-store.ts";
import { type KeptColumns, keptColumns, mailColumns, mailValues, unmatchedList } from "../rules/answers.ts";
import { readTexts } from "../rules/columns.ts";
import type { FileAnswer } from "./answers.ts";
import type { Changes } from "./changes.ts";
import type { Engine } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

export function makeUnmatched(engine: Engine, { audit, lockRows }: Changes, file: FileAnswer) {
  const { prepare, locking, transaction, write } = engine;
  const insert = prepare(`
    INSERT INTO unmatched (sender_key, automatic, files, ${mailColumns})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`);
  const forgetOldest = prepare(`
    DELETE FROM unmatched WHERE id <= (SELECT id FROM unmatched ORDER BY id DESC LIMIT 1 OFFSET ${unmatchedMax})`);
  const forgetOne = prepare("DELETE FROM unmatched WHERE identity = $1");
  const lockOne = prepare<KeptColumns>(`SELECT ${keptColumns} FROM unmatched WHERE id = $1 ${locking("FOR UPDATE")}`);
  const remove = prepare<object>("DELETE FROM unmatched WHERE id = $1 RETURNING id");

  return {
    keepUnmatched: transaction(function* ({ automatic, fileNames, ...mail }) {
      const key = emailKey(mail.senderAddress);
      yield* insert(key, automatic ? 1 : 0, JSON.stringify(fileNames), ...mailValues(mail));
      yield* forgetOldest();
    }),

    forgetUnmatched: async (identity) => void (await write(forgetOne(identity))),

    listUnmatched: prepareNewestFirst(engine, unmatchedList),

    fileUnmatched: transaction(function* (scope, id, reference, actor, teamKeys) {
      const row = (yield* lockRows(scope, [reference])).get(reference);
      const [found] = row === undefined ? [] : yield* lockOne(id);
      if (row === undefined || found === undefined) return false;
      const { automatic, files: names, ...mail } = found;
      const files = readTexts(names).map((name) => ({ name, size: 0, kept: null }));
      const sender = automatic === 1 ? "automatic" : "unverified";
      const fromKeys = [emailKey(mail.senderAddress)];
      yield* file({ ...mail, submission: row.arrival, sender, fromKeys, teamKeys, files }, actor.at);
      yield* remove(id);
      yield* audit({ action: "unmatched.file", subject: reference, detail: { mail: id } }, actor);
      return true;
    }),

    removeUnmatched: transaction(function* (id, actor) {
      if ((yield* remove(id)).length === 0) return false;
      yield* audit({ action: "unmatched.delete", subject: "unmatched", detail: { mail: id } }, actor);
      return true;
    }),
  } satisfies Partial<InboundStore>;
}
