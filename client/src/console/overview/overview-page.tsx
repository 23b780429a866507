// How the work goes: what waits, what came in and from where, who has it, mails.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { kinds, kindsOf, submissionKinds, type SubmissionKind } from "@submissions/shared/kinds";
import {
  oldAfterDays,
  overviewDays,
  sharesOfMax,
  type Overview,
  type OverviewDays,
  type Share,
} from "@submissions/shared/console";
import { trpc } from "../calls.ts";
import type { InboxSearch } from "../inbox/inbox-search.ts";
import { useCounts } from "../navigation.tsx";
import { useMe, useNames } from "../operators.ts";
import { Box, Line, Lines, Shares } from "../parts/boxes.tsx";
import { PageFrame } from "../parts/page.tsx";
import { Age, Avatar, useNow, Waiting } from "../parts/states.tsx";
import { cappedCount, count, duration, submissionPath, word } from "../words.ts";
import { DayChart } from "../parts/charts.tsx";
import type { Target } from "../addresses.ts";
import { Link, useNavigate, useSearch } from "../router.tsx";

const refreshMs = 60_000;
const dayMs = 24 * 60 * 60_000;

export function OverviewPage() {
  const { days = 30 } = useSearch("/overview");
  const navigate = useNavigate();
  const overview = useQuery({
    ...trpc.overview.get.queryOptions({ days }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  return (
    <PageFrame
      title="Overview"
      lead={`The last ${days} days, and the ${days} before.`}
      actions={
        <select
          aria-label="Range"
          value={days}
          onChange={({ target }) =>
            void navigate({ to: "/overview", search: { days: Number(target.value) as OverviewDays }, replace: true })
          }
        >
          {overviewDays.map((one) => (
            <option key={one} value={one}>
              {one} days
            </option>
          ))}
        </select>
      }
    >
      {overview.data ? (
        <Figures overview={overview.data} />
      ) : (
        <Waiting query={overview} rows={3} className="skeleton-block" />
      )}
    </PageFrame>
  );
}

function Figures({ overview }: { readonly overview: Overview }) {
  const { days, firstResponseMs, before, old, waiting, mails } = overview;
  const counts = useCounts();
  const now = useNow();
  // Where those that wait longest are open, the oldest new one is not among them.
  const oldest = waiting.find(({ status }) => status === "new");
  const total = submissionKinds.reduce((sum, kind) => sum + sumOf(days, kind), 0);
  const shownKinds = kindsOf(useMe().role);
  const inRange = { status: "all", ...(days[0] && { from: days[0].day }) } as const;
  return (
    <>
      <div className="cards">
        <Stat
          label="New"
          value={counts ? count(counts.new) : "–"}
          note={oldest ? `oldest ${duration(now - oldest.receivedAt)}` : `${counts?.open ?? 0} open`}
          search={{ status: "new", order: "oldest" }}
        />
        <Stat
          label={`New for over ${oldAfterDays.new} days`}
          value={cappedCount(old.new)}
          note="no reply yet"
          isBad={old.new > 0}
          search={{ status: "new", order: "oldest", until: minuteOf(now - oldAfterDays.new * dayMs) }}
        />
        <Stat
          label={`Open for over ${oldAfterDays.open} days`}
          value={cappedCount(old.open)}
          note="not done"
          isBad={old.open > 0}
          search={{ status: "open", order: "oldest", until: minuteOf(now - oldAfterDays.open * dayMs) }}
        />
        <Stat
          label="First response"
          value={firstResponseMs === null ? "–" : duration(firstResponseMs)}
          note={before.firstResponseMs === null ? "median" : `median; ${duration(before.firstResponseMs)} before`}
          search={{ ...inRange, status: "done" }}
        />
        <Stat
          label="Submissions"
          value={count(total)}
          note={`${count(before.submissions)} in the ${days.length} days before`}
          search={inRange}
        />
        <Stat
          label="Mails that failed"
          value={count(mails.failed)}
          note={`${count(mails.inDoubt)} maybe sent, ${count(mails.queued)} queued, ${count(mails.sent)} sent`}
          isBad={mails.failed + mails.inDoubt > 0}
          to="/mails"
          search={{ status: mails.failed > 0 || mails.inDoubt === 0 ? "failed" : "in-doubt" }}
        />
      </div>
      <Box title="Submissions a day">
        <DayChart
          title="Submissions a day, by kind"
          days={days.map(({ day }) => day)}
          series={shownKinds.map((kind) => ({
            name: kinds[kind].words.en.plural,
            className: `series-${seriesOf(kind)}`,
            values: days.map((day) => day[kinds[kind].plural]),
          }))}
        />
      </Box>
      <AllShares overview={overview} inRange={inRange} />
      <Box title="Waiting longest">
        <Lines of={waiting} empty="Nothing waits for us.">
          {({ reference, kind, name, summary, receivedAt, lastReplyAt, lastAnswerAt }) => (
            <Line
              key={reference}
              sign={<Avatar name={name} small />}
              title={
                <Link to={submissionPath(reference)} params={{ reference }} search={{ waiting: "us", order: "oldest" }}>
                  {name}
                </Link>
              }
              hint={word(kind)}
              about={<p className="clip">{summary}</p>}
            >
              <span className="waits">
                <Age at={lastReplyAt === null ? receivedAt : (lastAnswerAt ?? receivedAt)} />
              </span>
            </Line>
          )}
        </Lines>
      </Box>
    </>
  );
}

/** As an address has it, in the operator's time zone. */
const minuteOf = (at: number): string => new Date(at).toLocaleString("sv").slice(0, 16).replace(" ", "T");

interface StatProps extends Partial<Target> {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  readonly isBad?: boolean;
}

/** A figure, which leads to the list that it counts. */
const Stat = ({ label, value, note, isBad = false, to = "/", ...link }: StatProps) => (
  <Link {...link} to={to} className="stat">
    <span className="stat-label">{label}</span>
    <strong className={isBad ? "bad" : undefined}>{value}</strong>
    <span className="quiet">{note}</span>
  </Link>
);

const parts = [
  ["package", "Packages"],
  ["opening", "Openings"],
  ["position", "Positions"],
  ["source", "Sources"],
  ["assignee", "Operators"],
] as const;

/** What the submissions of the range were about, where they came from, and who has them. */
function AllShares({ overview, inRange }: { readonly overview: Overview; readonly inRange: InboxSearch }) {
  const { days, shares, packageTitles } = overview;
  const calledBy = useNames();
  const most = Math.max(...submissionKinds.map((kind) => sumOf(days, kind)));
  const shown = parts.filter(([part]) => shares[part].length > 0);
  const nameOf = (part: keyof Overview["shares"], { word: text, title = text }: Share) => {
    if (part === "assignee") return calledBy(text);
    return part === "package" ? (packageTitles[text] ?? text) : title;
  };
  return (
    <>
      {most > sharesOfMax && <p className="quiet">Counted of the latest {count(sharesOfMax)} of each kind:</p>}
      <div className="shares">
        {shown.map(([part, title]) => (
          <Shares
            key={part}
            title={title}
            of={shares[part].map((share) => ({ ...share, name: nameOf(part, share) }))}
            linkOf={(text) => ({ to: "/", search: { ...inRange, [part]: text } })}
          />
        ))}
      </div>
    </>
  );
}

const sumOf = (days: Overview["days"], kind: SubmissionKind) =>
  days.reduce((sum, day) => sum + day[kinds[kind].plural], 0);

/** The colour of a kind in charts: the same for every role. */
const seriesOf = (kind: SubmissionKind) => "abc"[submissionKinds.indexOf(kind) % 3];
