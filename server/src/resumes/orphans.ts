// Tells leftovers of crashes from files that the database has forgotten. Knows no engine: keys come in, keys come out.
import type { KnownKeys } from "./vault.ts";

/** Keys asked for at a time. */
const batchMax = 500;
/** Orphans looked at in one sweep; the next one finds the rest. */
const orphansMax = 10_000;
/** So many may be all there is: a service that was killed in its first minutes. */
const fewOrphans = 5;

/**
 * Of the keys of old files, those that no application knows and that may be removed. Crashes leave a few such files. When
 * they are many and the majority, the database is the one that is missing something (an older backup, another file):
 * then none may be removed, and they are counted as withheld.
 */
export const findOrphans = async (
  keys: AsyncIterable<string>,
  known: KnownKeys,
): Promise<{ readonly orphans: readonly string[]; readonly withheld: number }> => {
  const orphans: string[] = [];
  let knownCount = 0;
  let batch: string[] = [];
  const settle = async () => {
    if (batch.length === 0) return;
    const kept = await known(batch);
    knownCount += kept.size;
    for (const key of batch) if (!kept.has(key) && orphans.length < orphansMax) orphans.push(key);
    batch = [];
  };
  for await (const key of keys) {
    batch.push(key);
    if (batch.length >= batchMax) await settle();
  }
  await settle();
  if (orphans.length > fewOrphans && orphans.length > knownCount) return { orphans: [], withheld: orphans.length };
  return { orphans, withheld: 0 };
};
