// Changes everything that the filter matches: counts first, asks, then goes on in batches. What another operator changes
// meanwhile stays as it is.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { messageOf, queryClient, trpc } from "../calls.ts";
import { filterOf, type InboxSearch } from "./inbox-search.ts";
import { useNames } from "../operators.ts";
import { Modal } from "../parts/modal.tsx";
import { changeInBatches, listKey, readAgain, useReport } from "../triage/triage.ts";
import { describeChange, type Change } from "../triage/triage-words.ts";
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
  const nameOf = useNames();
  const report = useReport();
  const run = useMutation({
    mutationFn: () =>
      changeInBatches(targets, change, (already) => {
        setDone(already);
        return !stopped.current;
      }),
    onSuccess: (outcomes) => {
      onClose();
      report(outcomes, change);
    },
    onSettled: () => {
      readAgain([]);
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
            : `${describeChange(change, targets.length, nameOf, "asking")}${more ? " More match; do it again for the next ones." : ""}`}
      </p>
      <p className="problem" role="alert">
        {error && `${messageOf(error)}${done > 0 ? ` ${plural(done, "submission")} came before.` : ""}`}
      </p>
      <div className="dialog-foot">
        <button onClick={() => (run.isPending ? (stopped.current = true) : onClose())}>
          {run.isPending ? "Stop" : "Cancel"}
        </button>
        <button
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
