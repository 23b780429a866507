// What can be taken back for ten seconds, replies and declines, and how. The offer outlives a reload: it is kept with the
// drafts, so that a sign-out and an erasure forget it.
import type { DeclineOutcome } from "@submissions/shared/console";
import { useEffect, useEffectEvent, useRef } from "react";
import { trpc } from "../calls.ts";
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
  return (name: string, { said, undone, until }: KeptOffer) => {
    const forget = () => localStorage.removeItem(name);
    const forMs = until - Date.now();
    if (forMs <= 0) return forget();
    setTimeout(forget, forMs);
    const takeBack = () => {
      forget();
      undo(undone);
    };
    showToast(said, { undo: takeBack, forMs });
  };
}

/** What shows the state, too. The row of the list is among the news. */
const reads = [trpc.inbox.since, trpc.inbox.counts, trpc.inbox.tabs, trpc.submission.get];

function useUndo(): (undone: Undone) => void {
  const { email } = useMe();
  const { showToast, showFailure } = useToasts();
  const report = useReport();
  /** Several may be taken back at once. */
  const words = useRef(new Map<number, readonly [name: string, text: string]>());
  const undoReply = useChange(trpc.reply.undo, {
    said: "The reply is taken back.",
    failed: "Not taken back.",
    reads,
    onDone: (_done, { id }) => {
      const [name, text] = words.current.get(id)!;
      const begun = localStorage.getItem(name) ?? "";
      // What was written since stays below, but for the same greeting.
      writeDraft(name, text.startsWith(begun.trim()) ? text : `${text}\n\n${begun}`);
    },
  });
  const undoReplies = useChange(trpc.reply.undoMany, {
    said: ({ undone }, { ids }) =>
      undone === ids.length
        ? "The replies are taken back."
        : `${undone} of ${plural(ids.length, "reply", "replies")} taken back.`,
    failed: "Not taken back.",
    reads,
  });

  /** Another stage takes the mail back. */
  async function undoDecline({ declined, seen, text }: Extract<Undone, { declined: unknown }>): Promise<void> {
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
      // The words can be corrected then.
      const draft = draftName(email, declineDraft(seen.map(({ reference }) => reference)));
      if (!localStorage.getItem(draft)) writeDraft(draft, text);
    } catch (error) {
      showFailure("Not undone.", error);
    }
    readAgain(declined.map(({ reference }) => reference));
  }

  return (undone) => {
    if ("declined" in undone) return void undoDecline(undone);
    if ("replies" in undone) return undoReplies.mutate({ ids: [...undone.replies] });
    words.current.set(undone.reply, [draftName(email, `reply ${undone.reference}`), undone.text]);
    undoReply.mutate({ id: undone.reply });
  };
}
