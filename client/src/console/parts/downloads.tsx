// Downloads: a link that saves a file, and the menu with a whole list or what its filter shows.
import { type ReactNode, useId } from "react";
import { untilSignedIn } from "../calls.ts";
import { consoleUrl } from "../early.ts";
import { useToasts } from "./toasts.tsx";
import { Icon } from "./icons.tsx";

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
function useDownload(): (start: () => void) => void {
  const { showFailure } = useToasts();
  return (start) => void untilSignedIn().then(start, (error: unknown) => showFailure("Not downloaded.", error));
}

interface ExportMenuProps {
  readonly list: "subscribers" | "audit";
  /** Absent or empty: only the whole list is offered. */
  readonly filter?: object;
}

export const formats = [
  ["csv", "CSV", "for spreadsheets"],
  ["ndjson", "NDJSON", "for programs"],
] as const;

export const exportUrl = (list: string, format: string) => new URL(`exports/${list}.${format}`, consoleUrl).href;

export function ExportMenu({ list, filter = {} }: ExportMenuProps) {
  const id = useId();
  return (
    <>
      <button popoverTarget={id}>
        <Icon name="download" size={16} /> Export
      </button>
      <div id={id} popover="auto" className="popover choices">
        {formats.map(([format, name, use]) => (
          <DownloadLink key={format} className="choice" href={exportUrl(list, format)}>
            {name} <span className="quiet">{use}</span>
          </DownloadLink>
        ))}
        {Object.keys(filter).length > 0 && (
          <FilterForm filter={filter}>
            {formats.map(([format, name]) => (
              <button key={format} className="choice" formAction={exportUrl(list, format)}>
                {name} <span className="quiet">of those shown</span>
              </button>
            ))}
          </FilterForm>
        )}
      </div>
    </>
  );
}

/** Its buttons download what the filter shows. The body of a form stands in no log of a proxy, as an address would. */
export function FilterForm({ filter, className, children }: FilterFormProps) {
  const frame = `download-${useId()}`;
  const download = useDownload();
  const { showToast } = useToasts();
  return (
    <form
      method="post"
      target={frame}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        form.action = (event.nativeEvent.submitter as HTMLButtonElement).formAction;
        download(() => form.submit());
      }}
    >
      <input type="hidden" name="filter" value={JSON.stringify(filter)} />
      {children}
      <iframe
        name={frame}
        title="Downloads"
        hidden
        // A file that is saved loads no page. A refusal does, and so does the browser's page for a service that is away.
        onLoad={({ currentTarget }) => {
          if (currentTarget.contentDocument?.URL !== "about:blank")
            showToast("Not downloaded. Please try again.", { tone: "bad" });
        }}
      />
    </form>
  );
}

interface FilterFormProps {
  readonly filter: object;
  readonly className?: string;
  readonly children: ReactNode;
}
