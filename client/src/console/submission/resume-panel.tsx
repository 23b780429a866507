// The resume of a submission: what it is, a PDF on the page, and the link to download it.
import type { ResumeFacts } from "@submissions/shared/console";
import { sizeIn } from "@submissions/shared/size";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { queryClient, untilSignedIn } from "../calls.ts";
import { consoleUrl } from "../early.ts";
import { Box } from "../parts/boxes.tsx";
import { DownloadLink } from "../parts/downloads.tsx";
import { Icon } from "../parts/icons.tsx";

interface Props {
  readonly reference: string;
  readonly resume: ResumeFacts;
}

/** Whether resumes are shown: one that was opened stays open from one submission to the next. */
const areShown = { queryKey: ["resumes are shown"], queryFn: () => false, initialData: false, enabled: false } as const;

export function ResumePanel({ reference, resume }: Props) {
  const { filename, kind, size, download } = resume;
  const canBeShown = kind !== "doc" && download === "allowed";
  const shown = useQuery({ ...areShown, staleTime: Infinity, gcTime: Infinity }).data && canBeShown;
  const href = new URL(`resumes/${encodeURIComponent(reference)}`, consoleUrl).href;
  return (
    <Box title="Resume">
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
        {download === "allowed" && (
          <div className="box-foot">
            {canBeShown && (
              <button aria-expanded={shown} onClick={() => queryClient.setQueryData(areShown.queryKey, !shown)}>
                {shown ? "Hide resume" : "Show resume"}
              </button>
            )}
            <DownloadLink className="button-like" href={href} filename={filename}>
              <Icon name="download" size={16} /> Download resume
            </DownloadLink>
          </div>
        )}
      </div>
      {shown && <ResumeFrame reference={reference} />}
      {download === "unscanned" && <p className="quiet">It can be downloaded once the virus scanner has checked it.</p>}
      {download === "infected" && (
        <p className="problem">The virus scanner found something in this file. It cannot be downloaded.</p>
      )}
    </Box>
  );
}

/** A resume in a frame without an origin. The page fetches the file and hands the bytes to the frame. */
function ResumeFrame({ reference }: { readonly reference: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "partly" | "failed">("loading");
  useEffect(() => {
    const abort = new AbortController();
    const send = async () => {
      await untilSignedIn();
      const url = new URL(`resumes/${encodeURIComponent(reference)}?view=1`, consoleUrl);
      const response = await fetch(url, { signal: abort.signal });
      if (!response.ok) throw new Error(`The resume was answered with ${response.status}.`);
      const bytes = await response.arrayBuffer();
      // The frame has no origin that could be named.
      frame.current?.contentWindow?.postMessage(bytes, "*", [bytes]);
    };
    const onMessage = (event: MessageEvent<{ readonly viewer?: string } | null>) => {
      if (event.source !== frame.current?.contentWindow) return;
      if (event.data?.viewer === "ready") send().catch(() => !abort.signal.aborted && setState("failed"));
      const told = (["shown", "partly", "failed"] as const).find((one) => one === event.data?.viewer);
      if (told !== undefined) setState(told);
    };
    addEventListener("message", onMessage);
    return () => {
      removeEventListener("message", onMessage);
      abort.abort();
    };
  }, [reference]);
  return (
    <div className="resume-frame">
      {state === "partly" && <p role="alert">Not all of the resume could be drawn. Please download it.</p>}
      {state === "failed" ? (
        <p role="alert">The resume cannot be shown here. Please download it.</p>
      ) : (
        <iframe
          ref={frame}
          title="Resume"
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
          src={new URL("viewer.html", consoleUrl).href}
          aria-busy={state === "loading"}
        />
      )}
    </div>
  );
}
