// What became of a submission, oldest first: mails, replies, notes, changes and downloads.
import type { MailRow, Note, OtherSubmission, Reply, SubmissionDetail } from "@submissions/shared/console";
import { Fragment, type ReactNode } from "react";
import type { NameOf } from "../operators.ts";
import { Age, Avatar, Mark } from "../parts/states.tsx";
import { ReferenceLink, Box, Line, Lines } from "../parts/boxes.tsx";
import { AuditSentence } from "../parts/audit-sentence.tsx";
import { dayAndTime, mailWord, plural, word } from "../words.ts";
import { WaitingDecline } from "./waiting-decline.tsx";
import { AnswerEntry } from "./answer.tsx";
import { SentFiles } from "./files.tsx";
import { trpc } from "../calls.ts";
import { DraftText, FormButton, useChange } from "../parts/dialogs.tsx";

interface Item {
  readonly key: string;
  readonly at: number;
  readonly shown: ReactNode;
  /** Whether it folds with those beside it. */
  readonly isQuiet?: boolean;
  /** The submission that it is about, where several are told of. */
  readonly reference?: string;
}

/** What became of a submission. @param me the operator, who may change notes of their own */
export function itemsOf(
  { reference, receivedAt, mails, replies, answers, answersLeftOut, notes, history }: SubmissionDetail,
  nameOf: NameOf,
  me?: string,
): readonly Item[] {
  return [
    momentItem("received", receivedAt, "Received"),
    ...mails.filter(({ reply, kind }) => reply === null || kind.endsWith("-notice")).map(mailItem),
    ...replies.map((reply) => {
      const its = mails.filter((mail) => mail.reply === reply.id && !mail.kind.endsWith("-notice"));
      return {
        key: `reply ${reply.id}`,
        at: reply.at,
        shown: <Words said={reply} by={nameOf(reply.author)} mails={its} decline={reply} />,
      };
    }),
    ...answers.map((answer) => ({
      key: `answer ${answer.id}`,
      at: answer.at,
      shown: <AnswerEntry answer={answer} reference={reference} />,
    })),
    ...(answersLeftOut === 0
      ? []
      : [
          {
            ...momentItem("left out", answers.at(-1)?.at ?? receivedAt, leftOutWords(answersLeftOut)),
            isQuiet: false,
          },
        ]),
    ...notes.map((note) => ({
      key: `note ${note.id}`,
      at: note.at,
      shown: (
        <Words said={note} by={nameOf(note.author)} isEdited={note.editedAt !== null}>
          {note.author === me && <EditNote reference={reference} note={note} />}
        </Words>
      ),
    })),
    // Notes and replies are there with their words.
    ...history
      .filter(({ action }) => action !== "note" && action !== "reply")
      .map((entry, index) => momentItem(`change ${index}`, entry.at, <AuditSentence entry={entry} />)),
  ];
}

const leftOutWords = (count: number) => `${plural(count, "further answer")} beyond 100 a day: not kept`;

/** As many quiet lines in a row fold, at least. The latest of the timeline, as many, are always shown. */
const foldedMin = 3;

interface Told {
  readonly first: Item;
  readonly others: readonly Item[];
  readonly isNewReference: boolean;
}

/** Oldest first, quiet ones of a submission that follow each other together. */
function foldedOf(items: readonly Item[]): readonly Told[] {
  const sorted = items.toSorted((one, other) => one.at - other.at);
  const told: Told[] = [];
  for (let at = 0; at < sorted.length;) {
    const first = sorted[at] as Item;
    const end = sorted.findIndex((one, index) => index > at && !(one.isQuiet && one.reference === first.reference));
    const until = end === -1 ? sorted.length - foldedMin : end;
    const isFolded = first.isQuiet === true && until - at >= foldedMin;
    const others = isFolded ? sorted.slice(at + 1, until) : [];
    told.push({ first, others, isNewReference: first.reference !== sorted[at - 1]?.reference });
    at += 1 + others.length;
  }
  return told;
}

/** Oldest first. */
export const Timeline = ({ items }: { readonly items: readonly Item[] }) => (
  <ol className="timeline">
    {foldedOf(items).map(({ first, others, isNewReference }) => (
      <li key={first.key}>
        {isNewReference && first.reference !== undefined && <ReferenceLink reference={first.reference} />}
        {others.length === 0 ? (
          first.shown
        ) : (
          <details className="folded">
            <summary className="quiet">{plural(others.length + 1, "change")}</summary>
            {[first, ...others].map(({ key, shown }) => (
              <Fragment key={key}>{shown}</Fragment>
            ))}
          </details>
        )}
      </li>
    ))}
  </ol>
);

export const momentItem = (key: string, at: number, words: ReactNode): Item => ({
  key,
  at,
  isQuiet: true,
  shown: (
    <div className="timeline-line quiet">
      <p>{words}</p>
      <Age at={at} ago />
    </div>
  ),
});

