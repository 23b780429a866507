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
  const metrics = createMetrics(() => 10_000);
  let broken = false;
  let commits = 3;
  metrics.attach({
    mailBacklog: async () => {
      if (broken) throw new Error("no storage");
      return { queued: 2, failed: 1, oldestCreatedAt: 4000 };
    },
    storeTotals: () => ({ commits, jobs: 9 }),
  });
  expect(await metrics.render()).toMatch(
    /mail_queue_size 2\n[^]*mail_failed_size 1\n[^]*oldest_age_seconds 6\n[^]*store_commits_total 3\n[^]*store_jobs_total 9\n/,
  );
  broken = true;
  commits = 5;
  const text = await metrics.render();
  expect(text).not.toMatch(/^mail_queue_size /m);
  expect(text).toMatch(/^store_commits_total 5$/m);
});

test("keeps registries apart", async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.uploadsInFlight.inc();
  expect(await other.render()).toContain("uploads_in_flight 0");
});
