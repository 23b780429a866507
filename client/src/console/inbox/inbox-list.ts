// The list of the inbox: loaded in pages, kept as it is until the operator asks for what is new; and its sections.
import type { InboxFilter, InboxRow, Page } from "@submissions/shared/console";
import { keepPreviousData, useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo } from "react";
import { calls, queryClient, trpc } from "../calls.ts";
import { filterOf, midnight, isFiltered, statusOf, type InboxSearch } from "./inbox-search.ts";
import { useToasts } from "../parts/toasts.tsx";
import { listKey, readAgain, showChanged, showGone, showNews } from "../triage/triage.ts";
import { useNow } from "../parts/states.tsx";
import { word } from "../words.ts";
import { inShownOrder } from "./stages.tsx";

/** How often the server is asked whether there are new submissions, and what others changed. */
const newsMs = 5_000;

/** The entry of the audit log up to which the page shows what others changed; undefined: it has not asked yet. */
function shownChange(): number | undefined {
  const news = queryClient.getQueriesData<{ readonly change: number }>({ queryKey: trpc.inbox.since.pathKey() });
  const asked = news.flatMap(([, answer]) => answer?.change ?? []);
  if (asked.length > 0) return Math.max(...asked);
  const lists = queryClient.getQueriesData<{ readonly pages: readonly ListPage[] }>({ queryKey: listKey });
  const loaded = lists.flatMap(([, list]) => list?.pages[0]?.change ?? []);
  return loaded.length > 0 ? Math.min(...loaded) : undefined;
}

/** Asks for news of all that the page shows. @param known the latest arrival number that it shows */
export function useNews(known: number, enabled = true) {
  return useQuery({
    queryKey: trpc.inbox.since.queryKey({ arrival: known }),
    queryFn: async ({ signal }) => {
      const change = shownChange();
      const asked = { arrival: known, ...(change !== undefined && { change }) };
      const news = await calls.inbox.since.query(asked, { signal });
      if (news.changed.length > 0) showChanged(news.changed);
      if (news.gone.length > 0) showGone(news.gone);
      return news;
    },
    refetchInterval: newsMs,
    enabled,
    staleTime: 0,
  });
}

interface ListPage {
  readonly rows: readonly InboxRow[];
  readonly next: PageStart | null;
  /** The latest arrival number when the page was loaded; only on the first page. */
  readonly latest: number;
  /** The entry of the audit log at that time; only on the first page. */
  readonly change?: number;
  readonly isSearch: boolean;
}

/** Where a page begins. Of a search the people come first, and then those of whom only a letter has the words. */
interface PageStart {
  readonly after?: number;
  readonly inLetters?: boolean;
}

const firstPage: PageStart = {};

async function loadRows(
  { letter, ...others }: InboxFilter,
  { inLetters = false, ...page }: PageStart,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly InboxRow[]; readonly next: PageStart | null }> {
  const list = (filter: InboxFilter, from: { after?: number }) =>
    calls.inbox.list.query({ filter, page: from }, { signal });
  const startOf = ({ next }: Page<InboxRow>, isLetters: boolean) =>
    next === null ? null : { after: next, inLetters: isLetters };
  if (letter === undefined || inLetters) {
    const found = await list(letter === undefined ? others : { ...others, letter, lettersOnly: true }, page);
    return { rows: found.rows, next: startOf(found, inLetters) };
  }
  // Without those who are found as people: a page of them alone would show nothing new.
  const [people, letters] = await Promise.all([
    list({ ...others, search: letter }, page),
    list({ ...others, letter, lettersOnly: true }, {}),
  ]);
  if (people.next !== null) return { rows: people.rows, next: startOf(people, false) };
  return { rows: [...people.rows, ...letters.rows], next: startOf(letters, true) };
}

