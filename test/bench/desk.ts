// Times of what operators ask of a store that is filled.
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { InboxFilter } from "../../shared/src/console.ts";
import { neighboursOf } from "../../server/src/desk/detail.ts";
import { allRows, exportRecords } from "../../server/src/desk/export.ts";
import { type Scope, wholeScope } from "../../server/src/storage/desk-store.ts";
import type { Store } from "../../server/src/storage/store.ts";
import { percentile } from "./statistics.ts";

const sales: Scope = { kinds: ["inquiry"], subscribers: false };
const operator = "sam@example.org";

const quickLists: Readonly<Record<string, InboxFilter>> = {
  all: {},
  "status new": { status: "new" },
  "status spam": { status: "spam" },
  assignee: { assignee: operator },
  unassigned: { assignee: "none" },
  "status new, applications, unassigned": { status: "new", kind: "application", assignee: "none" },
  "has resume": { hasResume: true },
  "throw-away address": { disposable: true },
};
const slowLists: Readonly<Record<string, InboxFilter>> = {
  "nothing found: spam with assignee": { status: "spam", assignee: operator, hasResume: true },
  "nothing found: done of nobody": { status: "done", assignee: "nobody@example.org" },
  "nothing found: done with resume, inquiries": { status: "done", kind: "inquiry", hasResume: true },
  'search "anna", status new': { search: "anna", status: "new" },
  ...Object.fromEntries(
    ["mu", "muller", "anna mul", "kalomi", "example", "zzzz"].map((search) => [`search "${search}"`, { search }]),
  ),
  ...Object.fromEntries(["phonetician", "accents booth", "zzzz"].map((letter) => [`letter "${letter}"`, { letter }])),
};

async function time(name: string, times: number, call: (turn: number) => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await call(0);
  delay.enable();
  const took = new Float64Array(times);
  for (const turn of took.keys()) {
    const startedAt = performance.now();
    await call(turn);
    took[turn] = performance.now() - startedAt;
  }
  delay.disable();
  took.sort();
  const at = (share: number) => percentile(took, share).toFixed(2);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${(delay.max / 1e6).toFixed(0)} |`);
}

export async function timeDesk(store: Store): Promise<void> {
  const { desk, clock } = store;
  const { latest } = await desk.since(wholeScope, 0);
  /** Half of the pages at the newest row, half anywhere. */
  const page = (turn: number) =>
    turn % 2 === 0 ? {} : { after: Math.ceil((latest * ((turn * 7919) % 1000)) / 1000) + 1 };
  const list = (name: string, times: number, filter: InboxFilter, scope = wholeScope) =>
    time(name, times, (turn) => desk.listSubmissions(scope, filter, page(turn)));

  console.log("| call | p50 | p99 | longest block |\n|---|---|---|---|");
  for (const [name, filter] of Object.entries(quickLists)) await list(name, 200, filter);
  await list("one kind (a role)", 200, {}, sales);
  await list("a month", 200, { from: clock.now() - 60 * 86_400_000, until: clock.now() - 30 * 86_400_000 });
  for (const [name, filter] of Object.entries(slowLists)) await list(name, 30, filter);
  const { rows } = await desk.listSubmissions(wholeScope, {}, { limit: 100 });
  const reference = (turn: number) => rows[turn % rows.length]?.reference ?? "";
  const actor = { operator, at: clock.now() };
  await time("submission page", 200, (turn) => desk.findDetail(wholeScope, reference(turn)));
  await time("previous and next", 200, (turn) => neighboursOf(desk, wholeScope, reference(turn), { status: "new" }));
  await time("person with thousands", 50, () => desk.findPerson(wholeScope, "desk@agency.example"));
  await time("counts", 50, () => desk.countByStatus(wholeScope, operator));
  await time("since", 200, () => desk.since(wholeScope, latest - 50));
  await time("overview", 30, () => desk.overview(wholeScope, clock.now()));
  await time("mails", 50, (turn) => desk.listMails(wholeScope, turn % 2 === 0 ? "failed" : undefined, {}));
  await time("subscribers, a part of an address", 30, () => desk.listSubscribers({ search: "reader77" }, {}));
  await time("note", 50, (turn) => desk.addNote(wholeScope, reference(turn), "Called.", actor));

  const startedAt = performance.now();
  const options = { subject: "inquiries", format: "ndjson", isDisposable: () => false } as const;
  let exported = 0;
  for await (const { records } of exportRecords(allRows(store, "inquiries", {}), options)) exported += records;
  const seconds = (performance.now() - startedAt) / 1000;
  const memory = Math.round(process.memoryUsage.rss() / 2 ** 20);
  console.log(`export: ${exported} inquiries in ${seconds.toFixed(1)} s, ${memory} MB resident at its end\n`);
}
