// The parts of the filter that are rarely set, and the exports. Loaded when they are first asked for.
import { kinds, kindsOf } from "@submissions/shared/kinds";
import { filterChoices } from "@submissions/shared/console";
import { useQuery } from "@tanstack/react-query";
import type { ChangeEvent } from "react";
import { trpc } from "../calls.ts";
import { useMe } from "../operators.ts";
import { DownloadLink, exportUrl, FilterForm, formats } from "../parts/downloads.tsx";
import { Check, dayMax, Field, FilterSelect, Select } from "../parts/form.tsx";
import { count, severalOf, word } from "../words.ts";
import { filterOf, type InboxSearch } from "./inbox-search.ts";

interface MoreProps {
  readonly search: InboxSearch;
  readonly set: (change: InboxSearch) => void;
}

/** Lists as files: what the filter shows, and everything. */
function Exports({ search }: { readonly search: InboxSearch }) {
  const filter = filterOf(search);
  const shown = kindsOf(useMe().role).filter((kind) => (search.kind ?? kind) === kind);
  return shown.map((kind) => (
    <div key={kind} className="small">
      <FilterForm filter={filter} className="export-line">
        Export {severalOf(kind)} shown here:
        {formats.map(([format, name]) => (
          <button key={format} className="link" formAction={exportUrl(kinds[kind].plural, format)}>
            {name} <span className="unseen">of {severalOf(kind)} shown here</span>
          </button>
        ))}
      </FilterForm>
      <p className="export-line">
        Export all {severalOf(kind)}:
        {formats.map(([format, name]) => (
          <DownloadLink key={format} href={exportUrl(kinds[kind].plural, format)}>
            {name}
          </DownloadLink>
        ))}
      </p>
    </div>
  ));
}

/** An address may name a minute of the day. */
const dayOf = (until: string | undefined): string => until?.slice(0, 10) ?? "";

export function MoreFilters({ search, set }: MoreProps) {
  const { data: choices = [] } = useQuery(trpc.inbox.choices.queryOptions(undefined, { staleTime: 60_000 }));
  const onText =
    (name: "from" | "until") =>
    ({ target }: ChangeEvent<HTMLInputElement>) =>
      set({ [name]: target.value || undefined });
  return (
    <>
      <div className="pair">
        <Field
          label="From"
          type="date"
          value={dayOf(search.from)}
          max={dayOf(search.until) || dayMax}
          onChange={onText("from")}
        />
        <Field label="To" type="date" value={dayOf(search.until)} min={dayOf(search.from)} onChange={onText("until")} />
      </div>
      <p className="quiet small">Whole days in your time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}.</p>
      <Check checked={search.resume === "yes"} onChange={(on) => set({ resume: on ? "yes" : undefined })}>
        Has a resume
      </Check>
      <Check checked={search.disposable === "yes"} onChange={(on) => set({ disposable: on ? "yes" : undefined })}>
        Throw-away e-mail address
      </Check>
      {filterChoices.map((part) => (
        <FilterSelect
          key={part}
          label={word(part)}
          options={choices
            .filter((one) => one.part === part)
            .map(({ word: value, title, count: many }) => [value, `${title ?? value} (${count(many)})`])}
          value={search[part]}
          onChange={(value) => set({ [part]: value })}
        />
      ))}
      <Select
        label="Order"
        value={search.order ?? "newest"}
        onChange={({ target }) => set({ order: target.value === "oldest" ? "oldest" : undefined })}
      >
        <option value="newest">Newest first</option>
        <option value="oldest">Oldest first</option>
      </Select>
      <Exports search={search} />
    </>
  );
}