/** Loads the pages of a list. @param enabled otherwise what is loaded already */
export function useInboxList(search: InboxSearch, enabled = true) {
  const filter = filterOf(search);
  const query = useInfiniteQuery({
    queryKey: [...listKey, filter],
    queryFn: async ({ pageParam, signal }): Promise<ListPage> => {
      // Asked before the list, so that what comes in meanwhile counts as new.
      const [news, page] = await Promise.all([
        pageParam.after === undefined ? calls.inbox.since.query({ arrival: 0 }, { signal }) : { latest: 0 },
        loadRows(filter, pageParam, signal),
      ]);
      showNews(page.rows);
      return { ...page, ...news, isSearch: filter.letter !== undefined };
    },
    enabled,
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // Rows never move by themselves.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const rows = useMemo(() => {
    const all = query.data?.pages.flatMap((page) => page.rows) ?? [];
    // Letters of people who were found by their names, too.
    const once = [...Map.groupBy(all, ({ reference }) => reference).values()].flatMap(([row]) => row ?? []);
    return inShownOrder(once, search);
  }, [query.data, search]);
  // The rows of the former list are shown until the next ones are there.
  return { ...query, rows, isSearch: query.data?.pages[0]?.isSearch === true };
}

/** How many submissions came in since the list was loaded, and how to load them. */
export function useNewOnes(search: InboxSearch, pages: readonly ListPage[] | undefined) {
  const { showFailure } = useToasts();
  const first = pages?.[0];
  // Without a filter the list itself says what its latest submission is.
  const shown =
    isFiltered(search) || search.order === "oldest"
      ? 0
      : Math.max(0, ...(first?.rows.map(({ arrival }) => arrival) ?? []));
  const known = Math.max(first?.latest ?? 0, shown);
  const since = useNews(known, first !== undefined);
  const added = since.data?.added ?? 0;
  const newest = since.data?.latest ?? 0;
  const isEmpty = first !== undefined && pages?.every(({ rows }) => rows.length === 0) === true;
  useEffect(() => {
    if (added > 0) readAgain([]);
  }, [added, newest]);
  const load = () => {
    // The first page again, and only that.
    queryClient.setQueriesData<InfiniteData<ListPage>>(
      { queryKey: listKey },
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    void queryClient
      .invalidateQueries({ queryKey: listKey }, { throwOnError: true })
      .catch((error: unknown) => showFailure("Not loaded.", error));
    scrollTo({ top: 0 });
  };
  const loadNow = useEffectEvent(load);
  // Where there are no rows yet, none can move.
  useEffect(() => {
    if (added > 0 && isEmpty) loadNow();
  }, [added, newest, isEmpty]);
  return { added, load };
}

/** Whether a row still belongs to the list after a change. One that does not is dimmed and stays until the list is loaded again. */
export function stillFits(row: InboxRow, search: InboxSearch): boolean {
  const { status, stage, assignee, waitedFor, snoozedUntil } = row;
  const shown = statusOf(search);
  if (search.waiting !== undefined && waitedFor !== search.waiting) return false;
  if ((shown === "todo" || search.waiting !== undefined) && (snoozedUntil ?? 0) > Date.now()) return false;
  const fits = {
    all: status !== "spam" || search.q !== undefined,
    todo: status === "new" || status === "open",
  };
  if (shown === undefined || shown === "todo" ? !fits[shown ?? "all"] : status !== shown) return false;
  if (search.stage !== undefined && stage !== search.stage) return false;
  if (search.assignee === undefined) return true;
  return search.assignee === "none" ? assignee === null : assignee === search.assignee;
}

/** Today and the six days before are this week: on a Monday it is not empty. */
function dayName(at: number, today: number): string {
  if (at >= today) return "Today";
  if (at >= midnight(today, -1)) return "Yesterday";
  return at >= midnight(today, -6) ? "This week" : "Earlier";
}

export function useSections(rows: readonly InboxRow[], isSearch: boolean, byStage: boolean) {
  const today = midnight(useNow(), 0);
  // Only what letters have is found with a sentence.
  const nameOf = isSearch
    ? ({ match }: InboxRow) => (match === undefined ? "People" : "Letters")
    : byStage
      ? ({ stage }: InboxRow) => word(stage ?? "")
      : ({ receivedAt }: InboxRow) => dayName(receivedAt, today);
  return Array.from(Map.groupBy(rows, nameOf), ([name, its]) => ({ name, rows: its }));
}
