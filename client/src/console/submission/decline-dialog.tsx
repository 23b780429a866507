// Declines one or several: why, what is mailed, and when.
import { type DeclineDays, declineDays, declineReasonLengthMax } from "@submissions/shared/stages";
import type { SubmissionKind } from "@submissions/shared/kinds";
import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { calls, Refused, trpc } from "../calls.ts";
import { FormDialog } from "../parts/dialogs.tsx";
import { declineDraft, useDraft } from "../parts/drafts.tsx";
import { LongText } from "../parts/form.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { useDecline } from "../triage/decline.ts";
import { shownNow } from "../triage/triage.ts";
import { plural, shortName } from "../words.ts";
import "../styles/pages.css";
import { AnswerSelect, leftOutWords, MailPreview, typeIn } from "./composer.tsx";

interface Props {
  readonly references: readonly string[];
  readonly kind: SubmissionKind;
  /** Also told when they are declined. */
  readonly onClose: (isDone: boolean) => void;
}

const whenWords: Readonly<Record<DeclineDays, string>> = {
  0: "The mail goes out in ten seconds.",
  2: "The mail waits for 2 days. Until then it can be cancelled.",
  7: "The mail waits for 7 days. Until then it can be cancelled.",
};

export function DeclineDialog({ references, kind, onClose }: Props) {
  const { showToast, showFailure } = useToasts();
  const reasons = useId();
  const [reason, setReason] = useState("");
  const [text, setText] = useDraft(declineDraft(references));
  /** What the previews are made of: the text when its field was left. */
  const [previewed, setPreviewed] = useState(text);
  const [days, setDays] = useState<DeclineDays>(2);
  const known = useQuery(trpc.decline.reasons.queryOptions()).data ?? [];
  const named = [...references];
  const people = useQuery(trpc.decline.preview.queryOptions({ references: named, text: previewed }));
  /** What others change behind the dialog is told before it is overwritten. */
  const [seen, setSeen] = useState(() => shownNow(references));
  const end = (isDone: boolean) => {
    setText("");
    onClose(isDone);
  };
  const decline = useDecline(() => end(true));
  const isOne = references.length === 1;
  const message = useRef<HTMLTextAreaElement>(null);
  const chosen = useRef("");
  /** What the last saved answer put in: another one replaces it, but nothing that was typed. */
  const filledIn = useRef("");
  const fill = async (answer: string) => {
    chosen.current = answer;
    if (!isOne) return write(answer);
    try {
      const [filled] = await calls.decline.preview.query({ references: named, text: answer });
      // Arrow keys pass over several: the last one is meant.
      if (chosen.current !== answer) return;
      write(filled?.text ?? answer);
      if (filled && filled.leftOut.length > 0) showToast(leftOutWords(filled.leftOut), { tone: "bad" });
    } catch (error) {
      showFailure("Not filled in.", error);
    }
  };
  const write = (words: string) => {
    const field = message.current;
    if (field === null) return;
    const isUntouched = field.value === filledIn.current;
    const before = document.activeElement;
    typeIn(field, words, isUntouched);
    if (isUntouched) filledIn.current = field.value;
    setPreviewed(field.value);
    // Its keys go on to the next answer.
    if (before instanceof HTMLSelectElement) before.focus();
  };
  const hasWords = text.trim() !== "";
  const withheld = people.data?.filter(({ suppressed }) => suppressed !== null) ?? [];
  return (
    <FormDialog
      title={isOne ? "Decline" : `Decline ${plural(references.length, "submission")}`}
      word={decline.isPending ? "Declining…" : "Decline"}
      call={decline}
      onSubmit={() =>
        decline.mutate(
          { seen, reason, text, days },
          { onError: (error) => error instanceof Refused && setSeen(shownNow(references)) },
        )
      }
      onClose={decline.isPending ? undefined : () => onClose(false)}
      onCancel={() => end(false)}
    >
      <label>
        Reason <span className="quiet">(never mailed)</span>
        <input
          aria-label="Reason"
          list={reasons}
          autoComplete="off"
          autoFocus
          maxLength={declineReasonLengthMax}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <datalist id={reasons}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </label>
      <AnswerSelect kind={kind} onChoose={(answer) => void fill(answer)} isRepeatable={isOne} />
      <label>
        Message
        <LongText
          ref={message}
          aria-label="Message"
          rows={7}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onBlur={({ target }) => setPreviewed(target.value)}
        />
      </label>
      <div role="radiogroup" aria-label="Send" className="choice-line">
        <span aria-hidden="true">Send</span>
        {declineDays.map((one) => (
          <label key={one} className="check">
            <input type="radio" name="days" checked={days === one} onChange={() => setDays(one)} />
            {one === 0 ? "Now" : `In ${one} days`}
          </label>
        ))}
      </div>
      <div role="status" className="small">
        <p>{hasWords ? whenWords[days] : "Without words nothing is sent."}</p>
        {withheld.map(({ reference, name, email, suppressed }) => (
          <p key={reference} className="problem">
            Nothing is sent to {name || shortName(email)}: {suppressed}
          </p>
        ))}
      </div>
      {/* Of one height, so that nothing moves below the pointer. Of one the message says all. */}
      {!isOne && (
        <ol className="previews of-declines" aria-label="What goes out" tabIndex={0}>
          {(previewed.trim() === "" ? [] : (people.data ?? []))
            .filter(({ suppressed }) => suppressed === null)
            .map(({ reference, name, email, subject, mail, leftOut }) => (
              <li key={reference}>
                <p className="small">
                  <strong>{name || shortName(email)}</strong> <span className="quiet">{email}</span>
                </p>
                <MailPreview subject={subject} leftOut={leftOut} mail={mail} />
              </li>
            ))}
        </ol>
      )}
    </FormDialog>
  );
}
