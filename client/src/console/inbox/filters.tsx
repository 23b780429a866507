// What narrows the list: counts by status as links, selects, and chips of what is set.
import { submissionKinds, triageStatuses, type Role, type SubmissionKind } from "@submissions/shared/console";
import { Link } from "@tanstack/react-router";
import { consoleUrl } from "../calls.ts";
import { changed, exactParts, filterOf, statusOf, type InboxSearch } from "./inbox-search.ts";
import { useMe } from "../me.ts";
import { useAssignees } from "../triage/assign-dialog.tsx";
import { useCounts } from "../navigation.tsx";
import { DownloadLink, useDownload } from "../parts/download-link.tsx";
import { Icon } from "../parts/icons.tsx";
import { FilterSelect } from "../parts/fields.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { cappedCount, shortName, word } from "../words.ts";

export function StatusTabs({ search }: { readonly search: InboxSearch }) {
  const counts = useCounts();
  const shown = statusOf(search) ?? "all";
  const isShown = (status: InboxSearch["status"]) => shown === (status ?? "todo");
  return (
    <nav className="tabs" aria-label="By state">
      {([undefined, ...triageStatuses, "all"] as const).map((status) => (
        <Link
          key={status ?? "todo"}
          to="/"
          search={changed(search, { status })}
          className="tab"
          // Every list is at this address; which tab it belongs to is said here.
          activeOptions={{ exact: true }}
          activeProps={{ "aria-current": undefined }}
          {...(isShown(status) && { "aria-current": "true" as const })}
        >
          {status === undefined ? "To do" : word(status)}
          {status !== "all" && (
            <span className="tab-count">{counts ? cappedCount(counts[status ?? "todo"]) : "\u2007"}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}

interface Props {
  readonly search: InboxSearch;
  readonly onChange: (search: InboxSearch) => void;
}

export function Filters({ search, onChange }: Props) {
  const me = useMe();
  const assignees = useAssignees();
  const set = (change: Parameters<typeof changed>[1]) => onChange(changed(search, change));
  const exact = exactParts.map((name) => search[name]);
  const more = [search.from, search.until, search.resume, search.disposable, ...exact].filter(Boolean).length;
  const others = assignees.filter((email) => email !== me.email);
  const known = search.assignee === undefined || search.assignee === "none" || search.assignee === me.email;
  return (
    <div className="filters">
      {me.role === "admin" && (
        <FilterSelect label="Kind" names={submissionKinds} value={search.kind} onChange={(kind) => set({ kind })} />
      )}
      <FilterSelect<string> label="Assignee" value={search.assignee} onChange={(assignee) => set({ assignee })}>
        <option value="none">Unassigned</option>
        <option value={me.email}>Me</option>
        {others.map((email) => (
          <option key={email} value={email}>
            {shortName(email)}
          </option>
        ))}
        {!known && !others.includes(search.assignee ?? "") && (
          <option value={search.assignee}>{search.assignee}</option>
        )}
      </FilterSelect>
      <button type="button" className={more > 0 ? "set" : undefined} popoverTarget="more-filters">
        <Icon name="filter" size={16} /> More{more > 0 && ` (${more})`}
      </button>
      <div id="more-filters" className="popover" popover="auto">
        <MoreFilters search={search} set={set} />
      </div>
    </div>
  );
}

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

function MoreFilters({ search, set }: MoreProps) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className="stack">
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
    </div>
  );
}

/** The parts of the filter, each to be removed. */
export function Chips({ search }: { readonly search: InboxSearch }) {
  const me = useMe();
  const chips: readonly (readonly [keyof InboxSearch, string])[] = [
    ["kind", search.kind === undefined ? "" : word(search.kind)],
    ["status", search.status === undefined ? "" : word(search.status)],
    ["assignee", search.assignee === undefined ? "" : assigneeText(search.assignee, me.email)],
    ["q", search.q === undefined ? "" : `“${search.q}”`],
    ["letter", search.letter === undefined ? "" : `“${search.letter}” in letters`],
    ["from", search.from === undefined ? "" : `from ${search.from}`],
    ["until", search.until === undefined ? "" : `to ${search.until}`],
    ...exactParts.map((name) => [name, search[name] === undefined ? "" : `${name}: ${search[name]}`] as const),
    ["resume", search.resume === undefined ? "" : "has a resume"],
    ["disposable", search.disposable === undefined ? "" : "throw-away address"],
  ];
  const set = chips.filter(([, words]) => words !== "");
  if (set.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filter">
      {set.map(([name, words]) => (
        <li key={name}>
          <Link
            to="/"
            search={changed(search, { [name]: undefined })}
            className="chip"
            activeProps={{ "aria-current": undefined }}
          >
            {words} <Icon name="close" size={12} />
            <span className="unseen">Remove</span>
          </Link>
        </li>
      ))}
      <li>
        <Link to="/" search={{}} className="chip plain" activeProps={{ "aria-current": undefined }}>
          Clear all
        </Link>
      </li>
    </ul>
  );
}

const assigneeText = (assignee: string, me: string) => {
  if (assignee === "none") return "unassigned";
  return assignee === me ? "assigned to you" : `assigned to ${shortName(assignee)}`;
};
