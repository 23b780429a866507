// What can be taken back for ten seconds, replies and declines, and how. The offer outlives a reload: it is kept with the
// drafts, so that a sign-out and an erasure forget it.
import type { DeclineOutcome } from "@submissions/shared/console";
import { useEffect, useEffectEvent, useRef } from "react";
import { isRefusal, trpc } from "../calls.ts";
import { useMe } from "../operators.ts";
import { useChange } from "../parts/dialogs.tsx";
import { declineDraft, draftName, offersOf, writeDraft } from "../parts/drafts.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { plural } from "../words.ts";
import { changeInBatches, readAgain, show, useReport, type Triaged } from "./triage.ts";

/** As long as the server holds a mail that is sent at once. */
const undoMs = 10_000;

export type Declined = Extract<DeclineOutcome, { result: "changed" }>;

/** One reply, several, or what was declined, how it was before, and the words. */
type Undone =
  | { readonly reply: number; readonly reference: string; readonly text: string }
  | { readonly replies: readonly number[] }
  | { readonly declined: readonly Declined[]; readonly seen: readonly Triaged[]; readonly text: string };

interface Offer {
  readonly said: string;
  readonly undone: Undone;
}

/** How to say what was done, with Undo. */
export function useOffer(): (offer: Offer) => void {
  const { email } = useMe();
  const showOffer = useShownOffer();
  return (offer) => {
    const { undone } = offer;
    const name = draftName(email, `undo ${"reference" in undone ? undone.reference : "several"}`);
    const until = Date.now() + undoMs;
    localStorage.setItem(name, JSON.stringify({ ...offer, until } satisfies KeptOffer));
    showOffer(name, { ...offer, until });
  };
}

interface KeptOffer extends Offer {
  /** In milliseconds since the epoch. */
  readonly until: number;
}

/** Shows again what was offered before a reload. */
export function KeptOffers() {
  const { email } = useMe();
  const showOffer = useShownOffer();
  const onStart = useEffectEvent(() => {
    for (const name of offersOf(email)) {
      const kept = localStorage.getItem(name);
      if (kept !== null) showOffer(name, JSON.parse(kept) as KeptOffer);
    }
  });
  useEffect(() => onStart(), []);
  return null;
}

function useShownOffer() {
  const { showToast } = useToasts();
  const undo = useUndo();
  return function showOffer(name: string, offer: KeptOffer): void {
    const { said, undone, until } = offer;
    const forget = () => localStorage.removeItem(name);
    const forMs = until - Date.now();
    if (forMs <= 0) return forget();
    setTimeout(forget, forMs);
    const takeBack = () => {
      forget();
      undo(undone, () => showOffer(name, offer));
    };
    showToast(said, { undo: takeBack, forMs });
  };
}

/** What shows a reply, and the state that it changes. The row of the list is among the news. */
export const reads = [trpc.inbox.since, trpc.inbox.counts, trpc.inbox.tabs, trpc.submission.get];

/** How to take something back. Where the answer is lost, which may be after it was, it is asked for `again`. */
function useUndo(): (undone: Undone, again: () => void) => void {
  const { email } = useMe();
  const { showToast, showFailure } = useToasts();
  const report = useReport();
  /** What to do when it failed. Several may be taken back at once. */
  const onFailures = useRef(new Map<string, (error: unknown) => void>());
  const onFailed = (error: unknown, input: object) => onFailures.current.get(JSON.stringify(input))?.(error);
  const undoReply = useChange(trpc.reply.undo, {
    said: "The reply is taken back.",
    failed: "Not taken back.",
    reads,
    onFailed,
  });
  const undoReplies = useChange(trpc.reply.undoMany, {
    said: ({ undone }, { ids }) =>
      undone === ids.length
        ? "The replies are taken back."
        : `${undone} of ${plural(ids.length, "reply", "replies")} taken back.`,
    failed: "Not taken back.",
    reads,
    onFailed,
  });

  /** Another stage takes the mail back. */
  async function undoDecline(
    { declined, seen, text }: Extract<Undone, { declined: unknown }>,
    again: () => void,
  ): Promise<void> {
    // The words can be corrected then. Nothing that is lost with an answer takes them along.
    const draft = draftName(email, declineDraft(seen.map(({ reference }) => reference)));
    if (!localStorage.getItem(draft)) writeDraft(draft, text);
    const former = new Map(seen.map((one) => [one.reference, one]));
    const groupOf = ({ reference }: Declined) => `${former.get(reference)?.stage} ${former.get(reference)?.status}`;
    try {
      for (const group of Map.groupBy(declined, groupOf).values()) {
        const { stage, status } = former.get(group[0]!.reference)!;
        const targets = group.map(({ reference, version, undo }) => ({ reference, version, ...(undo && { undo }) }));
        const change = { status, ...(stage !== null && { stage }) };
        const outcomes = await changeInBatches(targets, change);
        const changed = outcomes.filter((outcome) => outcome.result === "changed");
        show(changed.map(({ reference, version }) => ({ reference, version, status, stage })));
        const others = outcomes.filter(({ result }) => result !== "changed");
        if (others.length > 0) report(others, change);
        else showToast("Undone.");
      }
    } catch (error) {
      showFailure("Not undone.", error);
      if (!isRefusal(error)) again();
    }
    readAgain(declined.map(({ reference }) => reference));
  }

  return (undone, again) => {
    if ("declined" in undone) return void undoDecline(undone, again);
    const onLost = (error: unknown) => void (isRefusal(error) || again());
    if ("replies" in undone) {
      const input = { ids: [...undone.replies] };
      onFailures.current.set(JSON.stringify(input), onLost);
      return undoReplies.mutate(input);
    }
    const { reply: id, reference, text } = undone;
    const name = draftName(email, `reply ${reference}`);
    const begun = localStorage.getItem(name) ?? "";
    // What was written since stays below, but for the same greeting.
    const words = text.startsWith(begun.trim()) ? text : begun.startsWith(text) ? begun : `${text}\n\n${begun}`;
    // Before the answer, which may be lost: the words are then nowhere else.
    writeDraft(name, words);
    onFailures.current.set(JSON.stringify({ id }), (error) => {
      if (isRefusal(error) && localStorage.getItem(name) === words) writeDraft(name, begun);
      onLost(error);
    });
    undoReply.mutate({ id });
  };
}
