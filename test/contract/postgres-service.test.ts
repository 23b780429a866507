// The whole service on PostgreSQL: what its callers, its operators and its files see of a database that fails.
import { describe, expect, test } from "vitest";
import { lockAndDraw } from "../../server/src/storage/postgres/accept.ts";
import { runCommand } from "../support/desk/run-command.ts";
import { CutWire } from "../support/cut-wire.ts";
import { applicant, buyer, form, json, pdf, rest, withKey } from "../support/doors.ts";
import type { PostgresDatabase } from "../support/postgres-server.ts";
import { startService, type Service } from "../support/service.ts";
import { createDatabase } from "./postgres-under-test.ts";

async function open(): Promise<AsyncDisposable & { database: PostgresDatabase; wire: CutWire; service: Service }> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase());
  const wire = stack.use(await CutWire.open(database.url));
  const service = stack.use(await startService({ env: { DATABASE_URL: wire.url } }));
  return { database, wire, service, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const apply = (service: Service, key: string) =>
  rest.send(service, "applications.submit", withKey(form({ ...applicant, resumeFile: pdf() }), key));

const rows = (database: PostgresDatabase) => database.query("SELECT resume_key FROM submission");

describe.concurrent("an application whose COMMIT was not answered", () => {
  test.each([
    ["lost", 0],
    ["answer lost", 1],
  ] as const)("is a 503 when none can be asked (%s), and keeps its resume, stored %i times", async (mishap, n) => {
    await using opened = await open();
    const { database, wire, service } = opened;
    // The outbox and the housekeeping commit as well.
    wire.only = lockAndDraw.name;
    wire.breakForGood = true;
    wire.next(mishap);
    const refused = await apply(service, "k");
    expect(refused).toMatchObject({ status: 503, fault: { code: "SERVICE_UNAVAILABLE" } });
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await rows(database)).toHaveLength(n);
    expect(await service.files("resumes")).toHaveLength(1);
    wire.mend();
    // Under the same key it is one application, with a file that is there.
    expect(await apply(service, "k")).toMatchObject({ status: 200 });
    const [row, ...others] = await rows(database);
    expect(others).toEqual([]);
    const files = await service.files("resumes");
    expect(files.filter((file) => file.endsWith(String(row?.["resume_key"])))).toHaveLength(1);
  });
});

test("an application that certainly was not stored leaves no file", async () => {
  await using opened = await open();
  const { database, service } = opened;
  await database.set("SET default_transaction_read_only = on");
  await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  expect(await apply(service, "k")).toMatchObject({ status: 503 });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await service.files("resumes")).toEqual([]);
  await database.set("RESET default_transaction_read_only");
  // A connection that was opened meanwhile fails once before it is closed.
  await expect.poll(() => apply(service, "k")).toMatchObject({ status: 200 });
});

test("the command line works on it", async () => {
  await using opened = await open();
  const { database, service } = opened;
  await rest.send(service, "marketplace.inquiry", json(buyer));
  const run = (...words: string[]) => runCommand(words, { DATABASE_URL: database.url });
  expect(await run("migrate", "--check")).toMatchObject({ code: 0 });
  const exported = await run("export", "inquiries", "--format", "ndjson");
  expect(JSON.parse(exported.stdout)).toMatchObject({ email: buyer.email });
});
