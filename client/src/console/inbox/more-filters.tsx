// The parts of the filter that are rarely set, and the exports. Loaded when they are first asked for.
import type { Role, SubmissionKind } from "@submissions/shared/console";
import { useMe } from "../me.ts";
import { DownloadLink } from "../parts/download-link.tsx";
import { exportUrl, FilterForm } from "../parts/export-menu.tsx";
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

/** Lists as files: what the filter shows, and everything. */
function Exports({ search }: { readonly search: InboxSearch }) {
  const filter = filterOf(search);
  const lists = exportsOf[useMe().role].filter((list) => search.kind === undefined || list === listOf[search.kind]);
  return lists.map((list) => (
    <div key={list} className="small">
      <FilterForm filter={filter} className="export-line">
        Export {list} shown here:
        {formats.map((format) => (
          <button key={format} type="submit" className="link" formAction={exportUrl(list, format)}>
            {format.toUpperCase()} <span className="unseen">of {list} shown here</span>
          </button>
        ))}
      </FilterForm>
      <p className="export-line">
        Export all {list}:
        {formats.map((format) => (
          <DownloadLink key={format} href={exportUrl(list, format)}>
            {format.toUpperCase()}
          </DownloadLink>
        ))}
      </p>
    </div>
  ));
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
