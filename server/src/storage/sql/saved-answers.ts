// Saved answers: texts that operators begin replies with.
import type { SavedAnswer } from "@submissions/shared/console";
import { type ReplyStore, savedAnswersMax } from "../reply-store.ts";
import type { Changes } from "./changes.ts";
import type { Engine } from "./engine.ts";

export function makeSavedAnswers({ prepare, among, read, transaction }: Engine, { audit }: Changes) {
  const ofKinds = among("kind", "$1");
  const list = prepare<SavedAnswer>(`SELECT id, kind, title, text, language FROM saved_answer WHERE ${ofKinds}`);
  const add = prepare<{ id: number }>(`
    INSERT INTO saved_answer (kind, title, text, language)
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT)
    WHERE (SELECT count(*) FROM saved_answer WHERE kind = $1) < ${savedAnswersMax} RETURNING id`);
  const change = prepare<{ id: number }>(`
    UPDATE saved_answer SET kind = $2, title = $3, text = $4, language = $5
    WHERE ${ofKinds} AND id = $6 AND text = coalesce($7, text) RETURNING id`);
  const remove = prepare<{ title: string }>(`DELETE FROM saved_answer WHERE ${ofKinds} AND id = $2 RETURNING title`);

  return {
    async listSavedAnswers({ kinds }) {
      const found = await read(list(kinds));
      // Sorted here: they are few, and no index has this order.
      return found.toSorted((one, other) => one.title.localeCompare(other.title, "en") || one.id - other.id);
    },

    changeSavedAnswer: transaction(function* ({ kinds }, answer, actor) {
      if ("removed" in answer) {
        const [removed] = yield* remove(kinds, answer.removed);
        if (removed === undefined) return false;
        yield* audit({ action: "answer.remove", subject: removed.title, detail: { answer: answer.removed } }, actor);
        return true;
      }
      const { id, kind, title, text, language, was = null } = answer;
      if (!kinds.includes(kind)) return false;
      const [saved] = yield* id === null
        ? add(kind, title, text, language)
        : change(kinds, kind, title, text, language, id, was);
      if (saved === undefined) return false;
      yield* audit({ action: "answer.save", subject: title, detail: { answer: saved.id } }, actor);
      return true;
    }),
  } satisfies Partial<ReplyStore>;
}
