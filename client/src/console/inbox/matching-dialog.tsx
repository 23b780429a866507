// Changes everything that the filter matches: counts first, asks, then goes on in batches. What another operator changes
// meanwhile stays as it is.
import type { TriageOutcome } from "@submissions/shared/console";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { calls, messageOf, queryClient, trpc } from "../calls.ts";
import { filterOf, type InboxSearch } from "../inbox-search.ts";
import { Modal } from "../parts/modal.tsx";
import { showToast } from "../parts/toasts.tsx";
import { batch, describeChange, describeConflicts, describeGone, listKey, type Change } from "../triage.ts";
import { count, plural } from "../words.ts";

interface Props {
  readonly search: InboxSearch;
  readonly change: Change;
  readonly onClose: () => void;
}

export function MatchingDialog({ search, change, onClose }: Props) {
  const [done, setDone] = useState(0);
  const stopped = useRef(false);
  const matching = useQuery({
    ...trpc.inbox.matching.queryOptions({ filter: filterOf(search) }),
    // The versions are those that the operator confirms.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { targets = [], more = false } = matching.data ?? {};
  const run = useMutation({
    mutationFn: async () => {
      const outcomes: TriageOutcome[] = [];
      for (let at = 0; at < targets.length && !stopped.current; at += batch) {
        outcomes.push(...(await calls.inbox.triage.mutate({ targets: targets.slice(at, at + batch), ...change })));
        setDone(outcomes.length);
      }
      return outcomes;
    },
    onSuccess: (outcomes) => {
      onClose();
      const changed = outcomes.filter(({ result }) => result === "changed").length;
      if (changed > 0) showToast(describeChange(change, changed));
      const conflicts = outcomes.filter((outcome) => outcome.result === "conflict");
      if (conflicts.length > 0) showToast(describeConflicts(conflicts), { tone: "bad" });
      const gone = outcomes.filter(({ result }) => result === "unknown").length;
      if (gone > 0) showToast(describeGone(gone), { tone: "bad" });
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: trpc.inbox.counts.queryKey() });
      void queryClient.invalidateQueries({ queryKey: listKey });
      void queryClient.invalidateQueries({ queryKey: trpc.submission.pathKey() });
    },
  });
  const error = matching.error ?? run.error;
  return (
    <Modal title="Change all that match?" onClose={run.isPending ? undefined : onClose}>
      <p role="status">
        {run.isPending
          ? `${count(done)} of ${count(targets.length)} done.`
          : matching.isPending
            ? "Counting…"
            : `${describeChange(change, targets.length, "asking")}${more ? " More match; do it again for the next ones." : ""}`}
      </p>
      <p className="problem" role="alert">
        {error && `${messageOf(error)}${done > 0 ? ` ${plural(done, "submission")} came before.` : ""}`}
      </p>
      <div className="dialog-foot">
        <button type="button" onClick={() => (run.isPending ? (stopped.current = true) : onClose())}>
          {run.isPending ? "Stop" : "Cancel"}
        </button>
        <button
          type="button"
          className="primary"
          disabled={targets.length === 0 || run.isPending || run.isError}
          onClick={() => run.mutate()}
        >
          {targets.length > 0 ? `Change ${count(targets.length)}` : "Change"}
        </button>
      </div>
    </Modal>
  );
}
