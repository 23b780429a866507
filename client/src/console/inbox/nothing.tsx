// What an empty list says: of the whole inbox, of a list of the side bar, or of a filter.
import { kindsOf, type SubmissionKind } from "@submissions/shared/kinds";
import { lazy, Suspense } from "react";
import { isFiltered, statusOf, type InboxSearch } from "./inbox-search.ts";
import { useCounts } from "../navigation.tsx";
import { useMe } from "../operators.ts";
import { Empty } from "../parts/states.tsx";
import { isAdmin } from "../roles.ts";
import { count, severalOf } from "../words.ts";
import { Link } from "../router.tsx";

const FirstSteps = lazy(async () => ({ default: (await import("./first-steps.tsx")).FirstSteps }));

export function Nothing({ search }: { readonly search: InboxSearch }) {
  const me = useMe();
  const counts = useCounts();
  const hasAny = counts === undefined || counts.done + counts.spam + counts.todo > 0;
  const { status, waiting, ...besideStatus } = search;
  const shown = statusOf(search);
  if (isFiltered(besideStatus)) {
    const words = shown === "todo" && waiting === undefined ? sideListWords(besideStatus, me.email) : null;
    if (words !== null) return <Empty icon="check" {...words} />;
    return (
      <Empty icon="search" title="Nothing matches" text="Try other words, or remove a part of the filter.">
        <Link to="/" search={{}} className="button-like">
          Clear all
        </Link>
      </Empty>
    );
  }
  if (shown === undefined || (status === undefined && !hasAny)) {
    return (
      <Empty
        icon="inbox"
        title="No submissions yet"
        text={`New ${kindsOf(me.role).map(severalOf).join(" and ")} appear here by themselves.`}
      >
        <Suspense>{isAdmin(me) && !hasAny && <FirstSteps />}</Suspense>
      </Empty>
    );
  }
  const todo = counts?.todo ?? 0;
  const others = todo > 0 && `${count(todo)} to do.`;
  if (waiting !== undefined && todo > 0)
    return <Empty icon="check" title={`Nothing waits for ${waiting}`} text={others} />;
  if (shown === "done" || shown === "spam" || (shown !== "todo" && todo > 0)) {
    return <Empty icon="check" title={`Nothing is ${shown}`} text={others} />;
  }
  return <Empty icon="check" title="Nothing waits" text="Every submission has been taken care of." />;
}

/** Null: it is none of the lists of the side bar. */
function sideListWords({ kind, assignee, ...others }: InboxSearch, me: string) {
  if (isFiltered(others) || (kind !== undefined && assignee !== undefined)) return null;
  if (kind !== undefined) return kindWords(kind);
  if (assignee === me)
    return {
      title: "Nothing waits for you",
      text: "Open submissions that are assigned to you stand here. Your reply assigns one that has no assignee.",
    };
  return assignee === "none" ? { title: "Nothing is unassigned", text: "Everything to do has an assignee." } : null;
}

const kindWords = (kind: SubmissionKind) => ({
  title: `No ${severalOf(kind)} to do`,
  text: `New ${severalOf(kind)} appear here by themselves.`,
});
