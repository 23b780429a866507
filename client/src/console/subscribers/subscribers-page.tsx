// Newsletter subscribers: growth, and the list with state and source.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { subscriberStatuses, type SubscriberStatus } from "@submissions/shared/console";
import { calls, trpc } from "../calls.ts";
import { PageFrame } from "../parts/page.tsx";
import { FilterSelect } from "../parts/fields.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Age, Empty, Failure, Mark } from "../parts/states.tsx";
import { count } from "../words.ts";
import { DayLine } from "../parts/charts.tsx";
import { ExportMenu } from "../parts/export-menu.tsx";
import { TableList } from "../parts/table-list.tsx";

export function SubscribersPage() {
  const search = useSearch({ from: "/subscribers" });
  const navigate = useNavigate();
  const set = (status: SubscriberStatus | undefined, q: string) =>
    void navigate({ to: "/subscribers", search: { ...(status && { status }), ...(q !== "" && { q }) }, replace: true });
  const filter = { ...(search.status && { status: search.status }), ...(search.q && { search: search.q }) };
  return (
    <PageFrame
      title="Subscribers"
      lead="People who asked for the newsletter."
      actions={<ExportMenu list="subscribers" />}
    >
      <Growth />
      <div className="filters">
        <SearchBox
          shown={search.q ?? ""}
          onPause={(words) => set(search.status, words)}
          placeholder="Part of an address…"
          maxLength={254}
        />
        <FilterSelect
          label="State"
          names={subscriberStatuses}
          value={search.status}
          onChange={(status) => set(status, search.q ?? "")}
        />
      </div>
      <TableList
        label="Subscribers"
        queryKey={[...trpc.subscribers.list.pathKey(), filter]}
        load={(page, signal) => calls.subscribers.list.query({ filter, page }, { signal })}
        columns={["Address", "State", "Source", "Subscribed"]}
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
          <Age at={subscribedAt} />,
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

function Growth() {
  const query = useQuery(trpc.subscribers.growth.queryOptions());
  const growth = query.data;
  const latest = growth?.at(-1)?.active ?? 0;
  const gained = latest - (growth?.[0]?.active ?? 0);
  return (
    <section className="box growth" aria-busy={query.isPending}>
      <h2>Active subscribers</h2>
      {query.isError && !growth && <Failure error={query.error} retry={() => void query.refetch()} />}
      {growth && growth.length > 0 && (
        <>
          <p className="figure">
            {count(latest)}{" "}
            <span className="quiet">
              {gained >= 0 ? `+${count(gained)}` : count(gained)} in {growth.length} days
            </span>
          </p>
          <DayLine
            title="Active subscribers by day"
            days={growth.map(({ day }) => day)}
            series={[{ name: "Active", className: "series-a", values: growth.map(({ active }) => active) }]}
          />
        </>
      )}
    </section>
  );
}
