// The reports of the parts that have a command of their own: a text, the figures as JSON, and perhaps a picture.
import type { Forgetting } from "../growth/forgetting.ts";
import type { GrowthRow } from "../growth/growth.ts";
import type { WebRow, WorkerRow } from "../long/many-processes.ts";
import type { Soak } from "../long/soak.ts";
import { drawLines } from "./lines.ts";
import { markdownTable } from "./table.ts";

/** What a part has to say. */
export interface PartReport {
  readonly text: string;
  readonly figures: unknown;
  readonly picture?: string;
}

const count = (figure: number) => Math.round(figure).toLocaleString("en");
const two = (figure: number) => figure.toFixed(2);

export function reportGrowth(rows: readonly GrowthRow[]): PartReport {
  const head = ["Rows", "Accepted/s", "of an empty store", "CPU ratio", "List ms", "Search ms", "Lease of 500 ms"];
  const text = markdownTable(
    [...head, "Erase ms", "Export rows/s", "Ready after ms", "Readiness ms"],
    rows.map((row) => [
      count(row.rows),
      count(row.acceptedPerSecond),
      ...[row.acceptedRatio, row.cpuRatio, row.list, row.search, row.lease, row.erase].map(two),
      ...[row.exportPerSecond, row.readyMs].map(count),
      two(row.readinessMs),
    ]),
  );
  const line = (name: string, of: (row: GrowthRow) => number) => ({
    name,
    points: rows.map((row) => [row.rows, of(row)] as const),
  });
  const options = {
    title: "Milliseconds by rows in the table, SQLite",
    note: "Both axes are logarithmic. An inquiry is that of 64 clients at once, divided by their number.",
    xName: (x: number) => `${x.toLocaleString("en")} rows`,
    yName: (y: number) => `${y} ms`,
  };
  const picture = drawLines(options, [
    line("an inquiry", (row) => 1_000 / row.acceptedPerSecond),
    line("a page of a list", (row) => row.list),
    line("a search", (row) => row.search),
    line("a lease of 500", (row) => row.lease),
    line("erasing a person", (row) => row.erase),
    line("100 rows exported", (row) => 100_000 / row.exportPerSecond),
  ]);
  return { text, figures: rows, picture };
}

export function reportForgetting(measured: Forgetting): PartReport {
  const { mails, perSecondOffered, seconds, during, after } = measured;
  const text = `${count(mails)} mails were forgotten in ${count(seconds)} s while ${perSecondOffered} inquiries a second came in: p50 ${two(during.p50)} ms and p99 ${two(during.p99)} ms meanwhile, ${two(after.p50)} and ${two(after.p99)} ms afterwards.\n`;
  return { text, figures: measured };
}

export function reportSoak(measured: Soak): PartReport {
  const { minutes, answers, resident, slope, error, isFlat } = measured;
  const [, first = Number.NaN] = resident[0] ?? [];
  const [, last = Number.NaN] = resident.at(-1) ?? [];
  const most = Math.max(...resident.map(([, mb]) => mb));
  const text = `${minutes} minutes, ${count(answers)} answers: ${count(first)} MB in the beginning, ${count(last)} MB at the end, ${count(most)} MB at most. After the first third the memory changed by ${two(slope)} ± ${two(error)} MB a minute: ${isFlat ? "flat" : "it grows"}.\n`;
  return { text, figures: measured };
}

export function reportProcesses(webs: readonly WebRow[], workers: readonly WorkerRow[]): PartReport {
  const head = ["Web processes", "Inquiries/s", "p50 ms", "p99 ms", "Writes in a commit"];
  const text = [
    markdownTable(
      [...head, "Processors of the webs", "of the database", "Web CPU µs", "Database CPU µs"],
      webs.map((row) => [
        String(row.webs),
        count(row.perSecond),
        ...[row.p50, row.p99].map((ms) => ms.toFixed(1)),
        ...[row.writesInCommit, row.webCpus, row.databaseCpus].map(two),
        ...[row.webMicros, row.databaseMicros].map(count),
      ]),
    ),
    markdownTable(
      ["Workers", "Due mails", "Mails/s", "Processors of the workers", "of the database"],
      workers.map((row) => [
        String(row.workers),
        count(row.mails),
        count(row.mailsPerSecond),
        ...[row.workerCpus, row.databaseCpus].map(two),
      ]),
    ),
  ].join("\n");
  return { text, figures: { webs, workers } };
}
