// Three hosts of the service, a balancer before them, a database behind them, and clients. A host is cut off under load and
// comes back; prints what was seen. It runs in a network of its own, two to three minutes, as root on Linux with iproute2,
// util-linux, openssl and HAProxy: npm exec -- node -C @submissions/source test/nightly/topology/run.ts
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Clients } from "./clients.ts";
import { startBalancer, startDatabase, startProvider, startService, until } from "./machines.ts";
import { Network } from "./network.ts";

const clientsAtOnce = 16;

async function cutOffHost() {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "submissions-topology-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The user of PostgreSQL must get through.
  chmodSync(folder, 0o711);
  const network = opened.use(new Network());
  const database = opened.use(await startDatabase(await network.addHost("db", 5), folder));
  const provider = opened.use(await startProvider());
  const env = { ...provider.env, DATABASE_URL: database.url, PUBLIC_URL: "https://submissions.example.org" };
  const services = [];
  for (const [position, name] of ["a", "b", "c"].entries()) {
    const service = await startService(await network.addHost(name, 11 + position), folder, env);
    opened.use(service.service);
    services.push(service);
  }
  const [service] = services as [(typeof services)[number]];
  const front = await network.addHost("lb", 2);
  const balancer = opened.use(await startBalancer(front, folder));
  const clients = new Clients(front.address, clientsAtOnce);
  opened.defer(() => clients.stop());
  await clients.more(300);

  const says = (status: number) =>
    until(`${status} of the host`, async () => ((await service.status("/readyz")) === status ? true : undefined));
  const before = await service.answered();
  service.host.cut();
  await says(503);
  await until("a balancer that has noticed", async () => ((await balancer.sendsTo(service.host)) ? undefined : true));
  const withoutIt = await clients.more(300);
  service.host.mend();
  await says(200);
  const answeredByIt = await until("submissions for the host", async () => {
    const more = (await service.answered()) - before;
    return more > 50 ? more : undefined;
  });

  await clients.stop();
  await using store = await database.openStore();
  const rows = (await Array.fromAsync(store.readAll("inquiry", {}))).flat();
  const stored = new Set<unknown>(rows.map(({ reference }) => reference));
  const { acknowledged } = clients;
  return {
    /** Acknowledged while the host was away and the balancer knew. */
    withoutIt,
    /** Submissions that the host took by itself once it was back. */
    answeredByIt,
    acknowledged: acknowledged.size,
    rows: stored.size,
    /** Acknowledged and not stored. */
    lost: acknowledged.difference(stored).size,
    /** Stored and never acknowledged, although each was sent until it was. */
    unknown: stored.difference(acknowledged).size,
  };
}

export type CutOff = Awaited<ReturnType<typeof cutOffHost>>;

const inside = "--inside";

if (process.argv.includes(inside)) console.log(JSON.stringify(await cutOffHost()));
else {
  const again = [process.execPath, "-C", "@submissions/source", fileURLToPath(import.meta.url), inside];
  // The balancer's certificate is signed by itself.
  const env = { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
  process.exitCode = spawnSync("unshare", ["--net", ...again], { stdio: "inherit", env }).status ?? 1;
}
