// The resume in a frame without an origin. The page fetches the file and hands the bytes to the frame.
import { useEffect, useRef, useState } from "react";
import { consoleUrl } from "../calls.ts";

interface Props {
  readonly reference: string;
}

export function ResumeFrame({ reference }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    const abort = new AbortController();
    const send = async () => {
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
      if (event.data?.viewer === "shown" || event.data?.viewer === "failed") setState(event.data.viewer);
    };
    addEventListener("message", onMessage);
    return () => {
      removeEventListener("message", onMessage);
      abort.abort();
    };
  }, [reference]);
  return (
    <div className="resume-frame">
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
