// The limit on submissions where several services on one database serve the same clients.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, buyer, doors, json } from "../../support/doors.ts";
import { until } from "../../support/service-process.ts";
import { hasLogged, type Here, openSeveral, type Several } from "../../support/processes/several.ts";

const max = 20;
// A window that no test can outlast.
const limit = { RATE_LIMIT_MAX: String(max), RATE_LIMIT_WINDOW_SECONDS: "86400", TRUST_PROXY: "1" };
const alone = "shared rate limits unavailable; using local counters";
const together = "shared rate limits available again";

/** As many inquiries of one client, over all services and both doors, at the same time. */
const inquire = (services: readonly Here[], times: number, client: string): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: times }, (_, n) => {
      const door = doors[Math.floor(n / services.length) % 2]!;
      const service = services[n % services.length]!;
      return door.send(service, "marketplace.inquiry", json(buyer, { "x-forwarded-for": client }));
    }),
  );

const accepted = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;
const refused = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429).length;

let several: Several;
let services: readonly Here[];

beforeAll(async () => {
  several = await openSeveral();
  services = await several.startHere(limit, limit);
});
afterAll(() => several[Symbol.asyncDispose]());

const countOf = (client: string) => several.database.query(`SELECT key FROM call_count WHERE key LIKE '%${client}%'`);

const said = (those: readonly Here[], what: string) =>
  those.map(({ log }) => log.filter(({ msg }) => msg === what).length);

/** Waits for what the services had said in their logs by the time of these answers. */
const heard = (those: readonly Here[], answers: readonly Answer[]) =>
  until(() => {
    const told = new Set<unknown>(those.flatMap(({ log }) => log.map(({ requestId }) => requestId)));
    return answers.every(({ headers }) => told.has(headers.get("x-request-id")));
  });

const foundTogether = (those: readonly Here[]) =>
  until(async () => {
    await heard(those, await inquire(those, those.length, "198.51.100.1"));
    return isDeepStrictEqual(said(those, alone), said(those, together));
  });

let clients = 100;

/** Again as another client if a service came to count alone too often: a busy machine may keep counts from answering. */
async function undisturbed<T extends { readonly last: readonly Answer[] }>(
  those: readonly Here[],
  aloneTimes: number,
  work: (client: string) => Promise<T>,
): Promise<T & { readonly client: string }> {
  for (;;) {
    await foundTogether(those);
    const before = said(those, alone);
    const client = `203.0.113.${(clients += 1)}`;
    const result = await work(client);
    await heard(those, result.last);
    if (said(those, alone).every((times, n) => times === before[n]! + aloneTimes)) return { ...result, client };
  }
}

test("one client has one limit over all services, to the call, and still has it after a restart", async () => {
  const inquiries = async () => (await several.site.contents()).inquiries.length;
  const { answers, stored, client, last } = await undisturbed(services, 0, async (one) => {
    const before = await inquiries();
    const asked = await inquire(services, 3 * max, one);
    // Another client has its own.
    const other = one.replace("203.0.113.", "2001:db8:1:");
    return { answers: asked, stored: (await inquiries()) - before, last: await inquire(services, max, `${other}::3`) };
  });
  expect([accepted(answers), refused(answers)]).toEqual([max, 2 * max]);
  expect(stored).toBe(max);
  const left = answers.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
  expect(left.filter((one) => one > 0).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: max - 1 }, (_, n) => n + 1),
  );
  expect(accepted(last)).toBe(max);

  // A window that has ended is forgotten, and the address with it, when a service tidies up, as at its start.
  expect(await countOf("20010db8")).not.toEqual([]);
  await several.database.query("UPDATE call_count SET expire = 1 WHERE key LIKE '%20010db8%'");
  const third = await several.startHere(limit);
  const later = await undisturbed(third, 0, async () => ({ last: await inquire(third, 1, client) }));
  expect(refused(later.last)).toBe(1);
  let [tidying] = third;
  await until(async () => {
    if ((await countOf("20010db8")).length === 0) return true;
    // The counts may not have answered it in time. It would try again in an hour.
    if (hasLogged(tidying!, "housekeeping failed")) [tidying] = await several.startHere(limit);
    return false;
  });
  expect(await countOf(client)).toHaveLength(1);

  // A window that a clock began that was years ahead is over.
  await several.database.query(`UPDATE call_count SET expire = expire + 60000000000 WHERE key LIKE '%${client}%'`);
  expect(accepted(await inquire([tidying!], 1, client))).toBe(1);
});

test("while the counts cannot be reached each service counts by itself and refuses no caller for it, and later they count together again", async () => {
  const { database } = several;
  // Each service says it once.
  const { first, meanwhile, last } = await undisturbed(services, 1, async (client) => {
    const asked = await inquire(services, 2, client);
    await database.query("ALTER TABLE call_count RENAME TO away");
    const asking = await inquire(services, 3 * max, `${client.replace("203.0.113.", "2001:db8:2:")}::3`);
    await heard(services, asking);
    await database.query("ALTER TABLE away RENAME TO call_count");
    await foundTogether(services);
    return { first: asked, meanwhile: asking, last: await inquire(services, 2 * max, client) };
  });
  expect(accepted(first)).toBe(2);
  expect([accepted(meanwhile), refused(meanwhile)]).toEqual([2 * max, max]);
  expect(accepted(last)).toBe(max - 2);
});

test("counts that do not answer are given up, by the server too, so that nothing piles up there", async () => {
  const { database } = several;
  // Databases made from one template have the same ids of tables, and other tests lock theirs on the same server.
  const waiting = () =>
    database.query(`SELECT 1 FROM pg_locks WHERE relation = 'call_count'::regclass AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  await using session = await database.connect();
  await session.query("BEGIN; LOCK TABLE call_count");
  const meanwhile = await inquire(services, 2 * max, "203.0.113.5");
  expect(accepted(meanwhile)).toBe(2 * max);
  await until(async () => (await waiting()).length === 0);
  await session.query("COMMIT");
  await heard(services, meanwhile);
  await foundTogether(services);
});
