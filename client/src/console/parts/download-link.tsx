// A link that saves a file. Where the session has ended, the operator signs in first: a browser would only say that the
// download failed.
import type { ReactNode } from "react";
import { untilSignedIn } from "../calls.ts";
import { useToasts } from "./toasts.tsx";

interface Props {
  readonly href: string;
  /** The server names the file, unless this does. */
  readonly filename?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function DownloadLink({ href, filename = "", className, children }: Props) {
  const download = useDownload();
  return (
    <a
      href={href}
      download={filename}
      className={className}
      onClick={(event) => {
        event.preventDefault();
        download(() => Object.assign(document.createElement("a"), { href, download: filename }).click());
      }}
    >
      {children}
    </a>
  );
}

/** How to start a download: after a sign-in where the session has ended. */
export function useDownload(): (start: () => void) => void {
  const { showFailure } = useToasts();
  return (start) => void untilSignedIn().then(start, (error: unknown) => showFailure("Not downloaded.", error));
}
