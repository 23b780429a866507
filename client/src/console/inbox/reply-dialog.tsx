// A reply to several submissions with a saved answer. Each mail is shown as it will go out. Who was answered already is left
// out, and can be ticked back.
import type { SubmissionKind } from "@submissions/shared/kinds";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { calls, trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { useNow } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import "../styles/pages.css";
import { AnswerSelect, MailPreview } from "../submission/composer.tsx";
import { useOffer } from "../triage/offers.tsx";
import { readAgain } from "../triage/triage.ts";
import { age, plural, shortName } from "../words.ts";

interface Props {
  readonly references: readonly string[];
  readonly kinds: readonly SubmissionKind[];
  readonly onClose: () => void;
  readonly onSent: () => void;
}

const failures = {
  suppressed: "gets no mail from us",
  unknown: "was not found",
  changed: "was changed",
  overtaken: "was answered meanwhile",
  unattached: "was not answered",
  oversized: "was not answered",
} as const;

export function ReplyDialog({ references, kinds, onClose, onSent }: Props) {
  const { showToast } = useToasts();
  const now = useNow();
  const [text, setText] = useState("");
  /** What the operator ticked or cleared. */
  const [ticked, setTicked] = useState<ReadonlyMap<string, boolean>>(new Map());
  const asked = { references: [...references], text };
  const preview = useQuery({ ...trpc.reply.preview.queryOptions(asked), enabled: text !== "" });
  const previews = (text !== "" && preview.data) || [];
  const chosen = previews.filter(({ reference, lastReplyAt }) => ticked.get(reference) ?? lastReplyAt === null);
  const offer = useOffer();
  const send = useMutation({
    mutationFn: (isDone: boolean) =>
      calls.reply.sendMany.mutate({
        references: chosen.map(({ reference }) => reference),
        text,
        done: isDone,
        seen: Object.fromEntries(
          chosen.map(({ reference, lastReplyAt, lastAnswerAt }) => [
            reference,
            Math.max(lastReplyAt ?? 0, lastAnswerAt ?? 0),
          ]),
        ),
      }),
    onSuccess: (outcomes) => {
      const failed = outcomes.flatMap(({ name, result }) =>
        result === "queued" ? [] : [`${name} ${failures[result]}`],
      );
      const ids = outcomes.flatMap((one) => (one.result === "queued" ? [one.id] : []));
      if (failed.length > 0) showToast(`Not sent: ${failed.join(", ")}.`, { tone: "bad" });
      if (ids.length > 0)
        offer({
          said: `${plural(ids.length, "reply", "replies")} will go out in ten seconds.`,
          undone: { replies: ids },
        });
      onClose();
      onSent();
      readAgain(references);
    },
  });
  const isWaiting = send.isPending || chosen.length === 0;
  return (
    <FormDialog
      title={`Reply to ${plural(references.length, "submission")}`}
      word={send.isPending ? "Sending…" : "Send and mark done"}
      call={{ error: preview.error ?? send.error, isPending: isWaiting }}
      asks="primary"
      onSubmit={() => send.mutate(true)}
      onClose={send.isPending ? undefined : onClose}
      second={
        <button type="button" disabled={isWaiting} onClick={() => send.mutate(false)}>
          Send
        </button>
      }
    >
      <AnswerSelect kind={kinds.length === 1 ? kinds[0] : undefined} onChoose={setText} />
      <ol className="previews">
        {previews.map(({ reference, name, email, subject, mail, leftOut, lastReplyAt }) => (
          <li key={reference}>
            <label className="check">
              <input
                type="checkbox"
                checked={ticked.get(reference) ?? lastReplyAt === null}
                onChange={({ target }) => setTicked(new Map(ticked).set(reference, target.checked))}
              />
              <span>
                <strong>{name || shortName(email)}</strong> <span className="quiet">{email}</span>
                {lastReplyAt !== null && <span className="quiet"> Replied {age(lastReplyAt, now)}</span>}
              </span>
            </label>
            <MailPreview subject={subject} leftOut={leftOut} mail={mail} />
          </li>
        ))}
      </ol>
    </FormDialog>
  );
}
