// PostgreSQL becomes read-only, and is gone for hours, while two services serve clients.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { startOwnServer } from "../../contract/postgres-under-test.ts";
import { doors, json, withKey } from "../../support/doors.ts";
import { until } from "../../support/service-process.ts";
import { hasLogged, type Here, mailsSettled, openSeveral, statusOf } from "../../support/processes/several.ts";

// One at each door.
const clientsEach = 2;
const hour = 60 * 60 * 1000;

class Clients {
  readonly acknowledged = new Map<string, unknown>();
  refused = 0;
  readonly unexpected: unknown[] = [];
  readonly #running: Promise<unknown>;
  #stopping = false;

  constructor(service: Here) {
    this.#running = Promise.all(Array.from({ length: clientsEach }, (_, n) => this.#run(service, n)));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  async #run(service: Here, n: number): Promise<void> {
    while (!this.#stopping) {
      const key = randomUUID();
      while (!this.acknowledged.has(key)) {
        await this.#submit(service, key, n).catch((error) => this.unexpected.push(error));
        // Refusals come at once: without a pause they would take the processor from the database that starts.
        await pause(20);
      }
    }
  }

  async #submit(service: Here, key: string, n: number): Promise<void> {
    const init = json({ name: "Ann Buyer", email: `${key}@example.org`, selectedPackageIds: ["en-GB-scottish"] });
    const answer = await doors[n]!.send(service, "marketplace.inquiry", withKey(init, key));
    if (answer.status === 200) this.acknowledged.set(key, answer.receipt?.["inquiryId"]);
    else if (answer.status === 503 && Number(answer.headers.get("retry-after")) > 0) this.refused += 1;
    else this.unexpected.push([answer.status, answer.fault]);
  }
}

test("PostgreSQL goes away in two ways: 503 for as long as it takes, then all goes on, and nothing is lost or doubled", async () => {
  await using server = await startOwnServer();
  await using database = await server.create();
  await using several = await openSeveral(database);
  const { site, clock } = several;
  const services = await several.startHere({}, {});
  const clients = services.map((service) => new Clients(service));
  const acknowledged = () => clients.map((one) => one.acknowledged.size);
  const each = (isSo: (at: number) => boolean) => until(() => services.every((_, at) => isSo(at)));
  const statuses = (path: string) => Promise.all(services.map((service) => statusOf(service, path)));
  const ready = () => until(async () => (await statuses("/readyz")).every((status) => status === 200));
  const goingOn = async () => {
    const before = acknowledged();
    await each((at) => (acknowledged()[at] ?? 0) > (before[at] ?? 0) + 2 * clientsEach);
  };
  const refusingAndNotReady = async () => {
    const before = clients.map(({ refused }) => refused);
    await each((at) => clients[at]!.refused > before[at]! + 2 * clientsEach);
    expect([await statuses("/readyz"), await statuses("/healthz")]).toEqual([
      [503, 503],
      [200, 200],
    ]);
  };

  await goingOn();
  await database.set("SET default_transaction_read_only = on");
  await database.query(endOthers);
  await refusingAndNotReady();
  await database.set("RESET default_transaction_read_only");
  await goingOn();

  await server.stop();
  await refusingAndNotReady();
  clock.advance(5 * hour);
  await server.start();
  await goingOn();
  await ready();
  // The gate goes on without its counts, and finds them again: a caller asks for them once a second.
  for (const service of services) {
    await until(() => hasLogged(service, "shared rate limits unavailable; using local counters"));
    await until(() => hasLogged(service, "shared rate limits available again"));
  }
  await Promise.all(clients.map((one) => one.stop()));
  await mailsSettled(several);

  expect(clients.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  const { inquiries, mails } = await site.contents();
  const told = new Map(clients.flatMap((one) => [...one.acknowledged]).map(([key, id]) => [`${key}@example.org`, id]));
  expect(new Map(inquiries.map(({ email, reference }) => [email, reference]))).toEqual(told);
  expect(inquiries).toHaveLength(told.size);
  expect(mails).toHaveLength(2 * inquiries.length);
  expect(mails.filter(({ status }) => status !== "sent")).toEqual([]);
  const copies = site.copies();
  expect(mails.filter(({ id }) => copies.get(id) !== 1).map((mail) => [mail, copies.get(mail.id)])).toEqual([]);
});

const endOthers = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;
