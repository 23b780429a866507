// What one operator may ask of the process: calls in a window, and exports at once.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { json } from "../../support/doors.ts";
import { type Service, startService } from "../../support/service.ts";
import { type Operator, operator, scriptOf } from "../../support/console/operator.ts";

const batch = (one: Operator, calls: number) =>
  one.fetch(`/console/trpc/${Array.from({ length: calls }, () => "inbox.counts").join()}?batch=1`, {
    method: "POST",
    ...json({}),
  });

test("each call of a batch counts against the limit of its operator, from whatever address, and of its token", async () => {
  await using service = await startService({ env: { RATE_LIMIT_MAX: "1", TRUST_PROXY: "1" } });
  const ann = await operator(service, "ann@example.org", "admin");
  const from = (address: string) => (ann.headers = { ...ann.headers, "x-forwarded-for": address });
  from("198.51.100.1");
  // The call that accepted the invitation came before there was an operator.
  const first = await batch(ann, 10);
  expect(first.status).toBe(200);
  expect(first.headers.get("ratelimit-limit")).toBe("20");
  expect(first.headers.get("ratelimit-remaining")).toBe("10");
  expect((await batch(ann, 9)).status).toBe(200);
  from("198.51.100.2");
  const script = await scriptOf(ann, "sales");
  from("198.51.100.3");
  const refused = await batch(ann, 1);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("ratelimit-remaining")).toBe("0");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("retry-after")).toBe(refused.headers.get("ratelimit-reset"));
  expect(await refused.json()).toMatchObject({ error: { data: { code: "TOO_MANY_REQUESTS" } } });
  expect((await ann.fetch("/console/exports/inquiries.csv")).status).toBe(429);
  // Another caller is counted by itself, from an address of the first.
  script.headers = { ...script.headers, "x-forwarded-for": "198.51.100.3" };
  expect((await batch(script, 10)).status).toBe(200);
  expect((await batch(script, 10)).status).toBe(200);
  expect((await batch(script, 1)).status).toBe(429);
});

/** Stores more in the audit log than the buffers of a connection hold, so that its export waits for its reader. */
function fillAuditLog({ storage }: Service): void {
  if (storage.kind !== "sqlite") throw new Error("This test fills a file.");
  using database = new DatabaseSync(storage.file, { timeout: 5_000 });
  database.exec(`
    WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 5000)
    INSERT INTO audit (at, operator, action, subject, detail)
    SELECT i, 'x', 'x', '', json_object('text', printf('%.8000c', 'x')) FROM n`);
}

test("an operator has two exports at once; the third begins when one of them ends, and all end with the operator", async () => {
  await using service = await startService();
  fillAuditLog(service);
  const ann = await operator(service, "ann@example.org", "admin");
  const ben = await operator(service, "ben@example.org", "admin");
  const stop = new AbortController();
  const download = (one: Operator, signal?: AbortSignal) =>
    one.fetch("/console/exports/audit.ndjson", signal === undefined ? {} : { signal });
  // A response that nothing refers to is given up by fetch.
  const running = [await download(ann, stop.signal), await download(ann)];
  expect(running.map(({ status }) => status)).toEqual([200, 200]);
  let begun = false;
  const third = download(ann).then((response) => {
    begun = true;
    return response;
  });
  // Another operator does not wait, and neither do calls.
  const other = await download(ben);
  expect(other.status).toBe(200);
  await other.body?.cancel();
  for (let times = 0; times < 5; times += 1) expect((await ann.call("inbox.counts")).status).toBe(200);
  expect(begun).toBe(false);
  stop.abort();
  const response = await third;
  expect(response.status).toBe(200);
  await response.body?.cancel();
  expect(running[1]?.bodyUsed).toBe(false);

  await ben.call("operators.remove", { email: "ann@example.org" });
  await expect(running[1]?.text()).rejects.toThrow();
});
