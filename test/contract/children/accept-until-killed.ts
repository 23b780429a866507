// Accepts inquiries without end, several at once, and says which were acknowledged, until it is killed.
import { openStore } from "../../../server/src/storage/open-store.ts";
import { acceptReference, inquiry } from "../records.ts";

const store = await openStore({ kind: "sqlite", file: process.argv[2] ?? "" });
let number = 0;
async function acceptForever(): Promise<never> {
  for (;;) process.send?.(await acceptReference(store, inquiry((number += 1))));
}
await Promise.all(Array.from({ length: 8 }, acceptForever));
