// Three hosts of the service, a balancer before them and a database behind them, clients and a mail provider. Opens and
// closes all of it; what is done to it is in scenario.ts.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Clients } from "./clients.ts";
import {
  startBalancer,
  startDatabase,
  startProvider,
  startService,
  type Balancer,
  type Database,
  type ServiceHost,
} from "./machines.ts";
import { Network } from "./network.ts";

export interface Site extends AsyncDisposable {
  readonly database: Database;
  readonly services: readonly ServiceHost[];
  readonly balancer: Balancer;
  readonly clients: Clients;
}

const clientsAtOnce = 16;

/** Needs what {@link Network} needs, and HAProxy. */
export async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "submissions-topology-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The user of PostgreSQL must get through.
  chmodSync(folder, 0o711);
  const network = opened.use(new Network());
  const database = opened.use(await startDatabase(await network.addHost("db", 5), folder));
  const { standIn, url, ...provider } = await startProvider();
  opened.use(provider);
  const env = {
    DATABASE_URL: database.url,
    PUBLIC_URL: "https://submissions.example.org",
    MAIL_TRANSPORT: "postmark",
    MAIL_FROM: "hello@example.org",
    SALES_EMAIL: "sales@example.org",
    RECRUITING_EMAIL: "jobs@example.org",
    POSTMARK_API_URL: url,
    POSTMARK_SERVER_TOKEN: standIn.token,
  };
  const services: ServiceHost[] = [];
  opened.defer(async () => {
    for (const { service } of services) await service[Symbol.asyncDispose]();
  });
  for (const [position, name] of ["a", "b", "c"].entries()) {
    services.push(await startService(await network.addHost(name, 11 + position), folder, env));
  }
  const front = await network.addHost("lb", 2);
  const balancer = opened.use(await startBalancer(front, folder));
  const clients = new Clients(front.address, clientsAtOnce);
  opened.defer(() => clients.stop());
  const resources = opened.move();
  return { database, services, balancer, clients, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
