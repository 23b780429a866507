// Everything that the filter of a list matches, to be changed or taken out. Read page by page, so that memory stays flat.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { InboxFilter, Page, PageRequest, SubscriberFilter } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { pageLimitMax, type DeskStore, type Scope } from "../storage/desk-store.ts";
import type { StoredSubmission, StoredSubscriber, SubmissionKind } from "../storage/records.ts";
import { type ReadFrom, ReadTooSlow, type Store } from "../storage/store.ts";

/** Submissions that one confirmation may change. An operator who counts more has the wrong filter, or does it twice. */
export const matchingMax = 10_000;

/** How long the search for them may take: a connection on which nothing moves is cut after 20 s. */
const matchingMsMax = 10_000;

type Desk = Pick<DeskStore, "listSubmissions">;

/** Which submissions match, with their versions as of now, in the order of the list. @throws ReadTooSlow */
export async function findMatching(desk: Desk, scope: Scope, filter: InboxFilter, msMax = matchingMsMax) {
  const giveUpAt = performance.now() + msMax;
  const targets: { reference: string; version: number }[] = [];
  for await (const submissions of readMatching(desk, scope, filter, undefined, giveUpAt)) {
    for (const { reference, version } of submissions) {
      if (targets.length === matchingMax) return { targets, more: true };
      targets.push({ reference, version });
    }
  }
  return { targets, more: false };
}

/** Reads what the exports of a kind read, but only what matches, in the order of arrival. */
export function matchingSubmissions(
  desk: Desk,
  scope: Scope,
  filter: InboxFilter & { readonly kind: SubmissionKind },
  { after, since = 0 }: ReadFrom,
): AsyncIterable<readonly StoredSubmission[]> {
  const from = Math.max(since, filter.from ?? 0);
  return readMatching(desk, scope, { ...filter, from, order: "oldest" }, after);
}

/** Reads what the exports read, but of the subscribers only those that match. */
export async function* matchingSubscribers(store: Pick<Store, "readAll">, filter: SubscriberFilter, from: ReadFrom) {
  const { status, source, search = "" } = filter;
  const matches = (row: StoredSubscriber) =>
    (status === undefined || row.status === status) &&
    (source === undefined || row.source === source) &&
    emailKey(row.email).includes(emailKey(search));
  for await (const rows of store.readAll("subscriber", from)) yield rows.filter(matches);
}

async function* readMatching(desk: Desk, scope: Scope, filter: InboxFilter, after?: number, giveUpAt = Infinity) {
  let next = after ?? null;
  do {
    const at: PageRequest = { limit: pageLimitMax, ...(next !== null && { after: next }) };
    const page: Page<StoredSubmission> = await desk.listSubmissions(scope, filter, at);
    if (page.rows.length > 0) yield page.rows;
    ({ next } = page);
    // Others have their turn of the event loop between the pages, however quick the answers are.
    if (next !== null) await nextTurn();
    if (next !== null && performance.now() > giveUpAt) throw new ReadTooSlow();
  } while (next !== null);
}
