// Times of what operators ask for, on a database that `npm run seed` has filled:
// DATA_DIR=… node -C @submissions/source test/bench/desk.ts
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { InboxFilter } from "../../shared/src/console.ts";
import { exportRecords } from "../../server/src/desk/export.ts";
import { type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";

const calls = 200;
const url = process.env["DATABASE_URL"];
const location: StoreLocation =
  url === undefined
    ? { kind: "sqlite", file: join(process.env["DATA_DIR"] ?? "./data", "submissions.sqlite") }
    : { kind: "postgres", url, replicaUrl: null, poolMax: 4 };

await using store = await openStore(location);
const { desk } = store;
const sales: Scope = { kinds: ["inquiry"], subscribers: false };
const { latest } = await desk.since(wholeScope, 0);
const operator = "sam@example.org";

async function time(name: string, call: (turn: number) => Promise<unknown>, times = calls): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await call(0);
  delay.enable();
  const took: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const startedAt = performance.now();
    await call(turn);
    took.push(performance.now() - startedAt);
  }
  delay.disable();
  took.sort((a, b) => a - b);
  const at = (share: number) => (took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0).toFixed(2);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${(delay.max / 1e6).toFixed(0)} |`);
}

/** Half of the pages at the newest row, half anywhere. */
const page = (turn: number) =>
  turn % 2 === 0 ? {} : { after: Math.ceil((latest * ((turn * 7919) % 1000)) / 1000) + 1 };
const list = (name: string, filter: InboxFilter, scope = wholeScope, times = calls) =>
  time(name, (turn) => desk.listSubmissions(scope, filter, page(turn)), times);

console.log("| call | p50 | p99 | longest block |\n|---|---|---|---|");
await list("all", {});
await list("one kind (a role)", {}, sales);
for (const status of ["new", "open", "done", "spam"] as const) await list(`status ${status}`, { status });
await list("assignee", { assignee: operator });
await list("unassigned", { assignee: "none" });
await list("status new, one kind, unassigned", { status: "new", kind: "application", assignee: "none" });
await list("has resume", { hasResume: true });
await list("throw-away address", { disposable: true });
await list("a month", { from: store.clock.now() - 60 * 86_400_000, until: store.clock.now() - 30 * 86_400_000 });
await list(
  "nothing found: spam with assignee",
  { status: "spam", assignee: operator, hasResume: true },
  wholeScope,
  30,
);
await list("nothing found: done of nobody", { status: "done", assignee: "nobody@example.org" }, wholeScope, 30);
await list(
  "nothing found: done with resume, inquiries",
  { status: "done", kind: "inquiry", hasResume: true },
  wholeScope,
  20,
);
for (const search of ["mu", "mul", "muller", "anna mul", "kalomi", "example", "zzzz"]) {
  await list(`search "${search}"`, { search }, wholeScope, 30);
}
await list('search "anna", status new', { search: "anna", status: "new" }, wholeScope, 30);
for (const letter of ["phonetician", "accents booth", "zzzz"])
  await list(`letter "${letter}"`, { letter }, wholeScope, 30);
const { rows } = await desk.listSubmissions(wholeScope, {}, { limit: 100 });
const reference = (turn: number) => rows[turn % rows.length]?.reference ?? "";
await time("submission page", (turn) => desk.findDetail(wholeScope, reference(turn)));
await time("previous and next", (turn) => desk.neighbours(wholeScope, reference(turn), { status: "new" }));
await time("person with thousands", () => desk.findPerson(wholeScope, "desk@agency.example"), 50);
await time("counts", () => desk.countByStatus(wholeScope, operator), 50);
await time("since", () => desk.since(wholeScope, latest - 50));
await time("overview", () => desk.overview(wholeScope, store.clock.now()), 30);
await time("mails", (turn) => desk.listMails(wholeScope, turn % 2 === 0 ? "failed" : undefined, {}), 50);
await time("subscribers, a part of an address", () => desk.listSubscribers({ search: "reader77" }, {}), 30);
await time(
  "note",
  (turn) => desk.addNote(wholeScope, reference(turn), "Called.", { operator, at: store.clock.now() }),
  50,
);

const startedAt = performance.now();
let exported = 0;
for await (const { records } of exportRecords(store, {
  subject: "inquiries",
  format: "ndjson",
  from: {},
  isDisposable: () => false,
})) {
  exported += records;
}
const seconds = (performance.now() - startedAt) / 1000;
const memory = Math.round(process.memoryUsage.rss() / 2 ** 20);
console.log(`export: ${exported} inquiries in ${seconds.toFixed(1)} s, ${memory} MB resident at its end`);
