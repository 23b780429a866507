// Mails as they are shown and sent again, and other submissions that one may repeat.
import type { MailRow, SubmissionDetail } from "@submissions/shared/console";
import type { ReactNode } from "react";
import { trpc } from "../calls.ts";
import { Box, Line, Lines } from "../parts/boxes.tsx";
import { FormButton } from "../parts/dialogs.tsx";
import { ReferenceLink } from "../parts/reference-link.tsx";
import { Age, Mark } from "../parts/states.tsx";
import { useChange } from "../parts/use-change.ts";
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
  const effects = {
    said: "The mail is on its way.",
    reads: [trpc.mails.list, trpc.submission.get, trpc.people.get],
  };
  const retry = useChange(trpc.mails.retry, { ...effects, failed: "Not sent again." });
  if (status === "queued") return null;
  if (status === "sent") {
    return (
      <FormButton
        {...effects}
        word="Send again"
        className="link small send-again"
        title="Send this mail again?"
        yes="Send"
        asks="primary"
        procedure={trpc.mails.retry}
        input={() => ({ id })}
      >
        <p>It was sent before. Its recipient gets it a second time.</p>
      </FormButton>
    );
  }
  return (
    <button className="small-button" disabled={retry.isPending} onClick={() => retry.mutate({ id })}>
      Send again
    </button>
  );
}

interface SubmissionsProps {
  readonly title: string;
  readonly of: readonly (SubmissionDetail["duplicates"][number] & { readonly summary?: string })[];
  /** Below the list. */
  readonly children?: ReactNode;
}

/** Submissions of one person. */
export const Submissions = ({ title, of, children }: SubmissionsProps) => (
  <Box title={title}>
    <Lines of={of} empty="None.">
      {({ reference, kind, summary, receivedAt, status }) => (
        <Line
          key={reference}
          title={<ReferenceLink reference={reference} />}
          about={
            <>
              {summary !== undefined && <p className="clip">{summary}</p>}
              {word(kind)} · <Age at={receivedAt} ago />
            </>
          }
        >
          <Mark of="status" state={status} />
        </Line>
      )}
    </Lines>
    {children}
  </Box>
);
