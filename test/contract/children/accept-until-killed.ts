// Accepts inquiries without end, several at once and each under a key, and says which were acknowledged, until it is killed.
import { openStore } from "../../../server/src/storage/open-store.ts";
import { acceptReference, inquiry, noon } from "../records.ts";

const store = await openStore({ kind: "sqlite", file: process.argv[2] ?? "" });
let number = 0;
async function acceptForever(): Promise<never> {
  for (;;) {
    number += 1;
    const key = { procedure: "marketplace.inquiry", keyHash: `key-${number}`, fingerprint: "f", createdAt: noon };
    process.send?.(await acceptReference(store, inquiry(number), { key }));
  }
}
await Promise.all(Array.from({ length: 8 }, acceptForever));
