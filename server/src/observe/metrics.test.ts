import { expect, test } from "vitest";
import { createMetrics, statusClass } from "./metrics.ts";

test("renders what was counted, and the event loop's lag", async () => {
  const metrics = createMetrics();
  metrics.submissions.inc({ procedure: "marketplace.inquiry", door: "rest", code: "OK" });
  metrics.requests.observe({ route: "/api/marketplace/inquiry", status: statusClass(201) }, 0.003);
  metrics.mails.inc({ kind: "inquiry-receipt", result: "taken" });
  metrics.uploadsInFlight.inc();
  const text = await metrics.render();
  expect(text).toContain('submissions_total{procedure="marketplace.inquiry",door="rest",code="OK"} 1');
  expect(text).toContain(
    'http_request_duration_seconds_bucket{le="0.005",route="/api/marketplace/inquiry",status="2xx"} 1',
  );
  expect(text).toContain('mails_total{kind="inquiry-receipt",result="taken"} 1');
  expect(text).toContain("uploads_in_flight 1");
  expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
  expect(metrics.contentType).toContain("text/plain");
});

test("asks its sources at each scrape, and leaves gauges out while their source fails", async () => {
  let now = 10_000;
  const metrics = createMetrics(() => now);
  let broken = false;
  let commits = 3;
  metrics.attach({
    mailBacklog: async () => {
      if (broken) throw new Error("no storage");
      return { queued: 2, failed: 1, inDoubt: 4, oldestCreatedAt: 4000 };
    },
    storeTotals: () => ({ commits, jobs: 9 }),
  });
  expect(await metrics.render()).toMatch(
    /mail_queue_size 2\n[^]*mail_failed_size 1\n[^]*mail_in_doubt_size 4\n[^]*oldest_age_seconds 6\n[^]*store_commits_total 3\n[^]*store_jobs_total 9\n/,
  );
  broken = true;
  commits = 5;
  now += 1_000;
  const text = await metrics.render();
  expect(text).not.toMatch(/^mail_(?:queue|in_doubt)_size /m);
  expect(text).toMatch(/^store_commits_total 5$/m);
});

test("scrapes at most once a second, however many ask", async () => {
  let [now, asked] = [10_000, 0];
  const metrics = createMetrics(() => now);
  metrics.attach({ storeTotals: () => ({ commits: (asked += 1), jobs: 0 }) });
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

test("keeps registries apart", async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.uploadsInFlight.inc();
  expect(await other.render()).toContain("uploads_in_flight 0");
});
