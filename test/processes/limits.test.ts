// The limit on submissions where several processes serve the same clients.
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../crash/crash-site.ts";
import { type Answer, buyer, doors, json } from "../support/doors.ts";
import type { ServiceProcess } from "../support/service-process.ts";
import { openSeveral, type Several } from "./several.ts";

const max = 20;
// A window that no test can outlast.
const limit = { RATE_LIMIT_MAX: String(max), RATE_LIMIT_WINDOW_SECONDS: "86400", TRUST_PROXY: "1" };
const alone = "this process counts its callers alone";
const together = "processes count callers together again";

/** As many inquiries of one client, over all services and both doors, at the same time. */
const inquire = (services: readonly ServiceProcess[], times: number, client: string): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: times }, (_, n) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": client };
      const door = doors[Math.floor(n / services.length) % 2]!;
      return door.send(services[n % services.length]!, "marketplace.inquiry", { ...json(buyer), headers });
    }),
  );

const accepted = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;
const refused = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429).length;

let several: Several;
let services: readonly ServiceProcess[];

beforeAll(async () => {
  several = await openSeveral();
  services = await several.start(limit, limit);
});
afterAll(() => several[Symbol.asyncDispose]());

const countOf = (client: string) => several.database.query(`SELECT key FROM call_count WHERE key LIKE '%${client}%'`);

test("one client has one limit over all processes, to the call, and still has it after a restart", async () => {
  const answers = await inquire(services, 3 * max, "203.0.113.1");
  expect([accepted(answers), refused(answers)]).toEqual([max, 2 * max]);
  expect((await several.site.contents()).inquiries).toHaveLength(max);
  const left = answers.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
  expect(left.filter((one) => one > 0).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: max - 1 }, (_, n) => n + 1),
  );
  // Another client has its own.
  expect(accepted(await inquire(services, max, "2001:db8:1:2::3"))).toBe(max);

  // A window that has ended is forgotten, and the address with it, when a process tidies up, as at its start.
  expect(await countOf("20010db8")).toHaveLength(1);
  await several.database.query("UPDATE call_count SET expire = 1 WHERE key LIKE '%20010db8%'");
  const [third] = await several.start(limit);
  expect(refused(await inquire([third!], 1, "203.0.113.1"))).toBe(1);
  await until(async () => (await countOf("20010db8")).length === 0);
  expect(await countOf("203.0.113.1")).toHaveLength(1);
});

test("while the counts cannot be reached each process counts by itself and refuses no caller for it, and later they count together again", async () => {
  const { database } = several;
  expect(accepted(await inquire(services, 2, "203.0.113.2"))).toBe(2);
  await database.query("ALTER TABLE call_count RENAME TO away");
  const meanwhile = await inquire(services, 3 * max, "203.0.113.3");
  expect([accepted(meanwhile), refused(meanwhile)]).toEqual([2 * max, max]);
  const said = () => services.map(({ log }) => log.filter((line) => line.includes(alone)).length);
  await until(() => said().every((times) => times > 0));
  expect(said()).toEqual([1, 1]);

  await database.query("ALTER TABLE away RENAME TO call_count");
  await foundTogether("203.0.113.4");
  expect(accepted(await inquire(services, 2 * max, "203.0.113.2"))).toBe(max - 2);
});

test("counts that do not answer are given up, by the server too, so that nothing piles up there", async () => {
  const { database } = several;
  const said = services.map(({ log }) => log.filter((line) => line.includes(together)).length);
  const held = database.query("BEGIN; LOCK TABLE call_count; SELECT pg_sleep(600)").catch(() => "ended");
  await until(async () => {
    const locks = await database.query("SELECT 1 FROM pg_locks WHERE relation = 'call_count'::regclass AND granted");
    return locks.length > 0;
  });
  const meanwhile = await inquire(services, 2 * max, "203.0.113.5");
  expect(accepted(meanwhile)).toBe(2 * max);
  await until(async () => (await database.query("SELECT 1 FROM pg_locks WHERE NOT granted")).length === 0);
  await database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)'");
  await held;
  await foundTogether("203.0.113.6", said);
});

/** Asks until all services have said, once more than before, that they count together. */
const foundTogether = (client: string, before: readonly number[] = [0, 0]) =>
  until(async () => {
    await inquire(services, services.length, client);
    const said = services.map(({ log }) => log.filter((line) => line.includes(together)).length);
    return said.every((times, n) => times > (before[n] ?? 0));
  });
