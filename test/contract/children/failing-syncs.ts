// Accepts into the database named on the command line, on the disk of `losing-disk.c`. Before each step it waits to be
// told: it accepts some inquiries, then one whose sync fails, then one more, then it closes the store.
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { acceptReference, inquiry, offer } from "../records.ts";

const file = process.argv[2] ?? "";
const fails = `${file}-wal.fails`;
const store = await openStore({ kind: "sqlite", file });

const references: string[] = [];
for (let round = 0; round < 12; round += 1) {
  const eight = Array.from({ length: 8 }, (_, place) => acceptReference(store, inquiry(8 * round + place)));
  references.push(...(await Promise.all(eight)));
}
const told = once(process, "message");
process.send?.(references);
await told;

writeFileSync(fails, "");
const outcome = await offer(store, inquiry(100)).catch((error: unknown) =>
  error instanceof StorageUnavailable ? error.outcome : error,
);
const toldAgain = once(process, "message");
process.send?.(outcome);
await toldAgain;

rmSync(fails);
const reference = await acceptReference(store, inquiry(101));
const toldToClose = once(process, "message");
process.send?.(reference);
await toldToClose;

await store[Symbol.asyncDispose]();
process.disconnect?.();
