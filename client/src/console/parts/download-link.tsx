// A link that saves a file. Where the session has ended, the operator signs in first: a browser would only say that the
// download failed.
import type { ReactNode } from "react";
import { untilSignedIn } from "../calls.ts";
import { showFailure } from "./toasts.tsx";

interface Props {
  readonly href: string;
  /** The server names the file, unless this does. */
  readonly filename?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export const DownloadLink = ({ href, filename = "", className, children }: Props) => (
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

/** Starts a download, after a sign-in where the session has ended. */
export function download(start: () => void): void {
  void untilSignedIn().then(start, (error: unknown) => showFailure("Not downloaded.", error));
}
