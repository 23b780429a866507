// The parts of the filter that are rarely set, and the exports. Loaded when they are first asked for.
import type { Role, SubmissionKind } from "@submissions/shared/console";
import { consoleUrl } from "../calls.ts";
import { useMe } from "../me.ts";
import { DownloadLink, useDownload } from "../parts/download-link.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { word } from "../words.ts";
import { exactParts, filterOf, type changed, type InboxSearch } from "./inbox-search.ts";

interface MoreProps {
  readonly search: InboxSearch;
  readonly set: (change: Parameters<typeof changed>[1]) => void;
}

/** Lists by role. The server refuses the others. */
const exportsOf: Readonly<Record<Role, readonly string[]>> = {
  admin: ["inquiries", "applications"],
  sales: ["inquiries"],
  recruiting: ["applications"],
  marketing: [],
};

/**
 * Lists as files: what the filter shows, and everything. The filter goes by a form, because its body stands in no log of a
 * proxy, as an address would; its answer is saved and the frame stays empty.
 */
function Exports({ search }: { readonly search: InboxSearch }) {
  const filter = JSON.stringify(filterOf(search));
  const download = useDownload();
  const { showToast } = useToasts();
  const lists = exportsOf[useMe().role].filter((list) => search.kind === undefined || list === listOf[search.kind]);
  const url = (list: string, format: string) => new URL(`exports/${list}.${format}`, consoleUrl).href;
  return (
    <>
      {lists.map((list) => (
        <div key={list} className="small">
          <form
            method="post"
            target="download"
            className="export-line"
            onSubmit={(event) => {
              event.preventDefault();
              const form = event.currentTarget;
              const { submitter } = event.nativeEvent;
              form.action = (submitter as HTMLButtonElement).formAction;
              download(() => form.submit());
            }}
          >
            <input type="hidden" name="filter" value={filter} />
            Export {list} shown here:
            {formats.map((format) => (
              <button key={format} type="submit" className="link" formAction={url(list, format)}>
                {format.toUpperCase()} <span className="unseen">of {list} shown here</span>
              </button>
            ))}
          </form>
          <p className="export-line">
            Export all {list}:
            {formats.map((format) => (
              <DownloadLink key={format} href={url(list, format)}>
                {format.toUpperCase()}
              </DownloadLink>
            ))}
          </p>
        </div>
      ))}
      <iframe
        name="download"
        title="Downloads"
        hidden
        // A file that is saved loads no page. A refusal does, and so does the browser's page for a service that is away.
        onLoad={({ currentTarget }) => {
          if (currentTarget.contentDocument?.URL !== "about:blank")
            showToast("Not downloaded. Please try again.", { tone: "bad" });
        }}
      />
    </>
  );
}

const formats = ["csv", "ndjson"];

const listOf: Readonly<Record<SubmissionKind, string>> = { inquiry: "inquiries", application: "applications" };

export function MoreFilters({ search, set }: MoreProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <div className="pair">
        <label>
          From
          <input
            type="date"
            value={search.from ?? ""}
            max={search.until}
            onChange={({ target }) => set({ from: target.value === "" ? undefined : target.value })}
          />
        </label>
        <label>
          To
          <input
            type="date"
            value={search.until ?? ""}
            min={search.from}
            onChange={({ target }) => set({ until: target.value === "" ? undefined : target.value })}
          />
        </label>
      </div>
      <p className="quiet small">Whole days in your time zone, {zone}.</p>
      <label className="check">
        <input
          type="checkbox"
          checked={search.resume === "yes"}
          onChange={({ target }) => set({ resume: target.checked ? "yes" : undefined })}
        />
        Has a resume
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={search.disposable === "yes"}
          onChange={({ target }) => set({ disposable: target.checked ? "yes" : undefined })}
        />
        Throw-away e-mail address
      </label>
      {exactParts.map((name) => (
        <label key={name}>
          {word(name)}
          <input
            // Typed anew when the address changes.
            key={search[name]}
            defaultValue={search[name]}
            maxLength={200}
            autoComplete="off"
            onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
            onBlur={({ target }) => {
              const value = target.value.trim() || undefined;
              if (value !== search[name]) set({ [name]: value });
            }}
          />
        </label>
      ))}
      <label>
        Order
        <select
          value={search.order ?? "newest"}
          onChange={({ target }) => set({ order: target.value === "oldest" ? "oldest" : undefined })}
        >
          <option value="newest">Newest first</option>
          <option value="oldest">Oldest first</option>
        </select>
      </label>
      <Exports search={search} />
    </>
  );
}
