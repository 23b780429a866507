// Newsletter subscribers: growth, the list with state and source, adding and unsubscribing.
import { useQuery } from "@tanstack/react-query";
import { type SourceCount, type SubscriberFilter, subscriberStatuses } from "@submissions/shared/console";
import { calls, trpc } from "../calls.ts";
import { compact } from "../inbox/inbox-search.ts";
import { Shares } from "../parts/boxes.tsx";
import { DialogButton, FormButton } from "../parts/dialogs.tsx";
import { PageFrame } from "../parts/page.tsx";
import { asOptions, FilterSelect } from "../parts/form.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Age, Empty, Failure, Mark } from "../parts/states.tsx";
import { count, word } from "../words.ts";
import { DayChart } from "../parts/charts.tsx";
import { ExportMenu } from "../parts/downloads.tsx";
import { TableList } from "../parts/table-list.tsx";
import { AddSubscriber, ImportDialog } from "./add-dialogs.tsx";
import { Link, useNavigate, useSearch } from "../router.tsx";

export function SubscribersPage() {
  const search = useSearch("/subscribers");
  const navigate = useNavigate();
  const set = (change: typeof search) =>
    void navigate({ to: "/subscribers", search: { ...search, ...change }, replace: true });
  // The most frequent ones.
  const { data: sources = [] } = useQuery(trpc.subscribers.sources.queryOptions());
  const { q, ...exact } = search;
  const filter = compact({ ...exact, search: q });
  return (
    <PageFrame
      title="Subscribers"
      lead="People who asked for the newsletter."
      actions={
        <>
          <ExportMenu list="subscribers" filter={filter} />
          <DialogButton word="Import">{(close) => <ImportDialog onClose={close} />}</DialogButton>
          <AddSubscriber />
        </>
      }
    >
      <div className="charts">
        {filter.status === undefined && filter.source === undefined && <Growth />}
        <Arrivals filter={filter} />
      </div>
      <div className="filters">
        <SearchBox
          shown={search.q ?? ""}
          onPause={(words) => set({ q: words || undefined })}
          placeholder="Part of an address…"
          maxLength={254}
        />
        <FilterSelect
          label="State"
          options={asOptions(subscriberStatuses)}
          value={search.status}
          onChange={(status) => set({ status })}
        />
        <FilterSelect
          label="Source"
          options={sources.map(({ source, count: many }) => [source, `${source} (${count(many)})`])}
          value={search.source}
          onChange={(source) => set({ source })}
        />
      </div>
      <Sources sources={sources} shown={search.source} />
      <TableList
        label="Subscribers"
        queryKey={[...trpc.subscribers.list.pathKey(), filter]}
        load={(page, signal) => calls.subscribers.list.query({ filter, page }, { signal })}
        columns={["Address", "State", "Source", "Subscribed", ""]}
        keyOf={({ arrival }) => arrival}
        cells={({ email, personId, status, source, lastSource, subscribedAt, disposable }) => [
          <>
            <Link to="/people/$person" params={{ person: personId }}>
              {email}
            </Link>
            {disposable && <span className="disposable">throw-away</span>}
          </>,
          <Mark of="subscriber" state={status} />,
          <>
            {source}
            {lastSource !== source && <span className="quiet"> then {lastSource}</span>}
          </>,
          <Age at={subscribedAt} ago />,
          (status === "active" || status === "pending") && (
            <FormButton
              word="Unsubscribe"
              title="Unsubscribe this address?"
              asks="danger solid"
              procedure={trpc.subscribers.unsubscribe}
              input={() => ({ email })}
              said={`${email} is unsubscribed.`}
              reads={[trpc.subscribers]}
            >
              <p>
                <strong>{email}</strong> gets no more newsletters. Only its owner can subscribe it again, with the form
                and by confirming.
              </p>
            </FormButton>
          ),
        ]}
        empty={
          <Empty
            icon="subscribers"
            title="No subscribers"
            text={
              Object.keys(filter).length > 0
                ? "Nothing matches this filter."
                : "They appear here as soon as the first one signs up."
            }
          />
        }
      />
    </PageFrame>
  );
}

/** When those of a state or a source came, where there are several by source. */
function Arrivals({ filter }: { readonly filter: SubscriberFilter }) {
  const { status, source } = filter;
  const query = useQuery(
    trpc.subscribers.arrivals.queryOptions({ filter: { ...(status && { status }), ...(source && { source }) } }),
  );
  const days = query.data ?? [];
  const names = Object.keys(days[0]?.sources ?? {});
  const isBySource = source === undefined && names.length > 1;
  const series = (isBySource ? names : []).map((name, at) => ({
    name,
    className: `series-${"abc".charAt(at)}`,
    values: days.map(({ sources }) => sources[name] ?? 0),
  }));
  const others = days.map((one, at) => one.count - series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const isRest = isBySource && others.some((many) => many > 0);
  const rest = isBySource ? { name: "Others", className: "series-d" } : { name: "New", className: "series-a" };
  const words = [status && `now ${word(status).toLowerCase()}`, source && `from ${source}`].filter(Boolean).join(", ");
  return (
    <section className="box growth" aria-busy={query.isPending}>
      <h2>New subscribers by day</h2>
      {query.isError && !query.data && <Failure error={query.error} retry={() => void query.refetch()} />}
      {days.length > 0 && (
        <>
          <p className="figure">
            {count(days.reduce((sum, one) => sum + one.count, 0))}{" "}
            <span className="quiet">
              {words} in {days.length} days
            </span>
          </p>
          <DayChart
            title={["New subscribers by day", words, isBySource && "by source"].filter(Boolean).join(", ")}
            days={days.map(({ day }) => day)}
            series={isBySource && !isRest ? series : [...series, { ...rest, values: others }]}
          />
        </>
      )}
    </section>
  );
}

function Growth() {
  const query = useQuery(trpc.subscribers.growth.queryOptions());
  const growth = query.data ?? [];
  const latest = growth.at(-1)?.active ?? 0;
  const gained = latest - (growth[0]?.active ?? 0);
  return (
    <section className="box growth" aria-busy={query.isPending}>
      <h2>Active subscribers</h2>
      {query.isError && !query.data && <Failure error={query.error} retry={() => void query.refetch()} />}
      {growth.length > 0 && (
        <>
          <p className="figure">
            {count(latest)}{" "}
            <span className="quiet">
              {gained >= 0 ? `+${count(gained)}` : count(gained)} in {growth.length} days
            </span>
          </p>
          <DayChart
            isLine
            title="Active subscribers by day"
            days={growth.map(({ day }) => day)}
            series={[{ name: "Active", className: "series-a", values: growth.map(({ active }) => active) }]}
          />
        </>
      )}
    </section>
  );
}

/** How many came from each source: the chart of each is a click away. */
function Sources({ sources, shown }: { readonly sources: readonly SourceCount[]; readonly shown: string | undefined }) {
  if (sources.length < 2 || shown !== undefined) return null;
  return (
    <div className="shares">
      <Shares
        title="Sources"
        of={sources.slice(0, sourcesShown).map((one) => ({ ...one, word: one.source, name: one.source }))}
        linkOf={(source) => ({ to: "/subscribers", search: { source } })}
      />
    </div>
  );
}

const sourcesShown = 6;
