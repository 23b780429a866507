// The resume of an application: what it is, a PDF on the page, and the link to download it.
import type { ResumeFacts } from "@submissions/shared/console";
import { sizeIn } from "@submissions/shared/size";
import { useState } from "react";
import { consoleUrl } from "../calls.ts";
import { Icon } from "../parts/icons.tsx";
import { ResumeFrame } from "./resume-frame.tsx";

interface Props {
  readonly reference: string;
  readonly resume: ResumeFacts;
}

export function ResumePanel({ reference, resume }: Props) {
  const { filename, kind, size, download } = resume;
  const [shown, setShown] = useState(false);
  const href = new URL(`resumes/${encodeURIComponent(reference)}`, consoleUrl).href;
  return (
    <section className="box">
      <h2>Resume</h2>
      <div className="file">
        <span className={`file-kind file-${kind}`} aria-hidden="true">
          {kind.toUpperCase()}
        </span>
        <div className="file-name">
          <p>{filename}</p>
          <p className="quiet small">
            {kind.toUpperCase()}, {sizeIn("en", size)}
          </p>
        </div>
        {download === "allowed" && kind === "pdf" && (
          <button type="button" aria-expanded={shown} onClick={() => setShown(!shown)}>
            {shown ? "Hide resume" : "Show resume"}
          </button>
        )}
        {download === "allowed" && (
          <a className="button-like" href={href} download={filename}>
            <Icon name="download" size={16} /> Download resume
          </a>
        )}
      </div>
      {shown && <ResumeFrame reference={reference} />}
      {download === "unscanned" && <p className="quiet">It can be downloaded once the virus scanner has checked it.</p>}
      {download === "infected" && (
        <p className="problem">The virus scanner found something in this file. It cannot be downloaded.</p>
      )}
    </section>
  );
}
