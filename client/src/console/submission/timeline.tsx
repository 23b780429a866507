// What became of a submission, oldest first: mails, replies, notes, changes and downloads.
import type { HistoryEntry, MailRow, Note, SubmissionDetail } from "@submissions/shared/console";
import type { ReactNode } from "react";
import { type NameOf, useNames } from "../operators.ts";
import { Age, Avatar, Mark } from "../parts/states.tsx";
import { AuditSentence } from "../parts/audit-sentence.tsx";
import { ReferenceLink } from "../parts/reference-link.tsx";
import { mailWord } from "../words.ts";
import { MailWhen, SendAgain } from "./events.tsx";

interface Item {
  readonly key: string;
  readonly at: number;
  readonly shown: ReactNode;
  /** The submission that it is about, where several are told of. */
  readonly reference?: string;
}

export const Timeline = ({ detail }: { readonly detail: SubmissionDetail }) => (
  <TimelineOf items={itemsOf(detail, useNames())} />
);

/** What became of a submission. */
export function itemsOf(
  { receivedAt, mails, replies, notes, history }: SubmissionDetail,
  nameOf: NameOf,
): readonly Item[] {
  return [
    ...momentItem("Received", receivedAt),
    ...mails.filter(({ reply, kind }) => reply === null || kind.endsWith("-notice")).map(mailItem),
    ...replies.map((reply) => {
      const its = mails.filter((mail) => mail.reply === reply.id && !mail.kind.endsWith("-notice"));
      return {
        key: `reply ${reply.id}`,
        at: reply.at,
        shown: <Words said={reply} by={nameOf(reply.author)} mails={its} />,
      };
    }),
    ...notes.map((note) => ({
      key: `note ${note.id}`,
      at: note.at,
      shown: <Words said={note} by={nameOf(note.author)} />,
    })),
    // Notes and replies are there with their words.
    ...history.filter(({ action }) => action !== "note" && action !== "reply").map(changeItem),
  ];
}

/** Oldest first. */
export const TimelineOf = ({ items }: { readonly items: readonly Item[] }) => (
  <ol className="timeline">
    {items
      .toSorted((one, other) => one.at - other.at)
      .map(({ key, shown, reference }, index, all) => (
        <li key={key}>
          {reference !== undefined && reference !== all[index - 1]?.reference && (
            <ReferenceLink reference={reference} />
          )}
          {shown}
        </li>
      ))}
  </ol>
);

/** Nothing where there is no such moment. */
export const momentItem = (words: string, at: number | null): readonly Item[] =>
  at === null ? [] : [{ key: words, at, shown: <Moment at={at}>{words}</Moment> }];

const Moment = ({ at, children }: { readonly at: number; readonly children: ReactNode }) => (
  <div className="timeline-line">
    <p>{children}</p>
    <Age at={at} ago />
  </div>
);

const changeItem = (entry: HistoryEntry, index: number): Item => ({
  key: `change ${index}`,
  at: entry.at,
  shown: (
    <Moment at={entry.at}>
      <AuditSentence entry={entry} />
    </Moment>
  ),
});

export const mailItem = (mail: MailRow): Item => ({
  key: `mail ${mail.id}`,
  at: mail.createdAt,
  shown: (
    <div className="timeline-line">
      <p>
        {mail.reply === null ? mailWord(mail.kind) : "Copy of a reply to the team"}{" "}
        <Mark of="mail" state={mail.status} />
      </p>
      <SendAgain mail={mail} />
      <MailWhen mail={mail} />
    </div>
  ),
});

interface WordsProps {
  readonly said: Note;
  /** Its author. */
  readonly by: string;
  /** Of a reply. After 90 days there is none any more. */
  readonly mails?: readonly MailRow[];
}

const Words = ({ said: { at, text }, by, mails }: WordsProps) => (
  <div className={mails === undefined ? "said" : "said said-reply"}>
    <Avatar name={by} small />
    <div>
      <p className="note-head">
        <strong>{by}</strong> {mails === undefined ? "noted" : "replied"} <Age at={at} ago />
      </p>
      <p className="note-text">{text}</p>
      {mails?.map((mail) => (
        <div key={mail.id} className="timeline-line">
          <Mark of="mail" state={mail.status} />
          <SendAgain mail={mail} />
          <MailWhen mail={mail} />
        </div>
      ))}
    </div>
  </div>
);
