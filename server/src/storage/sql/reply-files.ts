// Files of replies: attached to what an operator writes, sent with it, and attached again when it is taken back.
import { type ReplyFile, replyFileBytesMax, replyFilesMax } from "@submissions/shared/console";
import { type ReplyStore, unsentFilesMax } from "../reply-store.ts";
import type { Changes } from "./changes.ts";
import { type Engine, only, type Steps } from "./engine.ts";

type Attached = Omit<ReplyFile, "name"> & { readonly submission: number };

const fits = (files: readonly Pick<Attached, "size">[]): boolean =>
  files.length <= replyFilesMax && files.reduce((sum, { size }) => sum + size, 0) <= replyFileBytesMax;

/** The steps of a reply that is sent: locks its files, and gives them to it. */
export function prepareSendingFiles({ prepare, among, locking }: Engine) {
  const lock = prepare<Attached>(`
    SELECT id, submission, size FROM reply_file
    WHERE ${among("id", "$1", "bigint")} AND submission = $2 AND author = $3 AND reply IS NULL ${locking("FOR UPDATE")}`);
  const give = prepare(`UPDATE reply_file SET reply = $2, at = $3 WHERE ${among("id", "$1", "bigint")}`);
  return {
    *lock(ids: readonly number[], submission: number, author: string): Steps<"unattached" | "oversized" | null> {
      if (ids.length === 0) return null;
      const files = yield* lock(ids, submission, author);
      if (files.length < new Set(ids).size) return "unattached";
      return fits(files) ? null : "oversized";
    },
    *give(ids: readonly number[], reply: number, at: number): Steps<void> {
      if (ids.length > 0) yield* give(ids, reply, at);
    },
  };
}

export function makeReplyFiles(
  { prepare, among, indexedBy, transaction }: Engine,
  { audit, lockRows, freeAt }: Changes,
) {
  const unsent = prepare<Attached>(`
    SELECT id, submission, size FROM reply_file ${indexedBy("reply_file_unsent")}
    WHERE author = $1 AND reply IS NULL LIMIT ${unsentFilesMax}`);
  const insert = prepare<{ id: number }>(`
    INSERT INTO reply_file (submission, author, at, name, size, sha256, file_key)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`);
  // Its bytes are discarded by and by: a trigger keeps its key for that.
  const remove = prepare<{ reference: string }>(`
    DELETE FROM reply_file WHERE id = $1 AND author = $2 AND reply IS NULL
      AND submission IN (SELECT arrival FROM submission WHERE ${among("kind", "$3")})
    RETURNING (SELECT reference FROM submission WHERE arrival = submission) AS reference`);
  return {
    attach: transaction(function* (scope, reference, { name, size, kept }, actor) {
      const retryAt = yield* freeAt(actor, 1);
      if (retryAt !== null) return { retryAt };
      const row = (yield* lockRows(scope, [reference])).get(reference);
      if (row === undefined) return "unknown";
      const mine = yield* unsent(actor.operator);
      if (!fits([...mine.filter(({ submission }) => submission === row.arrival), { size }])) return "oversized";
      if (mine.length >= unsentFilesMax) return "unsent";
      if (kept === null) return "fits";
      const { operator, at } = actor;
      const { id } = only(yield* insert(row.arrival, operator, at, name, size, kept.sha256, kept.key));
      yield* audit({ action: "reply.attach", subject: reference, detail: { file: id } }, actor);
      return { id, name, size };
    }),

    removeFile: transaction(function* ({ kinds }, id, actor) {
      const [removed] = yield* remove(id, actor.operator, kinds);
      if (removed === undefined) return false;
      yield* audit({ action: "reply.detach", subject: removed.reference, detail: { file: id } }, actor);
      return true;
    }),
  } satisfies Partial<ReplyStore>;
}
