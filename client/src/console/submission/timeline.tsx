// What became of a submission, oldest first: mails, replies, notes, changes and downloads.
import type { HistoryEntry, MailRow, Note, SubmissionDetail } from "@submissions/shared/console";
import type { ReactNode } from "react";
import { Age, Avatar, Mark } from "../parts/states.tsx";
import { AuditSentence } from "../parts/audit-sentence.tsx";
import { mailWord, shortName } from "../words.ts";
import { MailWhen, SendAgain } from "./events.tsx";

interface Item {
  readonly key: string;
  readonly at: number;
  readonly shown: ReactNode;
}

export function Timeline({ detail }: { readonly detail: SubmissionDetail }) {
  const { receivedAt, mails, replies, notes, history } = detail;
  const items: Item[] = [
    { key: "received", at: receivedAt, shown: <Line at={receivedAt}>Received</Line> },
    ...mails.filter(({ reply, kind }) => reply === null || kind.endsWith("-notice")).map(mailItem),
    ...replies.map((reply) => {
      const its = mails.filter((mail) => mail.reply === reply.id && !mail.kind.endsWith("-notice"));
      return { key: `reply ${reply.id}`, at: reply.at, shown: <Words said={reply} mails={its} /> };
    }),
    ...notes.map((note) => ({ key: `note ${note.id}`, at: note.at, shown: <Words said={note} /> })),
    // Notes and replies are there with their words.
    ...history.filter(({ action }) => action !== "note" && action !== "reply").map(changeItem),
  ];
  return (
    <ol className="timeline">
      {items
        .toSorted((one, other) => one.at - other.at)
        .map(({ key, shown }) => (
          <li key={key}>{shown}</li>
        ))}
    </ol>
  );
}

const Line = ({ at, children }: { readonly at: number; readonly children: ReactNode }) => (
  <div className="timeline-line">
    <p>{children}</p>
    <Age at={at} ago />
  </div>
);

const changeItem = (entry: HistoryEntry, index: number): Item => ({
  key: `change ${index}`,
  at: entry.at,
  shown: (
    <Line at={entry.at}>
      <AuditSentence entry={entry} about="it" />
    </Line>
  ),
});

const mailItem = (mail: MailRow): Item => ({
  key: `mail ${mail.id}`,
  at: mail.createdAt,
  shown: (
    <div className="timeline-line">
      <div>
        <p>
          {mail.reply === null ? mailWord(mail.kind) : "Copy of a reply to the team"}{" "}
          <Mark of="mail" state={mail.status} />
        </p>
        <MailWhen mail={mail} />
      </div>
      <SendAgain mail={mail} />
    </div>
  ),
});

interface WordsProps {
  readonly said: Note;
  /** Of a reply. After 90 days there is none any more. */
  readonly mails?: readonly MailRow[];
}

const Words = ({ said: { author, at, text }, mails }: WordsProps) => (
  <div className={mails === undefined ? "said said-note" : "said said-reply"}>
    <Avatar name={author} small />
    <div>
      <p className="note-head">
        <strong>{shortName(author)}</strong> {mails === undefined ? "noted" : "replied"} <Age at={at} ago />
      </p>
      <p className="note-text">{text}</p>
      {mails?.map((mail) => (
        <div key={mail.id} className="timeline-line">
          <div>
            <Mark of="mail" state={mail.status} />
            <MailWhen mail={mail} />
          </div>
          <SendAgain mail={mail} />
        </div>
      ))}
    </div>
  </div>
);
