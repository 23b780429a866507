// How many inquiries the PostgreSQL engine stores in a second when they share commits, beside one commit for each, and what
// CPU time one takes in this process. On a server of its own that syncs, on this machine. Run it with:
// npm run bench:postgres
import { type Store } from "../../server/src/storage/store.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { accept, inquiry } from "../contract/records.ts";
import { startPostgres } from "../support/postgres-server.ts";

const seconds = 4;
const callersAtOnce = [1, 32, 256];
/** As many stores as one commit each is spread over. */
const storesAlone = 16;

await using server = await startPostgres({
  settings: { fsync: "on", full_page_writes: "on", shared_buffers: "256MB", autovacuum: "on" },
});
await server.makeTemplate();

/** Lets callers store one inquiry after the other, each on its store. Answers how many a second, and µs of CPU each. */
async function measure(stores: readonly Store[], callers: number): Promise<{ perSecond: number; cpuMicros: number }> {
  let number = 0;
  const call = async (store: Store, until: number) => {
    while (performance.now() < until) {
      number += 1;
      await accept(store, inquiry(number, { receivedAt: Date.now() }));
    }
  };
  const run = (ms: number) => {
    const until = performance.now() + ms;
    return Promise.all(Array.from({ length: callers }, (_, n) => call(stores[n % stores.length] as Store, until)));
  };
  await run(1_000);
  const [before, begun, cpu] = [number, performance.now(), process.cpuUsage()];
  await run(seconds * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const stored = number - before;
  return {
    perSecond: Math.round((stored * 1_000) / (performance.now() - begun)),
    cpuMicros: Math.round((user + system) / stored),
  };
}

/** On a database of its own: a day holds a million references. */
async function perSecond(stores: number, callers: number): Promise<string> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await server.create());
  const location = { kind: "postgres", url: database.url, replicaUrl: null, poolMax: 4 } as const;
  const all = await Promise.all(Array.from({ length: stores }, async () => opened.use(await openStore(location))));
  const measured = await measure(all, callers);
  return `${measured.perSecond}/s at ${measured.cpuMicros} µs`;
}

for (const callers of callersAtOnce) {
  // One caller for each store never shares a commit.
  const alone = Math.min(callers, storesAlone);
  const [together, apart] = [await perSecond(1, callers), await perSecond(alone, alone)];
  console.log(`${callers} at once: ${together} sharing commits; ${apart} with one each, ${alone} at once`);
}
