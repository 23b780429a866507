// A view of a kind with stages: grouped by them, each with its count; what has ended stands behind tabs of its own.
import type { InboxRow } from "@submissions/shared/console";
import { kindOf } from "@submissions/shared/kinds";
import { isFinal, type Stage, stages } from "@submissions/shared/stages";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../calls.ts";
import { useTabInView } from "../parts/page.tsx";
import { shownCount, word } from "../words.ts";
import { filterOf, type InboxSearch } from "./inbox-search.ts";
import { Link } from "../router.tsx";

/** Whether the rows are grouped by stage. A search has an order of its own. */
export const isByStage = ({ kind, q }: InboxSearch): boolean =>
  kind !== undefined && kindOf(kind).staged && q === undefined;

/** Rows in the order in which the view shows them. */
export function inShownOrder<Row extends Pick<InboxRow, "stage">>(
  rows: readonly Row[],
  search: InboxSearch,
): readonly Row[] {
  if (!isByStage(search)) return rows;
  const rank = ({ stage }: Row) => (stage === null ? stages.length : stages.indexOf(stage));
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

/** Behind the tab of a final stage all of its submissions are shown, and otherwise what is to be done. */
const searchOf = ({ stage: shown, status, ...search }: InboxSearch, stage: Stage | undefined): InboxSearch => {
  const wasFinal = shown !== undefined && isFinal(shown);
  const kept = wasFinal ? undefined : status;
  return { ...search, stage, status: stage !== undefined && isFinal(stage) ? "all" : kept };
};

/** How many each tab has. */
function useStageCounts(search: InboxSearch): (stage: Stage) => number | null | undefined {
  const ask = (of: InboxSearch) => {
    const { stage: _, ...filter } = filterOf(of);
    return trpc.inbox.stages.queryOptions({ filter }, { enabled: isByStage(search) });
  };
  const going = useQuery(ask(searchOf(search, "received"))).data;
  const ended = useQuery(ask(searchOf(search, "hired"))).data;
  return (stage) => (isFinal(stage) ? ended : going)?.[stage];
}

export interface TabsProps {
  readonly search: InboxSearch;
  /** Beside an open submission. */
  readonly isNarrow: boolean;
}

export function StageTabs({ search, isNarrow }: TabsProps) {
  const countOf = useStageCounts(search);
  const tabs = useTabInView(`${search.stage} ${isNarrow}`);
  if (!isByStage(search)) return null;
  return (
    <nav className="tabs stage-tabs" aria-label="By stage" ref={tabs}>
      {[undefined, ...stages].map((stage) => (
        <Link
          key={stage ?? "all"}
          to="/"
          search={searchOf(search, stage)}
          className="tab"
          {...(search.stage === stage && { "aria-current": "true" as const })}
        >
          {stage === undefined ? "All stages" : word(stage)}
          {stage !== undefined && <span className="tab-count">{shownCount(countOf(stage))}</span>}
        </Link>
      ))}
    </nav>
  );
}

/** How many a group has; those of a stage that ended and is open again are counted as they are loaded. */
export function StageCount({ search, of }: { readonly search: InboxSearch; readonly of: readonly InboxRow[] }) {
  const countOf = useStageCounts(search);
  const stage = of[0]?.stage ?? null;
  const isGoing = stage !== null && (!isFinal(stage) || search.stage === stage);
  return <span>{shownCount((isGoing && countOf(stage)) || of.length)}</span>;
}

/** The fields that help to choose whom to read: position, accent, availability. */
export const Facts = ({ of }: { readonly of: InboxRow["facts"] }) =>
  Object.entries(of).map(([name, text]) => (
    <span key={name} className={`fact fact-${name} clip`} title={`${word(name)}: ${text}`} dir="auto">
      <span className="unseen">{word(name)}: </span>
      {text}
    </span>
  ));
