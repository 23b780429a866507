// What operators and the sender ask of a store, timed: a page of a list, a search, a claim of due mails, erasing a person,
// an export.
import { erasePerson } from "../../../server/src/desk/erase.ts";
import { exportRecords } from "../../../server/src/desk/export.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { accept, giveBack, inquiry } from "../../contract/records.ts";
import { median } from "../statistics.ts";

/** Milliseconds of a call, but for the export. */
export interface DeskTimes {
  readonly list: number;
  readonly search: number;
  readonly lease: number;
  readonly erase: number;
  readonly exportPerSecond: number;
}

const calls = 30;
/** Mails that one claim leases. */
const claimed = 500;
/** Rows of an export that are timed; all of them would take minutes. */
const exportedMax = 300_000;

export async function timeDesk(store: Store): Promise<DeskTimes> {
  const { desk } = store;
  const { latest } = await desk.since(wholeScope, 0);
  const anywhere = (turn: number) => ({ after: Math.ceil((latest * ((turn * 7919) % 1000)) / 1000) + 1 });
  return {
    list: await time((turn) => desk.listSubmissions(wholeScope, { status: "new" }, anywhere(turn))),
    search: await time(() => desk.listSubmissions(wholeScope, { search: "anna mul" }, {})),
    lease: await timeClaims(store),
    erase: await timeErasing(store),
    exportPerSecond: await exportSpeed(store),
  };
}

async function time(call: (turn: number) => Promise<unknown>, times = calls): Promise<number> {
  const took: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const begun = performance.now();
    await call(turn);
    took.push(performance.now() - begun);
  }
  return median(took);
}

let number = 0;

/** Stores inquiries of today whose mails are due. */
async function storeDue(store: Store, count: number): Promise<readonly string[]> {
  const now = store.clock.now();
  const numbers = Array.from({ length: count }, () => (number += 1));
  const lease = { owner: "bench", until: now + 60_000 };
  const stored = await Promise.all(numbers.map((one) => accept(store, inquiry(one, { receivedAt: now }), { lease })));
  await giveBack(
    store,
    stored.flatMap(({ mails }) => mails),
    lease,
    now,
  );
  return numbers.map((one) => `ann-${one}@example.org`);
}

async function timeClaims(store: Store): Promise<number> {
  const times = 5;
  await storeDue(store, (claimed * times) / 2);
  const until = store.clock.now() + 60_000;
  return time(() => store.mails.claim(store.clock.now(), claimed, { owner: "sender", until }), times);
}

async function timeErasing(store: Store): Promise<number> {
  const people = await storeDue(store, calls);
  const actor = { operator: "command line", at: store.clock.now() };
  const vault = { belongsTo: () => Promise.resolve(true), discard: () => Promise.resolve() };
  return time((turn) => erasePerson({ store, vault, eraseMails: async () => {} }, people[turn] ?? "", actor));
}

async function exportSpeed(store: Store): Promise<number> {
  const options = { subject: "inquiries", format: "csv", from: {}, isDisposable: () => false } as const;
  const begun = performance.now();
  let rows = 0;
  for await (const { records } of exportRecords(store, options)) if ((rows += records) >= exportedMax) break;
  return (rows * 1_000) / (performance.now() - begun);
}
