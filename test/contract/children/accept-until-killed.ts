// Accepts inquiries without end, several at once, and says which were acknowledged. Somebody kills it.
import { openStore } from "../../../server/src/storage/open-store.ts";
import { inquiry, lease, mail } from "../records.ts";

const store = await openStore({ kind: "sqlite", file: process.argv[2] ?? "" });
let number = 0;
async function acceptForever(): Promise<never> {
  for (;;) {
    const next = inquiry((number += 1));
    const own = { reference: next.reference };
    await store.acceptInquiry(next, [mail(own), mail(own)], lease);
    process.send?.(next.reference);
  }
}
await Promise.all(Array.from({ length: 8 }, acceptForever));
