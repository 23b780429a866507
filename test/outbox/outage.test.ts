// A day without a provider, and ten thousand mails that wait for it.
import { expect, test } from "vitest";
import { hour, openOutboxUnderTest, second } from "./outbox-under-test.ts";
import { eventually } from "./mail-service.ts";

const backlog = 10_000;

test("after a day's outage 10,000 mails go out in order of age, each once, and new ones before them", async () => {
  await using tested = await openOutboxUnderTest();
  const { clock, postmark, sqlite, store } = tested;
  const start = clock.now();
  // One every 8.6 s, and in no order of their ids.
  sqlite.raw((database) =>
    database
      .prepare(
        `WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < ${backlog - 1})
         INSERT INTO mail (id, kind, recipients, subject, text, html, headers, status, attempts, created_at, due_at)
         SELECT lower(hex(randomblob(16))), 'inquiry-receipt', json_array('reader' || n || '@example.org'), n, 'text',
           '<p>text</p>', '{}', 'queued', 0, ?1 + n * ?2, ?1 + n * ?2 FROM number`,
      )
      .run(start, Math.floor((24 * hour) / backlog)),
  );
  postmark.breakdown = { kind: "error", status: 429 };
  const { outbox, pauses } = tested.openSender();
  outbox.start();
  await eventually(() => {
    clock.advance(hour / 60);
    return pauses.length;
  }).toBe(1);
  clock.advance(start + 24 * hour - clock.now());
  expect(postmark.requests.length).toBeLessThan(100);
  const mails = await store.listMails({ limit: 2 * backlog });
  const tried = new Set(mails.filter(({ attempts }) => attempts > 0).map(({ subject }) => Number(subject)));
  expect(tried.size).toBeLessThan(100);

  postmark.breakdown = null;
  // The back-off is waited for; from the first that is taken on, it goes as fast as the provider does.
  await eventually(() => {
    clock.advance(second);
    return postmark.taken.length;
  }).toBeGreaterThan(1_000);
  const now = clock.now();
  const [fresh] = await tested.storeMails(1, outbox.lease(now));
  expect(await outbox.deliverNow([fresh!], now)).toBe(true);
  expect(postmark.taken.length).toBeLessThan(backlog);
  await eventually(() => {
    clock.advance(hour / 60);
    return store.mailBacklog();
  }).toMatchObject({ queued: 0, failed: 0 });

  const subjects = postmark.taken.map(({ Subject }) => Number(Subject)).filter((number) => !Number.isNaN(number));
  expect(subjects).toHaveLength(backlog);
  expect(new Set(subjects).size).toBe(backlog);
  expect(tested.taken().filter((id) => id === fresh!.id)).toHaveLength(1);
  // The few that were tried in vain wait for their next try.
  const untried = subjects.filter((number) => !tried.has(number));
  expect(untried).toEqual(untried.toSorted((a, b) => a - b));
});
