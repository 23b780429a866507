// Declining: what becomes of it is shown in all parts of the page, and can be taken back for ten seconds.
import type { DeclineOutcome, DeclineRequest } from "@submissions/shared/console";
import { useMutation } from "@tanstack/react-query";
import { calls } from "../calls.ts";
import { useToasts } from "../parts/toasts.tsx";
import { count, exactTime, plural } from "../words.ts";
import { changeInBatches, readAgain, show, shownNow, useReport, type Triaged } from "./triage.ts";

/** As long as the server holds a mail that is sent at once. */
const undoMs = 10_000;

interface Attempt extends Omit<DeclineRequest, "targets"> {
  readonly references: readonly string[];
}

type Declined = Extract<DeclineOutcome, { result: "changed" }>;

/** @param onDone told when the server has answered */
export function useDecline(onDone: () => void) {
  const { showToast, showFailure } = useToasts();
  const report = useReport();

  /** Another stage takes the mail back. */
  async function takeBack(declined: readonly Declined[], seen: readonly Triaged[]): Promise<void> {
    const former = new Map(seen.map((one) => [one.reference, one]));
    const groupOf = ({ reference }: Declined) => `${former.get(reference)?.stage} ${former.get(reference)?.status}`;
    try {
      for (const group of Map.groupBy(declined, groupOf).values()) {
        const { stage, status } = former.get(group[0]!.reference)!;
        const targets = group.map(({ reference, version, undo }) => ({ reference, version, ...(undo && { undo }) }));
        const change = { status, ...(stage !== null && { stage }) };
        const outcomes = await changeInBatches(targets, change);
        const undone = outcomes.filter((outcome) => outcome.result === "changed");
        show(undone.map(({ reference, version }) => ({ reference, version, status, stage })));
        const others = outcomes.filter(({ result }) => result !== "changed");
        if (others.length > 0) report(others, change);
        else showToast("Undone.");
      }
    } catch (error) {
      showFailure("Not undone.", error);
    }
    readAgain(declined.map(({ reference }) => reference));
  }

  return useMutation({
    mutationFn: async ({ references, ...request }: Attempt) => {
      const seen = shownNow(references);
      const targets = seen.map(({ reference, version }) => ({ reference, version }));
      return { seen, outcomes: await calls.decline.send.mutate({ targets, ...request }) };
    },
    onSuccess: ({ seen, outcomes }, { days }) => {
      const declined = outcomes.filter((outcome) => outcome.result === "changed");
      const others = outcomes.filter((outcome) => outcome.result !== "changed");
      show(declined.map(({ reference, version }) => ({ reference, version, stage: "declined", status: "done" })));
      onDone();
      if (others.length > 0) report(others, { stage: "declined" }, seen[0]);
      if (declined.length === 0) return;
      showToast(saidOf(declined, days), { undo: () => void takeBack(declined, seen), forMs: undoMs });
    },
    onSettled: (_done, _error, { references }) => readAgain(references),
  });
}

function saidOf(declined: readonly Declined[], days: number): string {
  const mailed = declined.filter(({ dueAt }) => dueAt !== null);
  const these = declined.length === 1 ? "Declined." : `Declined ${count(declined.length)}.`;
  const [first] = mailed;
  if (first === undefined) return `${these} Nothing is sent.`;
  const when = days === 0 ? "in ten seconds" : `on ${exactTime(first.dueAt ?? 0)}`;
  return `${these} ${plural(mailed.length, "mail")} will go out ${when}.`;
}
