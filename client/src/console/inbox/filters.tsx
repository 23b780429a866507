// What narrows the list: counts by status as links, selects, and chips of what is set.
import { countedTabs, filterChoices } from "@submissions/shared/console";
import { kindsOf } from "@submissions/shared/kinds";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { filterOf, statusOf, type InboxSearch } from "./inbox-search.ts";
import { isByStage, type TabsProps } from "./stages.tsx";
import { useMe, type NameOf, useAssignees, useNames } from "../operators.ts";
import { trpc } from "../calls.ts";
import { countsEveryMs } from "../navigation.tsx";
import { Icon } from "../parts/icons.tsx";
import { asOptions, FilterSelect } from "../parts/form.tsx";
import { usePhone, useTabInView } from "../parts/page.tsx";
import { Skeleton } from "../parts/states.tsx";
import { shownCount, word } from "../words.ts";
import { Link } from "../router.tsx";

const MoreFilters = lazy(async () => ({ default: (await import("./more-filters.tsx")).MoreFilters }));

const tabWords: Readonly<Record<string, string>> = {
  todo: "To do",
  us: "Waiting for us",
  them: "Waiting for them",
};

export function StatusTabs({ search, isNarrow }: TabsProps) {
  const counts = useTabCounts(search);
  const shown = search.waiting ?? statusOf(search) ?? "all";
  /** What is shown without a word in the address. */
  const unsaid = search.q === undefined ? "todo" : "all";
  return (
    <nav className="tabs" aria-label="By state" ref={useTabInView(`${shown} ${isNarrow}`)}>
      {([...countedTabs, "all"] as const).map((tab) => (
        <Link
          key={tab}
          to="/"
          search={{ ...search, status: undefined, waiting: undefined, ...searchOf(tab, unsaid) }}
          className="tab"
          {...(shown === tab && { "aria-current": "true" as const })}
        >
          {tabWords[tab] ?? word(tab)}
          {tab !== "all" && <span className="tab-count">{shownCount(counts?.[tab])}</span>}
        </Link>
      ))}
    </nav>
  );
}

type Tab = (typeof countedTabs)[number] | "all";

const searchOf = (tab: Tab, unsaid: Tab): InboxSearch =>
  tab === "us" || tab === "them" ? { waiting: tab } : tab === unsaid ? {} : { status: tab };

/** How many each tab shows of what the filter and the view leave. */
function useTabCounts(search: InboxSearch) {
  const { status: _status, waiting: _waiting, order: _order, ...filter } = filterOf(search);
  return useQuery({
    ...trpc.inbox.tabs.queryOptions({ filter }),
    refetchInterval: countsEveryMs,
    placeholderData: keepPreviousData,
  }).data;
}

interface Props {
  readonly search: InboxSearch;
  readonly onChange: (search: InboxSearch) => void;
}

export function Filters({ search, onChange }: Props) {
  const me = useMe();
  const nameOf = useNames();
  const kinds = kindsOf(me.role);
  const set = (change: InboxSearch) => onChange({ ...search, ...change });
  const others = useAssignees().flatMap(({ email }) => (email === me.email ? [] : [[email, nameOf(email)] as const]));
  const isPhone = usePhone();
  const [asked, setAsked] = useState(false);
  const selects = (
    <>
      {kinds.length > 1 && (
        <FilterSelect label="Kind" options={asOptions(kinds)} value={search.kind} onChange={(kind) => set({ kind })} />
      )}
      <FilterSelect
        label="Assignee"
        options={[["none", "Unassigned"], [me.email, "Me"], ...others]}
        value={search.assignee}
        onChange={(assignee) => set({ assignee })}
      />
    </>
  );
  return (
    <div className="filters">
      {!isPhone && selects}
      <button popoverTarget="more-filters" onPointerEnter={() => setAsked(true)}>
        <Icon name="filter" size={16} /> {isPhone ? "Filter" : "More"}
      </button>
      <div id="more-filters" className="popover stack" popover="auto" onBeforeToggle={() => setAsked(true)}>
        {isPhone && selects}
        <Suspense fallback={<Skeleton rows={6} />}>{asked && <MoreFilters search={search} set={set} />}</Suspense>
      </div>
      <Chips search={search} all={isPhone} />
    </div>
  );
}

/** What is set, each part to be removed. @param all also what the selects show, where there are none */
export function Chips({ search, all }: { readonly search: InboxSearch; readonly all: boolean }) {
  const me = useMe();
  const nameOf = useNames();
  const { kind, stage, assignee, from, until, resume, disposable } = search;
  const enabled = search.package !== undefined || search.opening !== undefined;
  const { data: choices = [] } = useQuery(trpc.inbox.choices.queryOptions(undefined, { staleTime: 60_000, enabled }));
  const titleOf = (part: string, id: string) =>
    choices.find((one) => one.part === part && one.word === id)?.title ?? id;
  const chips: readonly (readonly [keyof InboxSearch, string | false | undefined])[] = [
    ["kind", all && kind && word(kind)],
    // Where its tabs are not shown.
    ["stage", !isByStage(search) && stage && `stage: ${stage}`],
    ["assignee", all && assignee && assigneeText(assignee, me.email, nameOf)],
    ["from", from && `from ${from.replace("T", " ")}`],
    ["until", until && `to ${until.replace("T", " ")}`],
    ...filterChoices.map((name) => [name, search[name] && `${name}: ${titleOf(name, search[name])}`] as const),
    ["resume", resume && "has a resume"],
    ["disposable", disposable && "throw-away address"],
  ];
  const set = chips.filter(([, words]) => words);
  return set.length === 0 ? null : (
    <ul className="chips" aria-label="Filter">
      {set.map(([name, words]) => (
        <li key={name}>
          <Link to="/" search={{ ...search, [name]: undefined }} className="chip">
            {words} <Icon name="close" size={12} />
            <span className="unseen">Remove</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const assigneeText = (assignee: string, me: string, nameOf: NameOf) => {
  if (assignee === "none") return "unassigned";
  return assignee === me ? "assigned to you" : `assigned to ${nameOf(assignee)}`;
};
