// What the metrics say after real requests. Names and labels are compared with the documentation in test/service/deploy.
import { expect, test } from "vitest";
import { operator, submitAll } from "../../support/console/operator.ts";
import { buyer, json, rest, sendBatch } from "../../support/doors.ts";
import { startService, type Service } from "../../support/service.ts";

/** The series of a metric, once it says what is expected: a scrape may be a second old. */
const eventually = (service: Service, metric: string) =>
  expect.poll(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line.startsWith(`${metric}{`));
    return Object.fromEntries(
      lines.map((line) => [
        line.slice(metric.length, line.lastIndexOf(" ")),
        Number(line.slice(line.lastIndexOf(" ") + 1)),
      ]),
    );
  });

test("each stage of a submission is measured once, as far as it came", async () => {
  await using service = await startService();
  await submitAll(service);
  await rest.send(service, "marketplace.inquiry", json({}));
  const of = (procedure: string, stages: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(stages).map(([stage, count]) => [`{procedure="${procedure}",stage="${stage}"}`, count]),
    );
  await eventually(service, "submission_stage_seconds_count").toEqual({
    ...of("marketplace.inquiry", { read: 2, validate: 1, store: 1, mail: 1 }),
    ...of("applications.submit", { read: 1, validate: 1, resume: 1, store: 1, mail: 1 }),
    ...of("newsletter.subscribe", { read: 1, validate: 1, store: 1, mail: 1 }),
  });
  await eventually(service, "http_request_duration_seconds_sum").toSatisfy(
    (seconds: Record<string, number>) => Object.values(seconds).length === 4 && !Object.values(seconds).includes(0),
  );
});

test("refusals count by route and fault, each call of a batch and those that reach no procedure too", async () => {
  await using service = await startService();
  await sendBatch(service, ["marketplace.inquiry", "newsletter.subscribe", "newsletter.subscribe"], [{}, {}, 7]);
  await rest.send(service, "marketplace.inquiry", { ...json({}), body: "{" });
  await fetch(`${service.url}/nowhere`, { method: "POST", ...json({}) });
  await eventually(service, "submissions_total").toMatchObject({
    '{procedure="marketplace.inquiry",door="rest",code="PARSE_ERROR"}': 1,
    '{procedure="marketplace.inquiry",door="rpc",code="BAD_REQUEST"}': 1,
    '{procedure="newsletter.subscribe",door="rpc",code="BAD_REQUEST"}': 2,
  });
  await eventually(service, "http_refusals_total").toEqual({
    '{route="/trpc/:paths",fault="fieldsInvalid"}': 2,
    '{route="/trpc/:paths",fault="bodyNotObject"}': 1,
    '{route="/api/marketplace/inquiry",fault="bodyMalformed"}': 1,
    '{route="unknown",fault="notFound"}': 1,
  });
});

test("a batch that the gate refuses counts once for each of its calls, like its submissions", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1" } });
  await rest.send(service, "marketplace.inquiry", json(buyer));
  await sendBatch(service, ["marketplace.inquiry", "newsletter.subscribe"], [{}, {}]);
  const lines = { "trpc-accept": "application/jsonl" };
  await sendBatch(service, ["newsletter.subscribe", "newsletter.subscribe"], [{}, {}], lines);
  await eventually(service, "http_refusals_total").toEqual({ '{route="/trpc/:paths",fault="rateLimited"}': 4 });
  expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(
    'submissions_total{procedure="newsletter.subscribe",door="rpc",code="TOO_MANY_REQUESTS"} 3',
  );
});

test("what operators do is counted, and what they are refused is not", async () => {
  await using service = await startService();
  const { inquiry } = await submitAll(service);
  const one = await operator(service, "admin@example.org", "admin");
  for (const reference of [inquiry, "INQ-20000101-000000"])
    await one.call("submission.addNote", { reference, text: "n" });
  await one.call("submission.get", { reference: inquiry });
  await (await one.fetch("/console/exports/inquiries.csv")).text();
  await one.signIn("admin@example.org", "not the password");
  await eventually(service, "operator_actions_total").toEqual({
    '{action="sign-in"}': 1,
    '{action="submission.addNote"}': 1,
    '{action="export"}': 1,
    '{action="sign-in.failed"}': 1,
  });
});

test("commits and the disks are measured", async () => {
  await using service = await startService();
  await rest.send(service, "marketplace.inquiry", json(buyer));
  const disks = () => eventually(service, "disk_free_bytes");
  await disks().toEqual({ '{place="uploads"}': expect.any(Number), '{place="database"}': expect.any(Number) });
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  expect(value("store_commit_size_count")).toBeGreaterThan(0);
  expect(value("store_commit_size_count")).toBe(value("store_commits_total"));
  expect(value("store_commit_size_sum")).toBe(value("store_jobs_total"));
  expect(value("store_commit_seconds_sum")).toBeGreaterThan(0);
});
