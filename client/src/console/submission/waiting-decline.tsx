// The mail of a decline while it waits: when it goes out, and how it is taken back.
import type { MailRow, Reply } from "@submissions/shared/console";
import { trpc } from "../calls.ts";
import { useChange } from "../parts/dialogs.tsx";
import { exactTime } from "../words.ts";

interface Props {
  readonly reply: Reply;
  readonly mails: readonly MailRow[];
}

export function WaitingDecline({ reply: { id, sendAt, held }, mails }: Props) {
  const effects = { reads: [trpc.submission.get] };
  const cancel = useChange(trpc.decline.cancel, {
    ...effects,
    said: "The mail is cancelled.",
    failed: "Not cancelled.",
  });
  const release = useChange(trpc.decline.release, {
    ...effects,
    said: "The mail is released.",
    failed: "Not released.",
  });
  const waits = mails.some(({ status, attempts }) => status === "queued" && attempts === 0);
  if (sendAt === null || !waits) return null;
  return (
    <p className="small">
      {held ? "Held, because the person has answered. It was to go out on " : "Goes out on "}
      <time dateTime={new Date(sendAt).toISOString()}>{exactTime(sendAt)}</time>.{" "}
      {held && (
        <button className="small-button" disabled={release.isPending} onClick={() => release.mutate({ id })}>
          Release mail
        </button>
      )}{" "}
      <button className="small-button" disabled={cancel.isPending} onClick={() => cancel.mutate({ id })}>
        Cancel mail
      </button>
    </p>
  );
}
