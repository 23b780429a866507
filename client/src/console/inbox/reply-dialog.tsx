// A reply to several submissions with a saved answer. Each mail is shown as it will go out.
import type { SubmissionKind } from "@submissions/shared/kinds";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { useToasts } from "../parts/toasts.tsx";
import "../styles/pages.css";
import { AnswerSelect, leftOutWords } from "../submission/composer.tsx";
import { plural, shortName } from "../words.ts";

interface Props {
  readonly references: readonly string[];
  readonly kinds: readonly SubmissionKind[];
  readonly onClose: () => void;
}

const failures = {
  suppressed: "gets no mail from us",
  unknown: "was not found",
  changed: "was changed",
  overtaken: "was answered meanwhile",
} as const;

export function ReplyDialog({ references, kinds, onClose }: Props) {
  const { showToast } = useToasts();
  const [text, setText] = useState("");
  const asked = { references: [...references], text };
  const preview = useQuery({ ...trpc.reply.preview.queryOptions(asked), enabled: text !== "" });
  const send = useMutation({
    ...trpc.reply.sendMany.mutationOptions(),
    onSuccess: (outcomes) => {
      const failed = outcomes.flatMap(({ name, result }) =>
        result === "queued" ? [] : [`${name} ${failures[result]}`],
      );
      const sent = outcomes.length - failed.length;
      showToast(`${plural(sent, "reply", "replies")} will go out in ten seconds.`);
      if (failed.length > 0) showToast(`Not sent: ${failed.join(", ")}.`, { tone: "bad" });
      onClose();
      void queryClient.invalidateQueries({ queryKey: trpc.submission.get.pathKey() });
    },
  });
  return (
    <FormDialog
      title={`Reply to ${plural(references.length, "submission")}`}
      word={send.isPending ? "Sending…" : "Send"}
      call={{ error: preview.error ?? send.error, isPending: send.isPending || preview.isError || !preview.data }}
      asks="primary"
      onSubmit={() => send.mutate(asked)}
      onClose={send.isPending ? undefined : onClose}
    >
      <AnswerSelect kind={kinds.length === 1 ? kinds[0] : undefined} onChoose={setText} />
      <ol className="previews">
        {text !== "" &&
          preview.data?.map(({ reference, name, email, subject, mail, leftOut }) => (
            <li key={reference}>
              <p className="small">
                <strong>{name || shortName(email)}</strong> <span className="quiet">{email}</span>
              </p>
              <p className="small">{subject}</p>
              {leftOut.length > 0 && <p className="problem small">{leftOutWords(leftOut)}</p>}
              <p className="note-text small">{mail}</p>
            </li>
          ))}
      </ol>
    </FormDialog>
  );
}
