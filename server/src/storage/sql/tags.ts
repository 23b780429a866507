// Tags of submissions: in a table, by which lists and suggestions find them, and as a list with the submission, by which
// they are read.
import { setTimeout as pause } from "node:timers/promises";
import type { Actor, DeskStore, Scope } from "../desk-store.ts";
import { batchPauseMs } from "../pages.ts";
import type { StoredSubmission } from "../records.ts";
import type { References } from "../rules/references.ts";
import { readTags } from "../rules/submission-row.ts";
import { retagged } from "../rules/triage.ts";
import { prepareChangeNews } from "./announcements.ts";
import { prepareAudit } from "./audit.ts";
import { type Engine, type Steps, together } from "./engine.ts";

/** Submissions that one transaction changes. */
const taggedAtOnce = 100;

/** Suggestions that the console gets. */
const suggestionsMax = 500;

interface Tagged extends Pick<StoredSubmission, "arrival" | "reference" | "kind" | "status"> {
  readonly tags: string | null;
}

export function makeTags(engine: Engine, references: References) {
  const { prepare, among, locking, read, transaction } = engine;
  const audit = prepareAudit(engine);
  const tellOfChanges = prepareChangeNews(engine);
  const findArrival = prepare<{ arrival: number }>(
    "SELECT arrival FROM submission WHERE day_number = $1 AND kind = $2",
  );
  // In the order of their arrival, so that transactions cannot deadlock.
  const lock = prepare<Tagged>(`
    SELECT arrival, reference, kind, status, tags FROM submission WHERE ${among("arrival", "$1", "bigint")}
    ORDER BY arrival ${locking("FOR UPDATE")}`);
  const update = prepare("UPDATE submission SET tags = $2 WHERE arrival = $1");
  const insert = prepare("INSERT INTO tag (submission, kind, word) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING");
  const remove = prepare("DELETE FROM tag WHERE submission = $1 AND word = $2");
  const withTag = prepare<{ arrival: number }>(
    `SELECT submission AS arrival FROM tag WHERE word = $1 ORDER BY kind, submission LIMIT ${taggedAtOnce}`,
  );
  // From word to word along the index: there are few words and many rows.
  const words = prepare<{ word: string }>(`
    WITH RECURSIVE found (word) AS (
      SELECT min(word) FROM tag
      UNION ALL SELECT (SELECT min(tag.word) FROM tag WHERE tag.word > found.word) FROM found WHERE word IS NOT NULL
    )
    SELECT word FROM found WHERE word IS NOT NULL
      AND EXISTS (SELECT 1 FROM tag WHERE tag.word = found.word AND ${among("tag.kind", "$1")})
    LIMIT ${suggestionsMax}`);

  /** Answers how many were changed. One that is full gets no further tag. */
  function* change(
    arrivals: readonly number[],
    { add, remove: gone }: { readonly add?: string | undefined; readonly remove?: string | undefined },
    actor: Actor,
  ): Steps<number> {
    const changed = (yield* lock(arrivals)).flatMap((row) => {
      const before = readTags(row.tags);
      const tags = retagged(before, add, gone);
      return tags.join("\n") === before.join("\n") ? [] : [{ ...row, tags }];
    });
    for (const { arrival, kind, tags } of changed) {
      if (gone !== undefined) yield* remove(arrival, gone);
      if (add !== undefined && tags.includes(add)) yield* insert(arrival, kind, add);
      yield* update(arrival, tags.length === 0 ? null : JSON.stringify(tags));
    }
    // Without the words: they may tell of a person, and the audit log outlives the submission.
    yield* together(changed.map(({ reference }) => audit({ action: "tags", subject: reference }, actor)));
    yield* tellOfChanges(
      changed.flatMap(({ arrival, status }) => (status === "spam" ? [] : [{ arrival, changed: ["tags"] }])),
      actor.at,
    );
    return changed.length;
  }

  return {
    listTags: async ({ kinds }) => (await read(words(kinds))).map(({ word }) => word),

    async changeTags({ kinds }: Scope, { references: named, ...request }, actor) {
      let all = 0;
      for (let from = 0; from < named.length; from += taggedAtOnce) {
        if (from > 0) await pause(batchPauseMs);
        all += await transaction(function* () {
          const parsed = named.slice(from, from + taggedAtOnce).flatMap((one) => references.parse(one) ?? []);
          const seen = parsed.filter(({ kind }) => kinds.includes(kind));
          const found = yield* together(seen.map(({ dayNumber, kind }) => findArrival(dayNumber, kind)));
          return yield* change(
            found.flat().map(({ arrival }) => arrival),
            request,
            actor,
          );
        });
      }
      return all;
    },

    async renameTag(from, to, actor) {
      for (let all = 0; ; await pause(batchPauseMs)) {
        const renamed = await transaction(function* () {
          const rows = yield* withTag(from);
          return yield* change(
            rows.map(({ arrival }) => arrival),
            { add: to, remove: from },
            actor,
          );
        });
        if (renamed === 0) return all;
        all += renamed;
      }
    },
  } satisfies Partial<DeskStore>;
}
