// How many inquiries the PostgreSQL engine stores in a second, sharing transactions, beside the same work in a transaction
// for each. On a server of its own that syncs, on this machine. Run it with: node -C @submissions/source, and this file.
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { acceptAll } from "../../server/src/storage/postgres/acceptance.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { postgresDialect } from "../../server/src/storage/postgres/queries.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { createQueries } from "../../server/src/storage/queries/compile.ts";
import { inquiryRow } from "../../server/src/storage/rows/marketplace.ts";
import { mailRow } from "../../server/src/storage/rows/outbox.ts";
import { inquiry, lease, mail, noon } from "../contract/records.ts";
import { startPostgres } from "../support/postgres-server.ts";

const seconds = 4;
const callersAtOnce = [1, 32, 256];
/** As many connections as the transactions of one process are spread over when each has one submission. */
const connectionsAlone = 16;

await using server = await startPostgres({ fsync: "on", full_page_writes: "on", shared_buffers: "256MB" });
await server.makeTemplate();

type Accept = (number: number) => Promise<unknown>;

// A day holds a million references, so each run has a database of its own.
async function shared(): Promise<AsyncDisposable & { readonly accept: Accept }> {
  const database = await server.create();
  const store = await openStore({ kind: "postgres", url: database.url, replicaUrl: null, poolMax: 4 });
  return {
    accept: (number) => store.acceptInquiry(inquiry(number), [mail(), mail({ kind: "inquiry-notice" })], lease),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

async function alone(): Promise<AsyncDisposable & { readonly accept: Accept }> {
  const database = await server.create();
  const connections = new Connections(addressOf(database.url), { max: connectionsAlone });
  const queries = createQueries(postgresDialect);
  return {
    accept(number) {
      const mails = [mail(), mail({ kind: "inquiry-notice" })].map((one) => mailRow(one, noon, lease));
      const submission = { inquiry: inquiryRow(inquiry(number)), at: noon, mails, key: null, challenge: null };
      return connections.transaction((session) => acceptAll(queries, session, [submission]));
    },
    [Symbol.asyncDispose]: () => connections.close(),
  };
}

async function perSecond(open: typeof shared, callers: number): Promise<number> {
  await using opened = await open();
  let number = 0;
  const call = async (until: number) => {
    while (performance.now() < until) await opened.accept((number += 1));
  };
  const run = (ms: number) => {
    const until = performance.now() + ms;
    return Promise.all(Array.from({ length: callers }, () => call(until)));
  };
  await run(500);
  const [before, begun] = [number, performance.now()];
  await run(seconds * 1000);
  return Math.round(((number - before) * 1000) / (performance.now() - begun));
}

for (const callers of callersAtOnce) {
  const [together, apart] = [await perSecond(shared, callers), await perSecond(alone, callers)];
  console.log(`${callers} at once: ${together}/s sharing transactions, ${apart}/s with one each`);
}
