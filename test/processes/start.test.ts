// Processes that start at the same moment on a database without anything in it.
import { expect, test } from "vitest";
import { postgresMigrations } from "../../server/src/storage/postgres/migrate.ts";
import { buyer, doors, json } from "../support/doors.ts";
import { until } from "../support/service-process.ts";
import { openSeveral, statusOf } from "./several.ts";

test("four services that start at once on an empty database all come up, and each migration is applied once", async () => {
  await using several = await openSeveral(undefined, "empty");
  const services = await several.start({}, {}, {}, {});
  const readiness = () => Promise.all(services.map((one) => statusOf(one, "/readyz")));
  await until(async () => (await readiness()).every((status) => status === 200));
  const applied = await several.database.query("SELECT number FROM schema_migration ORDER BY number");
  expect(applied.map(({ number }) => number)).toEqual(postgresMigrations().map(({ number }) => number));
  const answers = await Promise.all(
    services.map((service, n) => doors[n % 2]!.send(service, "marketplace.inquiry", json(buyer))),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await several.site.contents()).inquiries).toHaveLength(4);
});
