// A mail that came in, in the timeline: who sent it, its words without what is quoted, and its files. Its text is never markup.
import type { Answer, AnswerFile } from "@submissions/shared/console";
import { useState } from "react";
import { consoleUrl } from "../early.ts";
import { DownloadLink } from "../parts/downloads.tsx";
import { Age, Avatar } from "../parts/states.tsx";

interface AnswerProps {
  readonly answer: Answer;
  /** Of its submission. */
  readonly reference: string;
}

export const AnswerEntry = ({ answer, reference }: AnswerProps) =>
  answer.sender === "automatic" ? (
    <details className="automatic">
      <summary>
        Automatic: {answer.subject || "(no subject)"} <Age at={answer.at} ago />
      </summary>
      <Written answer={answer} reference={reference} />
    </details>
  ) : (
    <Written answer={answer} reference={reference} />
  );

function Written({ answer, reference }: AnswerProps) {
  const { sender, senderAddress, senderName, at, subject, files } = answer;
  const by = senderName === "" ? senderAddress : senderName;
  // A subject with the reference is ours and says nothing new. An automatic mail has its subject in the line above.
  const showsSubject = sender !== "automatic" && subject !== "" && !subject.includes(reference);
  return (
    <article className="said said-answer" aria-label="Answer">
      <Avatar name={by} small />
      <div>
        <p className="note-head">
          Answer from <strong>{by}</strong> {senderName !== "" && senderAddress} <Age at={at} ago />{" "}
          {sender === "unverified" && <span className="mark mail-in-doubt">Sender not verified</span>}
        </p>
        {showsSubject && <p className="quiet small">Subject: {subject}</p>}
        <MailText mail={answer} />
        {files.length > 0 && (
          <ul className="files">
            {files.map((file, index) => (
              <li key={index}>
                <FileLink file={file} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

/** The text of a mail; what it quotes is behind a button. */
export function MailText({ mail: { text, reply } }: { readonly mail: Pick<Answer, "text" | "reply"> }) {
  const [isWhole, setIsWhole] = useState(false);
  return (
    <>
      <p className="note-text">{(isWhole ? text : (reply ?? text)) || "(no text)"}</p>
      {reply !== null && (
        <button className="link small" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

const withheld = { infected: "a virus was found in it", unscanned: "not scanned yet" } as const;

function FileLink({ file: { name, kept } }: { readonly file: AnswerFile }) {
  if (kept === null) return <span className="quiet small">{name} (not kept)</span>;
  const { id, download } = kept;
  if (download !== "allowed") {
    return (
      <span className="quiet small">
        {name} ({withheld[download]})
      </span>
    );
  }
  return <DownloadLink href={new URL(`answers/files/${id}`, consoleUrl).href}>{name}</DownloadLink>;
}
