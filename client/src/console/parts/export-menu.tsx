// The links to download a whole list.
import { useId } from "react";
import { consoleUrl } from "../calls.ts";
import { DownloadLink } from "./download-link.tsx";
import { Icon } from "./icons.tsx";

export function ExportMenu({ list }: { readonly list: "inquiries" | "applications" | "subscribers" | "audit" }) {
  const id = useId();
  const href = (format: string) => new URL(`exports/${list}.${format}`, consoleUrl).href;
  return (
    <>
      <button type="button" popoverTarget={id}>
        <Icon name="download" size={16} /> Export
      </button>
      <div id={id} popover="auto" className="popover choices">
        <DownloadLink className="choice" href={href("csv")}>
          CSV <span className="quiet">for spreadsheets</span>
        </DownloadLink>
        <DownloadLink className="choice" href={href("ndjson")}>
          NDJSON <span className="quiet">for programs</span>
        </DownloadLink>
      </div>
    </>
  );
}
