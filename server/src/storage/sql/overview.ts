// The overview, and what the filter of the inbox can be set to: both count the words of the latest submissions.
import { type DayCount, filterChoices, oldAfterDays, type Overview, sharesOfMax } from "@submissions/shared/console";
import { kindOf, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { dayMs, shownDay, startOfDay } from "../../clock.ts";
import type { DeskStore } from "../desk-store.ts";
import { countMax, mailKindsOf } from "../rules/inbox-filter.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "../rules/submission-row.ts";
import { isAwake, openWaits, waitingSince, wroteBack } from "../rules/waiting.ts";
import { type Engine, only } from "./engine.ts";

/** Submissions that wait longest. */
const waitingMax = 5;
/** Responses that the median is taken of; the latest. */
const responsesMax = 5_000;
/** Of each list of shares. */
const sharesMax = 8;
/** Of each list that a filter is chosen from. */
const choicesMax = 50;

interface Counted<Part> {
  readonly part: Part;
  readonly word: string;
  /** Of an opening: the latest by the alphabet, where it was changed. */
  readonly title: string | null;
  readonly count: number;
}

/** With the titles of openings, and where several have one title with their ids. */
function titled<Part>(rows: readonly Counted<Part>[]) {
  const seen = Map.groupBy(rows, ({ title }) => title);
  return rows.map(({ title, ...one }): typeof one & { readonly title?: string } => {
    if (title === null) return one;
    return { ...one, title: seen.get(title)?.length === 1 ? title : `${title} (${one.word})` };
  });
}

export function makeOverview({ prepare, indexedBy, among, json, elementsOf, byBytes, read }: Engine) {
  const received = (kind: SubmissionKind) => `
    (SELECT count(*) FROM submission ${indexedBy("submission_received")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$3")} AND status <> 'spam'
        AND received_at >= day.at AND received_at < day.at + ${dayMs})`;
  const counted = submissionKinds.map((kind) => `${received(kind)} AS "${kindOf(kind).plural}"`);
  // So many that counting them takes no longer where millions came in.
  const latest = (kind: SubmissionKind) => `
    SELECT arrival, assignee, ${json("fields")} AS fields FROM (
      SELECT arrival, assignee, fields FROM submission ${indexedBy("submission_received")}
      WHERE kind = '${kind}' AND ${among(`'${kind}'`, "$2")} AND status <> 'spam' AND received_at >= $1
      ORDER BY received_at DESC LIMIT ${sharesOfMax}) AS latest`;
  const texts = {
    package: `SELECT 'package', each.value, NULL FROM latest, ${elementsOf("latest.fields -> 'selectedPackageIds'")}`,
    opening: "SELECT 'opening', fields ->> 'opening', fields ->> 'position' FROM latest",
    position: "SELECT 'position', fields ->> 'position', NULL FROM latest",
    company: "SELECT 'company', fields ->> 'company', NULL FROM latest",
    source: "SELECT 'source', fields -> 'more' ->> 'utm_source', NULL FROM latest",
    assignee: "SELECT 'assignee', assignee, NULL FROM latest",
    tag: "SELECT 'tag', tag.word, NULL FROM latest JOIN tag ON tag.submission = latest.arrival",
  };
  /** What the latest submissions are about, in parts, the most frequent first. */
  const mostFrequent = <Part extends keyof typeof texts>(parts: readonly Part[], most: number) =>
    prepare<Counted<Part>>(`
      WITH latest AS (${submissionKinds.map(latest).join(" UNION ALL ")}),
        named (part, word, title) AS (${parts.map((part) => texts[part]).join(" UNION ALL ")})
      SELECT part, word, title, count FROM (
        SELECT part, word, max(${byBytes("title")}) AS title, count(*) AS count,
          row_number() OVER (PARTITION BY part ORDER BY count(*) DESC, ${byBytes("word")}) AS place
        FROM named WHERE word IS NOT NULL GROUP BY part, word) AS counted
      WHERE place <= ${most} ORDER BY part, place`);
  // The oldest come first, so those that are old are among the first.
  const agedOf = (status: "new" | "open", before: string) => `
    (SELECT count(*) FROM (
      SELECT received_at FROM submission ${indexedBy("submission_status")}
      WHERE status = '${status}' AND ${among("kind", "$1")} ORDER BY arrival LIMIT ${countMax}) AS first
    WHERE received_at < ${before})`;
  const responsesOf = (at: "first_reply_at" | "done_at", condition: string) => `
    SELECT ${at} - received_at AS took FROM submission
    ${indexedBy(at === "done_at" ? "submission_done" : "submission_first_reply")}
    WHERE ${at} > $1 AND ${at} <= $2 AND ${condition} AND ${among("kind", "$3")}
    ORDER BY ${at} DESC LIMIT ${responsesMax}`;
  const unanswered = `status = 'open' AND ${openWaits.ours} AND last_reply_at IS NULL`;
  const longest = (index: string, condition: string, order: string) => `
    SELECT arrival FROM submission ${indexedBy(`submission_${index}`)}
    WHERE ${condition} AND ${among("kind", "$1")} AND ${isAwake("$2")} ORDER BY ${order} LIMIT ${waitingMax}`;
  const statements = {
    /** Of a scope, day by day from one to another. */
    days: prepare<Omit<DayCount, "day"> & { at: number }>(`
      WITH RECURSIVE day (at) AS (
        SELECT CAST($1 AS BIGINT) UNION ALL SELECT at + ${dayMs} FROM day WHERE at < CAST($2 AS BIGINT))
      SELECT at, ${counted.join(", ")} FROM day`),
    responses: prepare<{ took: number }>(`
      SELECT took FROM (${responsesOf("first_reply_at", "status <> 'spam'")}) AS replied
      UNION ALL SELECT took FROM (${responsesOf("done_at", "first_reply_at IS NULL")}) AS done`),
    shares: mostFrequent(["package", "opening", "position", "source", "assignee"], sharesMax),
    choices: mostFrequent(filterChoices, choicesMax),
    old: prepare<Overview["old"]>(`SELECT ${agedOf("new", "$2")} AS new, ${agedOf("open", "$3")} AS open`),
    // Those that were never replied to in the order of their arrival, and those whose persons have written since.
    waiting: prepare<SubmissionRow>(`
      SELECT ${submissionColumns} FROM submission WHERE arrival IN (
        SELECT arrival FROM (${longest("status", "status = 'new'", "arrival")}) AS fresh
        UNION ALL SELECT arrival FROM (${longest("ours", unanswered, "arrival")}) AS begun
        UNION ALL SELECT arrival FROM (${longest("wrote_back", wroteBack, "last_answer_at")}) AS back)`),
    mails: prepare<Overview["mails"]>(`
      SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'in-doubt') AS "inDoubt"
      FROM mail ${indexedBy("mail_created")} WHERE created_at >= $1 AND ${among("kind", "$2")}`),
  };

  return {
    async overview({ kinds: seen, ...scope }, now, shownDays = 30) {
      const today = startOfDay(now);
      const [first, since] = [today - (shownDays - 1) * dayMs, now - shownDays * dayMs];
      const grewOld = [now - oldAfterDays.new * dayMs, now - oldAfterDays.open * dayMs] as const;
      const [days, responses, former, shares, old, waiting, mails] = await Promise.all([
        read(statements.days(first - shownDays * dayMs, today, seen)),
        read(statements.responses(since, now, seen)),
        read(statements.responses(since - shownDays * dayMs, since, seen)),
        read(statements.shares(first, seen)),
        read(statements.old(seen, ...grewOld)),
        read(statements.waiting(seen, now)),
        read(statements.mails(since, mailKindsOf({ kinds: seen, ...scope }))),
      ]);
      const [before, shown] = [days.slice(0, shownDays), days.slice(shownDays)];
      const named = titled(shares);
      const sharesOf = (part: keyof Overview["shares"]) =>
        named.filter((one) => one.part === part).map(({ part: _part, ...share }) => share);
      return {
        days: shown.map(({ at, ...counts }) => ({ day: shownDay(at), ...counts })),
        firstResponseMs: median(responses.map(({ took }) => took)),
        before: {
          submissions: before
            .flatMap(({ at: _at, ...counts }) => Object.values(counts))
            .reduce((sum, count) => sum + count, 0),
          firstResponseMs: median(former.map(({ took }) => took)),
        },
        shares: {
          package: sharesOf("package"),
          opening: sharesOf("opening"),
          position: sharesOf("position"),
          source: sharesOf("source"),
          assignee: sharesOf("assignee"),
        },
        old: only(old),
        waiting: waiting
          .map(readSubmissionAnyway)
          .toSorted((one, other) => waitingSince(one) - waitingSince(other) || one.arrival - other.arrival)
          .slice(0, waitingMax),
        mails: only(mails),
      };
    },

    choices: async ({ kinds: seen }) => titled(await read(statements.choices(0, seen))),
  } satisfies Partial<DeskStore>;
}

/** The middle of some numbers; null without any. */
function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
