// How long submissions take beside two attacks, compared with the same service without them: many connections that send many
// requests at once, and, on PostgreSQL, sessions that hold the rows of mails.
// npm run bench:attacks
import { connect } from "node:net";
import { openFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type ServiceProcess, startProcess } from "../support/service-process.ts";
import { pacedColumns, submitPaced } from "./paced.ts";

const rowMs = 5_000;

async function measure(name: string, { url }: ServiceProcess, attack?: () => void): Promise<void> {
  console.log(`| ${name} | ${await submitPaced(url, rowMs, attack)} |`);
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

console.log(`| beside submissions | ${pacedColumns} |\n|---|--:|--:|--:|--:|`);
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
