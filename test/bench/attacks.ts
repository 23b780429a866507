// How long submissions take beside two attacks, compared with the same service without them: many connections that send many
// requests at once, and, on PostgreSQL, sessions that hold the rows of mails.
// npm run bench:attacks
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { openFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type ServiceProcess, startProcess } from "../support/service-process.ts";
import { percentile } from "./statistics.ts";

const rowMs = 5_000;
/** A submission is sent this often, whether the one before was answered or not. */
const everyMs = 20;

let sent = 0;
async function submit({ url }: ServiceProcess): Promise<{ readonly ms: number; readonly ok: boolean }> {
  sent += 1;
  const fields = { name: "Ann Buyer", email: `beside-${sent}@example.org`, selectedPackageIds: ["de-AT"] };
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/marketplace/inquiry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  await response.arrayBuffer();
  return { ms: performance.now() - startedAt, ok: response.ok };
}

async function measure(name: string, service: ServiceProcess, attack = () => {}): Promise<void> {
  const submissions: ReturnType<typeof submit>[] = [];
  for (const until = performance.now() + rowMs; performance.now() < until; await pause(everyMs)) {
    if (submissions.length === 25) attack();
    submissions.push(submit(service));
  }
  const all = await Promise.all(submissions);
  const took = Float64Array.from(all, ({ ms }) => ms).toSorted();
  const at = (share: number) => percentile(took, share).toFixed(0);
  const failed = all.filter(({ ok }) => !ok).length;
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} | ${failed} |`);
}

/** Each connection sends its requests in one piece, and all of them at the same moment. */
async function openFlood({ port }: ServiceProcess, connections: number, requests: number) {
  const body = JSON.stringify({ name: "Flood", email: "flood@example.org", selectedPackageIds: ["de-AT"] });
  const request = `POST /api/marketplace/inquiry HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const piece = request.repeat(requests);
  const sockets = Array.from({ length: connections }, () =>
    // Not the client whose time is measured: what one client sends at once is cut.
    connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" }),
  );
  for (const socket of sockets) socket.on("error", () => {}).resume();
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  return {
    send: () => sockets.forEach((socket) => void socket.write(piece)),
    [Symbol.dispose]: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

console.log("| beside submissions | p50 | p99 | longest | failed |\n|---|--:|--:|--:|--:|");
{
  await using service = await startProcess({ MAIL_DEADLINE_MS: "0" });
  await measure("nothing (SQLite)", service);
  await measure("nothing (SQLite)", service);
  for (const [connections, requests] of [
    [600, 1],
    [600, 30],
  ] as const) {
    using flood = await openFlood(service, connections, requests);
    await measure(`${connections} connections × ${requests} requests at once`, service, flood.send);
  }
}
{
  await using folder = await openFolder();
  await using server = await startPostgres();
  await using database = await server.create("empty");
  await using service = await startProcess({ DATABASE_URL: database.url }, { dataFolder: folder.path });
  await measure("nothing (PostgreSQL)", service);
  await measure("nothing (PostgreSQL)", service);
  const over = new AbortController();
  const hold = async () => {
    await using session = await database.connect();
    while (!over.signal.aborted) {
      await session.query("BEGIN; SELECT FROM mail ORDER BY id DESC LIMIT 1 FOR UPDATE; SELECT pg_sleep(1); COMMIT");
    }
  };
  let holding: Promise<unknown> = Promise.resolve();
  await measure("ten sessions hold the rows of the latest mails", service, () => {
    holding = Promise.all(Array.from({ length: 10 }, hold));
  });
  over.abort();
  await holding;
}
