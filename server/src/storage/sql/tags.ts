// Tags of submissions: in a table, by which lists and suggestions find them, and as a list with the submission, by which
// they are read.
import type { Actor, DeskStore } from "../desk-store.ts";
import { changedAtOnce, changeInBatches, inBatches } from "../pages.ts";
import { readTexts } from "../rules/columns.ts";
import { retagged } from "../rules/triage.ts";
import type { Changes } from "./changes.ts";
import { type Engine, type Steps, together } from "./engine.ts";

/** Suggestions that the console gets. */
const suggestionsMax = 500;

/** From word to word along the index: there are few words and many rows. */
export const prepareWords = ({ prepare, among }: Engine) =>
  prepare<{ word: string }>(`
    WITH RECURSIVE found (word) AS (
      SELECT min(word) FROM tag
      UNION ALL SELECT (SELECT min(tag.word) FROM tag WHERE tag.word > found.word) FROM found WHERE word IS NOT NULL
    )
    SELECT word FROM found WHERE word IS NOT NULL
      AND EXISTS (SELECT 1 FROM tag WHERE tag.word = found.word AND ${among("tag.kind", "$1")})
    LIMIT ${suggestionsMax}`);

/**
 * The tag as it is in use, where it is so in other case: `Hot` and `hot` would be two filters.
 *
 * @param used those that the role sees: of others it learns nothing by adding one
 */
export function spelledAs(used: readonly { readonly word: string }[], tag: string): string {
  const same = used.filter(({ word }) => word.toLowerCase() === tag.toLowerCase());
  return (same.find(({ word }) => word === tag) ?? same[0])?.word ?? tag;
}

export function makeTags(engine: Engine, { audit, lock, lockRows, announceChanges }: Changes) {
  const { prepare, among, read, transaction } = engine;
  const update = prepare("UPDATE submission SET tags = $2 WHERE arrival = $1");
  const insert = prepare("INSERT INTO tag (submission, kind, word) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING");
  const remove = prepare("DELETE FROM tag WHERE submission = $1 AND word = $2");
  // The row is locked, so that no other entry of its tags has come in between.
  const nameTags = prepare(`
    INSERT INTO tag_change (entry, submission, at, added, removed)
    VALUES ((SELECT id FROM audit WHERE subject = $1 AND action = 'tags' ORDER BY id DESC LIMIT 1), $2, $3, $4, $5)`);
  const withTag = prepare<{ arrival: number }>(`
    SELECT submission AS arrival FROM tag WHERE word = $1 AND ${among("kind", "$2")} LIMIT ${changedAtOnce}`);
  const words = prepareWords(engine);

  /** Answers the arrival numbers of those that were changed. One that is full gets no further tag. */
  function* change(
    arrivals: readonly number[],
    { add, remove: gone }: { readonly add?: string | undefined; readonly remove?: string | undefined },
    actor: Actor,
  ): Steps<number[]> {
    const changed = (yield* lock(arrivals)).flatMap((row) => {
      const before = readTexts(row.tags);
      const tags = retagged(before, add, gone);
      if (tags.join("\n") === before.join("\n")) return [];
      const [added = null] = tags.filter((word) => !before.includes(word));
      const [removed = null] = before.filter((word) => !tags.includes(word));
      return [{ ...row, tags, added, removed }];
    });
    for (const { arrival, kind, tags } of changed) {
      if (gone !== undefined) yield* remove(arrival, gone);
      if (add !== undefined && tags.includes(add)) yield* insert(arrival, kind, add);
      yield* update(arrival, tags.length === 0 ? null : JSON.stringify(tags));
    }
    // Without the words: they may describe a person, and the audit log outlives the submission.
    yield* together(changed.map(({ reference }) => audit({ action: "tags", subject: reference }, actor)));
    yield* together(changed.map((row) => nameTags(row.reference, row.arrival, actor.at, row.added, row.removed)));
    yield* announceChanges(
      changed.flatMap(({ arrival, status }) => (status === "spam" ? [] : [{ arrival, changed: ["tags"] }])),
      actor.at,
    );
    return changed.map(({ arrival }) => arrival);
  }

  return {
    listTags: async ({ kinds }) => (await read(words(kinds))).map(({ word }) => word),

    async changeTags(scope, request, actor) {
      if ("from" in request) {
        const renamed = { add: request.to, remove: request.from };
        // The next batch has no row of this one: their tag has another name now.
        const renameSome = transaction(function* () {
          return yield* change((yield* withTag(request.from, scope.kinds)).map(arrivalOf), renamed, actor);
        });
        return changeInBatches(renameSome);
      }
      const { references, add, ...rest } = request;
      const changeSome = transaction(function* (batch: readonly string[]) {
        const rows = yield* lockRows(scope, batch);
        const tags = add === undefined ? rest : { ...rest, add: spelledAs(yield* words(scope.kinds), add) };
        return yield* change(Array.from(rows.values(), arrivalOf), tags, actor);
      });
      return (await inBatches(references, changeSome)).flat().length;
    },
  } satisfies Partial<DeskStore>;
}

const arrivalOf = ({ arrival }: { readonly arrival: number }) => arrival;
