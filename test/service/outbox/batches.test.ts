// Many submissions at once: their mails share calls to the provider, and their rows share commits.
import { expect, test } from "vitest";
import { doors } from "../../support/doors.ts";
import type { Service } from "../../support/service.ts";
import { count, eventually, inquire, startMailService } from "../../support/outbox/mail-service.ts";

// Longer than a busy machine needs for all of them.
const patient = { MAIL_DEADLINE_MS: "15000" };

test("mails of submissions that come at once share calls of at most 500, and each goes out once", async () => {
  await using running = await startMailService(patient);
  const gate = Promise.withResolvers<void>();
  running.postmark.gate = gate.promise;
  const asked = Promise.all(count(300).map((n) => inquire(running.service, n)));
  await eventually(async () => (await running.store.mailBacklog()).queued).toBe(600);
  gate.resolve();
  expect((await asked).map(({ status }) => status)).toEqual(count(300).map(() => 200));
  const { requests, taken } = running.postmark;
  await eventually(() => taken).toHaveLength(600);
  expect(new Set(taken.map(({ Metadata }) => Metadata?.["mailId"])).size).toBe(600);
  // The first few find the senders idle; the others wait together.
  expect(requests.length).toBeLessThan(12);
  expect(Math.max(...requests.map(({ messages }) => messages))).toBeLessThanOrEqual(500);
});

test("64 clients at once: at least 8 submissions are acknowledged for each commit", async () => {
  await using running = await startMailService();
  const commits = () => readCounter(running.service, "store_commits_total");
  const before = await commits();
  let next = 0;
  let acknowledged = 0;
  const client = async (door: (typeof doors)[number]) => {
    while (next < 1_000) {
      const { status } = await inquire(running.service, next++, door);
      if (status === 200) acknowledged += 1;
    }
  };
  await Promise.all(count(64).map((n) => client(doors[n % 2]!)));
  expect(acknowledged).toBe(next);
  expect(acknowledged / ((await commits()) - before)).toBeGreaterThanOrEqual(8);
});

async function readCounter(service: Service, name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}
