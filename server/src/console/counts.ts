// Remembers the counts of the inbox for two seconds: every open console asks for them every few seconds, and a count over
// a million submissions takes 50 ms.
import type { InboxCounts } from "@submissions/shared/console";
import type { DeskStore, Scope } from "../storage/desk-store.ts";

const freshMs = 2_000;

export function rememberCounts(desk: Pick<DeskStore, "countByStatus">) {
  const known = new Map<string, { readonly at: number; readonly counts: Promise<InboxCounts> }>();
  return {
    /** @param operator whose own submissions are counted too */
    of(scope: Scope, operator: string): Promise<InboxCounts> {
      const now = performance.now();
      for (const [old, { at }] of known) if (now - at >= freshMs) known.delete(old);
      const key = `${scope.kinds.join(" ")} ${operator}`;
      const remembered = known.get(key);
      if (remembered !== undefined) return remembered.counts;
      const counts = desk.countByStatus(scope, operator);
      known.set(key, { at: now, counts });
      counts.catch(() => known.delete(key));
      return counts;
    },
    /** To be called after a change, so that the operator sees it at once. */
    forget: () => known.clear(),
  };
}
