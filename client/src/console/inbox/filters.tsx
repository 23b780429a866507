// What narrows the list: counts by status as links, selects, and chips of what is set.
import { filterChoices } from "@submissions/shared/console";
import { triageStatuses } from "@submissions/shared/console";
import { kindsOf } from "@submissions/shared/kinds";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { statusOf, type InboxSearch } from "./inbox-search.ts";
import { isByStage } from "./stages.tsx";
import { useMe, type NameOf, useAssignees, useNames } from "../operators.ts";
import { useCounts } from "../navigation.tsx";
import { Icon } from "../parts/icons.tsx";
import { asOptions, FilterSelect } from "../parts/form.tsx";
import { usePhone } from "../parts/page.tsx";
import { Skeleton } from "../parts/states.tsx";
import { cappedCount, word } from "../words.ts";

const MoreFilters = lazy(async () => ({ default: (await import("./more-filters.tsx")).MoreFilters }));

export function StatusTabs({ search }: { readonly search: InboxSearch }) {
  const counts = useCounts();
  const shown = statusOf(search) ?? "all";
  /** What is shown without a word in the address. */
  const unsaid = search.q === undefined ? "todo" : "all";
  return (
    <nav className="tabs" aria-label="By state">
      {(["todo", ...triageStatuses, "all"] as const).map((status) => (
        <Link
          key={status}
          to="/"
          search={{ ...search, status: status === unsaid ? undefined : status }}
          className="tab"
          // Every list is at this address; which tab it belongs to is said here.
          activeOptions={{ exact: true }}
          activeProps={{ "aria-current": undefined }}
          {...(shown === status && { "aria-current": "true" as const })}
        >
          {status === "todo" ? "To do" : word(status)}
          {status !== "all" && <span className="tab-count">{counts ? cappedCount(counts[status]) : "\u2007"}</span>}
        </Link>
      ))}
    </nav>
  );
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
  const chips: readonly (readonly [keyof InboxSearch, string | false | undefined])[] = [
    ["kind", all && kind && word(kind)],
    // Where its tabs are not shown.
    ["stage", !isByStage(search) && stage && `stage: ${stage}`],
    ["assignee", all && assignee && assigneeText(assignee, me.email, nameOf)],
    ["from", from && `from ${from}`],
    ["until", until && `to ${until}`],
    ...filterChoices.map((name) => [name, search[name] && `${name}: ${search[name]}`] as const),
    ["resume", resume && "has a resume"],
    ["disposable", disposable && "throw-away address"],
  ];
  const set = chips.filter(([, words]) => words);
  return set.length === 0 ? null : (
    <ul className="chips" aria-label="Filter">
      {set.map(([name, words]) => (
        <li key={name}>
          <Link
            to="/"
            search={{ ...search, [name]: undefined }}
            className="chip"
            activeProps={{ "aria-current": undefined }}
          >
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
