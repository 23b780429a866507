// How long submissions take beside what operators ask for, compared with the same service without them. On a database that
// `npm run seed` has filled: DATA_DIR=… [ONLY=export] node -C @submissions/source test/bench/beside.ts
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { drawSecret, hashSecret } from "../../server/src/secrets.ts";
import { startProcess } from "../support/service-process.ts";
import { percentile } from "./statistics.ts";

/** How long each row is measured. */
const rowMs = Number(process.env["ROW_MS"] ?? 3_000);
/** A submission is sent this often, whether the one before was answered or not. */
const everyMs = 20;

const dataFolder = process.env["DATA_DIR"] ?? "./data";
const url = process.env["DATABASE_URL"];
const location: StoreLocation =
  url === undefined
    ? { kind: "sqlite", file: join(dataFolder, "submissions.sqlite") }
    : { kind: "postgres", url, replicaUrl: null, poolMax: 4 };

// Three callers: one alone has at most four reads and two exports at once.
const tokens = [drawSecret(), drawSecret(), drawSecret()];
{
  await using store = await openStore(location);
  for (const [number, token] of tokens.entries()) {
    const named = { name: `bench ${number}`, role: "admin", expiresAt: null } as const;
    await store.access.createToken({ ...named, hash: hashSecret(token) }, { operator: "command line", at: Date.now() });
  }
}
await using service = await startProcess(
  { MAIL_DEADLINE_MS: "0", ...(url !== undefined && { DATABASE_URL: url }) },
  { dataFolder },
);

let sent = 0;
async function submit(): Promise<{ readonly ms: number; readonly ok: boolean }> {
  sent += 1;
  const fields = {
    name: "Ann Buyer",
    email: `beside-${process.pid}-${sent}@example.org`,
    selectedPackageIds: ["de-AT"],
  };
  const startedAt = performance.now();
  const response = await fetch(`${service.url}/api/marketplace/inquiry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
  });
  await response.arrayBuffer();
  return { ms: performance.now() - startedAt, ok: response.ok };
}

async function ask(token: string, path: string, body: unknown): Promise<number> {
  const response = await fetch(`${service.url}/console/${path}`, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
  });
  for await (const _ of response.body ?? []);
  return response.status;
}

interface Asked {
  readonly name: string;
  readonly path: string;
  /** Undefined: a download. */
  readonly body?: unknown;
}

const one = (name: string, path: string, input?: unknown): Asked => ({ name, path: `trpc/${path}`, body: input ?? {} });
const list = (name: string, filter: object) => one(name, "inbox.list", { filter, page: { limit: 100 } });
const batch = (name: string, filter: object): Asked => ({
  name: `batch of ten: ${name}`,
  path: `trpc/${Array.from({ length: 10 }, () => "inbox.list").join()}?batch=1`,
  body: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, { filter, page: { limit: 100 } }])),
});
const rare = { search: "example", status: "spam", assignee: "nobody@example.org" };

const asked: readonly Asked[] = [
  list("list", {}),
  list("list that finds little", rare),
  list("letter", { letter: "a" }),
  batch("list that finds little", rare),
  batch("letter", { letter: "a" }),
  one("everything that matches", "inbox.matching", { filter: rare }),
  one("counts", "inbox.counts"),
  one("overview", "overview.get"),
  one("person with thousands", "people.get", { person: "desk@agency.example" }),
  one("subscribers", "subscribers.list", { filter: { search: "reader77" }, page: {} }),
  one("mails", "mails.list", { page: {} }),
  one("audit log", "audit.list", { page: { limit: 100 } }),
  { name: "export of inquiries", path: "exports/inquiries.csv" },
  { name: "export of subscribers", path: "exports/subscribers.ndjson" },
  { name: "export of a person", path: "people/desk@agency.example.ndjson" },
];

async function measure(what: Asked | null, atOnce: number): Promise<string> {
  const over = new AbortController();
  let answered = 0;
  const statuses = new Set<number>();
  const load = async (token: string, { path, body }: Asked) => {
    while (!over.signal.aborted) {
      statuses.add(await ask(token, path, body));
      answered += 1;
    }
  };
  const loads =
    what === null ? [] : Array.from({ length: atOnce }, (_, at) => load(tokens[at % tokens.length] ?? "", what));
  const submissions: ReturnType<typeof submit>[] = [];
  for (const until = performance.now() + rowMs; performance.now() < until; await pause(everyMs)) {
    submissions.push(submit());
  }
  const all = await Promise.all(submissions);
  over.abort();
  await Promise.all(loads);
  const took = Float64Array.from(all, ({ ms }) => ms).toSorted();
  const failed = all.filter(({ ok }) => !ok).length;
  const at = (share: number) => percentile(took, share).toFixed(0);
  const told = what === null ? "–" : `${answered} × ${[...statuses].join("/")}`;
  return `${at(0.5)} | ${at(0.99)} | ${failed} | ${told}`;
}

await measure(null, 0);
console.log("| beside submissions | p50 | p99 | failed | answers | six at once: p50 | p99 | failed | answers |");
console.log("|---|--:|--:|--:|---|--:|--:|--:|---|");
console.log(`| nothing | ${await measure(null, 0)} | ${await measure(null, 0)} |`);
const only = process.env["ONLY"] ?? "";
for (const what of asked.filter(({ name }) => name.includes(only)))
  console.log(`| ${what.name} | ${await measure(what, 1)} | ${await measure(what, 6)} |`);
