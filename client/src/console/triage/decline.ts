// Declining: what becomes of it is shown in all parts of the page, and can be taken back for ten seconds.
import type { DeclineDays } from "@submissions/shared/stages";
import { useMutation } from "@tanstack/react-query";
import { calls, Refused } from "../calls.ts";
import { count, exactTime, plural } from "../words.ts";
import { useOffer, type Declined } from "./offers.tsx";
import { readAgain, show, triagedOf, useProblems, useReport, versionsOf, type Triaged } from "./triage.ts";

interface Attempt {
  /** What the operator saw of them. */
  readonly seen: readonly Triaged[];
  /** Never mailed; empty: none. */
  readonly reason: string;
  /** What is mailed, with the placeholders of saved answers; empty: nothing. */
  readonly text: string;
  readonly days: DeclineDays;
}

/**
 * It fails where none was declined, so that what was written is not lost.
 *
 * @param onDone told when some were
 */
export function useDecline(onDone: () => void) {
  const offer = useOffer();
  const report = useReport();
  const problemsOf = useProblems();

  return useMutation({
    mutationFn: async ({ seen, ...request }: Attempt) => {
      const targets = Array.from(versionsOf(seen), ([reference, version]) => ({ reference, version }));
      const outcomes = await calls.decline.send.mutate({ targets, ...request });
      show(outcomes.flatMap((outcome) => (outcome.result === "conflict" ? triagedOf(outcome) : [])));
      if (outcomes.some(({ result }) => result === "changed")) return outcomes;
      throw new Refused(problemsOf(outcomes, seen[0]).join(" "));
    },
    onSuccess: (outcomes, { seen, text, days }) => {
      const declined = outcomes.filter((outcome) => outcome.result === "changed");
      const others = outcomes.filter((outcome) => outcome.result !== "changed");
      show(declined.map(({ reference, version }) => ({ reference, version, stage: "declined", status: "done" })));
      onDone();
      if (others.length > 0) report(others, { stage: "declined" }, seen[0]);
      offer({ said: saidOf(declined, days), undone: { declined, seen, text } });
    },
    onSettled: (_done, _error, { seen }) => readAgain(seen.map(({ reference }) => reference)),
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
