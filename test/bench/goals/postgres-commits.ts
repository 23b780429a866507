// How many inquiries the PostgreSQL store takes in a second when they share commits, beside one commit for each over as
// many connections as a pool usually has; with 1 ms added to each sync of the server.
import { type Store } from "../../../server/src/storage/store.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { accept, inquiry } from "../../contract/records.ts";
import type { Means } from "../compare.ts";
import { median } from "../statistics.ts";

/** As many stores as single commits are spread over: a store with one caller shares nothing. */
const storesAlone = 16;

const callersTogether = 64;

/** @returns shared commits a second, as a multiple of single ones */
export async function measureCommits(means: Means): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const open = async (count: number): Promise<readonly Store[]> => {
    const { url } = await means.newDatabase();
    const location = { kind: "postgres", url, replicaUrl: null, poolMax: 4 } as const;
    return Promise.all(Array.from({ length: count }, async () => opened.use(await openStore(location))));
  };
  const [together, apart] = [await open(1), await open(storesAlone)];
  const syncs = (await means.newDatabase()).syncs();
  syncs?.delay(1_000);
  const ratios: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= means.rounds; round += 1) {
    const shared = await perSecond(together, callersTogether, means.roundMs);
    const single = await perSecond(apart, storesAlone, means.roundMs);
    if (round > 0) ratios.push(shared / single);
  }
  syncs?.delay(0);
  return median(ratios);
}

let number = 0;

/** Lets callers store one inquiry after the other, each on its store. */
async function perSecond(stores: readonly Store[], callers: number, ms: number): Promise<number> {
  const begun = performance.now();
  const before = number;
  const call = async (store: Store) => {
    while (performance.now() < begun + ms) {
      number += 1;
      await accept(store, inquiry(number, { receivedAt: Date.now() }));
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, position) => call(stores[position % stores.length]!)));
  return ((number - before) * 1_000) / (performance.now() - begun);
}
