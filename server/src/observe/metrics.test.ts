import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";

const totals = (commits: number) => ({ commits, jobs: 9, retries: 1, waiting: 5 });

test("renders the event loop's lag", async () => {
  const metrics = createMetrics();
  const text = await metrics.render();
  expect(metrics.contentType).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
  // The first scrape measures for a moment. Without that this would be NaN.
  const [, lag] = /^nodejs_eventloop_lag_mean_seconds (\S+)$/m.exec(text) ?? [];
  expect(Number(lag)).toBeGreaterThan(0);
});

test("histograms count in each bucket what lies in those before it too, with a bucket for everything", async () => {
  const metrics = createMetrics();
  for (const seconds of [0.0005, 0.0006, 0.7, 61]) metrics.stages.observe("newsletter.subscribe", "store", seconds);
  const lines = (await metrics.render()).split("\n").filter((line) => line.startsWith("submission_stage_seconds"));
  const labels = 'procedure="newsletter.subscribe",stage="store"';
  expect(lines.slice(0, 2)).toEqual([
    `submission_stage_seconds_bucket{le="0.0005",${labels}} 1`,
    `submission_stage_seconds_bucket{le="0.001",${labels}} 2`,
  ]);
  expect(lines.slice(-4)).toEqual([
    `submission_stage_seconds_bucket{le="60",${labels}} 3`,
    `submission_stage_seconds_bucket{le="+Inf",${labels}} 4`,
    `submission_stage_seconds_sum{${labels}} ${0.0005 + 0.0006 + 0.7 + 61}`,
    `submission_stage_seconds_count{${labels}} 4`,
  ]);
});

test("asks its sources at each scrape, and leaves gauges out while their source fails", async () => {
  let now = 10_000;
  let broken = false;
  let commits = 3;
  const failing = () => {
    if (broken) throw new Error("no storage");
  };
  const sources = {
    mailBacklog: async () => {
      failing();
      return { queued: 2, failed: 1, inDoubt: 4, oldestCreatedAt: 4000, firstDueAt: 12_000 };
    },
    storeTotals: () => totals(commits),
    freeBytes: () => ({ uploads: (async () => (failing(), 7))(), database: Promise.resolve(8) }),
  };
  const metrics = createMetrics(sources, () => now);
  for (let commit = 0; commit < 3; commit += 1) metrics.committed(3, 0.01);
  const text = await metrics.render();
  expect(text).toMatch(
    /mail_queue_size 2\n[^]*mail_failed_size 1\n[^]*mail_in_doubt_size 4\n[^]*oldest_age_seconds 6\n[^]*overdue_seconds 0\n/,
  );
  expect(text).toMatch(
    /store_commits_total 3\n[^]*store_jobs_total 9\n[^]*store_retries_total 1\n[^]*store_jobs_waiting 5\n/,
  );
  expect(text).toMatch(
    /store_commit_size_bucket\{le="2"\} 0\nstore_commit_size_bucket\{le="4"\} 3\n[^]*store_commit_size_sum 9\n/,
  );
  expect(text).toMatch(/disk_free_bytes\{place="uploads"\} 7\ndisk_free_bytes\{place="database"\} 8\n/);
  broken = true;
  commits = 5;
  now += 3_000;
  const later = await metrics.render();
  expect(later).not.toMatch(/^(?:mail_(?:queue|in_doubt)_size |disk_free_bytes\{place="uploads")/m);
  expect(later).toMatch(/^store_commits_total 5$/m);
  expect(later).toMatch(/^disk_free_bytes\{place="database"\} 8$/m);
});

test("scrapes at most once a second, however many ask", async () => {
  let [now, asked] = [10_000, 0];
  const metrics = createMetrics({ storeTotals: () => totals((asked += 1)) }, () => now);
  await Promise.all([metrics.render(), metrics.render()]);
  now += 999;
  await metrics.render();
  expect(asked).toBe(1);
  now += 1;
  await metrics.render();
  expect(asked).toBe(2);
  now -= 3_600_000;
  await metrics.render();
  expect(asked).toBe(3);
});
