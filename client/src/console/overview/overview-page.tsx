// How the work goes: submissions a day, first response, what waits longest, mails.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Overview } from "@submissions/shared/console";
import { trpc } from "../calls.ts";
import { useCounts } from "../navigation.tsx";
import { PageFrame } from "../parts/page.tsx";
import { Age, Avatar, useNow, Waiting } from "../parts/states.tsx";
import { count, duration, submissionPath, word } from "../words.ts";
import { DayBars } from "../parts/charts.tsx";

const refreshMs = 60_000;

export function OverviewPage() {
  const overview = useQuery({ ...trpc.overview.get.queryOptions(), refetchInterval: refreshMs });
  return (
    <PageFrame title="Overview" lead="The last 30 days.">
      {overview.data ? (
        <Figures overview={overview.data} />
      ) : (
        <Waiting query={overview} rows={3} className="skeleton-block" />
      )}
    </PageFrame>
  );
}

function Figures({ overview: { days, firstResponseMs, waiting, mails } }: { readonly overview: Overview }) {
  const counts = useCounts();
  const now = useNow();
  const [oldest] = waiting;
  const total = days.reduce((sum, day) => sum + day.inquiries + day.applications, 0);
  return (
    <>
      <div className="cards">
        <Link to="/" search={{ status: "new", order: "oldest" }} className="stat">
          <span className="stat-label">New</span>
          <strong>{counts ? count(counts.new) : "–"}</strong>
          <span className="quiet">
            {oldest ? `oldest ${duration(now - oldest.receivedAt)}` : `${counts?.open ?? 0} open`}
          </span>
        </Link>
        <div className="stat">
          <span className="stat-label">First response</span>
          <strong>{firstResponseMs === null ? "–" : duration(firstResponseMs)}</strong>
          <span className="quiet">{firstResponseMs === null ? "no response yet" : "median of 30 days"}</span>
        </div>
        <div className="stat">
          <span className="stat-label">Submissions</span>
          <strong>{count(total)}</strong>
          <span className="quiet">in {days.length} days</span>
        </div>
        <Link
          to="/mails"
          search={{ status: mails.failed > 0 || mails.inDoubt === 0 ? "failed" : "in-doubt" }}
          className="stat"
        >
          <span className="stat-label">Mails that failed</span>
          <strong className={mails.failed + mails.inDoubt > 0 ? "bad" : undefined}>{count(mails.failed)}</strong>
          <span className="quiet">
            {count(mails.inDoubt)} maybe sent, {count(mails.queued)} queued, {count(mails.sent)} sent
          </span>
        </Link>
      </div>
      <section className="box">
        <h2>Submissions a day</h2>
        <DayBars
          title="Submissions a day, by kind"
          days={days.map(({ day }) => day)}
          series={[
            { name: "Inquiries", className: "series-a", values: days.map(({ inquiries }) => inquiries) },
            { name: "Applications", className: "series-b", values: days.map(({ applications }) => applications) },
          ]}
        />
      </section>
      <section className="box">
        <h2>Waiting longest</h2>
        {waiting.length === 0 && <p className="quiet">Nothing is new.</p>}
        <ul className="lines">
          {waiting.map(({ reference, kind, name, summary, receivedAt }) => (
            <li key={reference}>
              <Avatar name={name} small />
              <div>
                <p>
                  <Link
                    to={submissionPath(reference)}
                    params={{ reference }}
                    search={{ status: "new", order: "oldest" }}
                  >
                    {name}
                  </Link>{" "}
                  <span className="quiet">{word(kind)}</span>
                </p>
                <p className="quiet small clip">{summary}</p>
              </div>
              <span className="waits">
                <Age at={receivedAt} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