/** It never folds, because it can be sent again. */
export const mailItem = (mail: MailRow): Item => ({
  key: `mail ${mail.id}`,
  at: mail.createdAt,
  shown: <MailLine mail={mail} name={mail.reply === null ? mailWord(mail.kind) : "Copy of a reply to the team"} />,
});

const MailLine = ({ mail, name }: { readonly mail: MailRow; readonly name?: string }) => (
  <div className={`timeline-line ${mail.status === "failed" || mail.status === "in-doubt" ? "went-wrong" : "quiet"}`}>
    <p>
      {name} <Mark of="mail" state={mail.status} />
    </p>
    <SendAgain mail={mail} />
    <MailWhen mail={mail} />
  </div>
);

interface WordsProps {
  readonly said: Note | Reply;
  /** Its author. */
  readonly by: string;
  /** Of a reply. After 90 days there is none any more. */
  readonly mails?: readonly MailRow[];
  readonly decline?: Reply;
  readonly isEdited?: boolean;
  readonly children?: ReactNode;
}

const EditNote = ({ reference, note: { id, text } }: { readonly reference: string; readonly note: Note }) => (
  <FormButton
    word="Edit"
    title="Edit note"
    yes="Save"
    className="link small"
    draft={`note ${id} ${reference}`}
    procedure={trpc.submission.editNote}
    input={(read) => ({ reference, id, text: read("text") })}
    reads={[trpc.submission.get]}
  >
    <label>
      Edit note
      <DraftText
        draft={`note ${id} ${reference}`}
        stored={text}
        aria-label="Edit note"
        name="text"
        required
        rows={6}
        autoFocus
      />
    </label>
  </FormButton>
);

const Words = ({ said: { at, text }, by, mails, decline, isEdited = false, children }: WordsProps) => (
  <div className={mails === undefined ? "said" : "said said-reply"}>
    <Avatar name={by} small />
    <div>
      <p className="note-head">
        <strong>{by}</strong> {decline?.sendAt != null ? "declined" : mails === undefined ? "noted" : "replied"}{" "}
        <Age at={at} ago />
        {isEdited && <span className="quiet small"> edited</span>} {children}
      </p>
      <p className="note-text">{text}</p>
      {decline && <SentFiles files={decline.files} />}
      {mails?.map((mail) => (
        <MailLine key={mail.id} mail={mail} />
      ))}
      {decline && mails && <WaitingDecline reply={decline} mails={mails} />}
    </div>
  </div>
);

/** What is due later than this was put off by an operator. */
const putOffMs = 24 * 60 * 60_000;

interface MailWhenProps {
  readonly mail: MailRow;
  /** Nothing beside it says when what was put off goes out. */
  readonly isAlone?: boolean;
}

/** When a mail was sent, is due or was given up, and why. */
export function MailWhen({ mail, isAlone = false }: MailWhenProps) {
  const { status, sentAt, createdAt, attempts, lastError } = mail;
  return (
    <p className="quiet small">
      {status === "sent" && sentAt !== null ? <Age at={sentAt} ago /> : <Age at={createdAt} ago />}
      {attempts > 1 && ` · ${plural(attempts, "attempt")}`}
      {dueWords(mail, isAlone)}
      {status !== "sent" && lastError !== null && <span className="why">{lastError}</span>}
    </p>
  );
}

function dueWords({ status, dueAt, attempts }: MailRow, isAlone: boolean): string | false {
  const now = Date.now();
  if (status !== "queued" || dueAt === null || dueAt <= now) return false;
  if (dueAt >= now + putOffMs) return isAlone && ` · goes out ${dayAndTime(dueAt)}`;
  const time = new Date(dueAt).toLocaleTimeString("en-GB", { timeStyle: "short" });
  return ` · ${attempts === 0 ? "goes out" : "next attempt"} ${time}`;
}

/** A button that sends a mail again, a sent one only after a question; none for one that goes out anyway. */
export function SendAgain({ mail: { id, status, email } }: { readonly mail: MailRow }) {
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
        <p>It was sent before. {email ?? "Its recipient"} gets it a second time.</p>
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
  readonly of: readonly (Omit<OtherSubmission, "otherEmail"> & Partial<Pick<OtherSubmission, "otherEmail">>)[];
  /** Below the list. */
  readonly children?: ReactNode;
}

/** Submissions of one person. */
export const Submissions = ({ title, of, children }: SubmissionsProps) => (
  <Box title={title}>
    <Lines of={of} empty="None.">
      {({ reference, kind, summary, receivedAt, status, otherEmail = null }) => (
        <Line
          key={reference}
          title={<ReferenceLink reference={reference} />}
          about={
            <>
              {summary !== "" && <p className="clip">{summary}</p>}
              {word(kind)} · <Age at={receivedAt} ago />
              {otherEmail !== null && <p className="anywhere">Same resume, other address: {otherEmail}</p>}
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
