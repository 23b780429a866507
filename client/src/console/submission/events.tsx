// Mails as they are shown and sent again, and other submissions that one may repeat.
import type { MailRow, SubmissionDetail } from "@submissions/shared/console";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, trpc } from "../calls.ts";
import { Question } from "../parts/dialogs.tsx";
import { ReferenceLink } from "../parts/reference-link.tsx";
import { Age, Mark } from "../parts/states.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { plural, word } from "../words.ts";

/** When a mail was sent, is due or was given up, and why. */
export function MailWhen({
  mail: { status, sentAt, dueAt, createdAt, attempts, lastError },
}: {
  readonly mail: MailRow;
}) {
  return (
    <p className="quiet small">
      {status === "sent" && sentAt !== null ? <Age at={sentAt} ago /> : <Age at={createdAt} ago />}
      {attempts > 1 && ` · ${plural(attempts, "attempt")}`}
      {status === "queued" &&
        dueAt !== null &&
        dueAt > Date.now() &&
        ` · next attempt ${new Date(dueAt).toLocaleTimeString("en-GB", { timeStyle: "short" })}`}
      {status !== "sent" && lastError !== null && <span className="why">{lastError}</span>}
    </p>
  );
}

/** A button that sends a mail again, a sent one only after a question; none for one that goes out anyway. */
export function SendAgain({ mail: { id, status } }: { readonly mail: MailRow }) {
  const { showToast, showFailure } = useToasts();
  const [asking, setAsking] = useState(false);
  const retry = useMutation({
    ...trpc.mails.retry.mutationOptions(),
    onSuccess: () => showToast("The mail is on its way."),
    onError: (error) => showFailure("Not sent again.", error),
    onSettled: () => {
      setAsking(false);
      return Promise.all(
        [trpc.mails.list, trpc.submission.get, trpc.people.get].map((shown) =>
          queryClient.invalidateQueries({ queryKey: shown.pathKey() }),
        ),
      );
    },
  });
  if (status === "queued") return null;
  const send = () => retry.mutate({ id });
  const onClick = status === "sent" ? () => setAsking(true) : send;
  return (
    <>
      <button
        type="button"
        className={status === "sent" ? "link small send-again" : "small-button"}
        disabled={retry.isPending}
        onClick={onClick}
      >
        Send again
      </button>
      {asking && (
        <Question title="Send this mail again?" word="Send" call={retry} onYes={send} onClose={() => setAsking(false)}>
          <p>It was sent before. Its recipient gets it a second time.</p>
        </Question>
      )}
    </>
  );
}

export const Duplicates = ({ duplicates }: Pick<SubmissionDetail, "duplicates">) =>
  duplicates.length === 0 ? null : (
    <section className="box">
      <h2>Other submissions of the person</h2>
      <ul className="lines">
        {duplicates.map(({ reference, kind, receivedAt, status }) => (
          <li key={reference}>
            <div>
              <p>
                <ReferenceLink reference={reference} />
              </p>
              <p className="quiet small">
                {word(kind)} · <Age at={receivedAt} ago />
              </p>
            </div>
            <Mark of="status" state={status} />
          </li>
        ))}
      </ul>
    </section>
  );
