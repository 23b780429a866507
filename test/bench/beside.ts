// How long submissions take beside what operators ask for, one after the other and six at once.
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { drawSecret, hashSecret } from "../../server/src/secrets.ts";
import { startProcess } from "../support/service-process.ts";
import { pacedColumns, submitPaced } from "./paced.ts";

const rowMs = 3_000;
const atOnce = 6;

interface Asked {
  readonly name: string;
  readonly path: string;
  /** Undefined: a download. */
  readonly body?: unknown;
}

const one = (name: string, path: string, input?: unknown): Asked => ({ name, path: `trpc/${path}`, body: input ?? {} });
const list = (name: string, filter: object) => one(name, "inbox.list", { filter, page: { limit: 100 } });
const rare = { search: "example", status: "spam", assignee: "nobody@example.org" };

const asked: readonly Asked[] = [
  list("list", {}),
  list("list that finds little", rare),
  list("letter", { letter: "a" }),
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

export async function measureBeside(location: StoreLocation, dataFolder: string): Promise<void> {
  // Three callers: one alone has at most four reads and two exports at once.
  const tokens = [drawSecret(), drawSecret(), drawSecret()];
  {
    await using store = await openStore(location);
    for (const [number, token] of tokens.entries()) {
      const named = { name: `bench ${number}`, role: "admin", expiresAt: null } as const;
      await store.access.createToken(
        { ...named, hash: hashSecret(token) },
        { operator: "command line", at: Date.now() },
      );
    }
  }
  const env = { MAIL_DEADLINE_MS: "0", ...(location.kind === "postgres" && { DATABASE_URL: location.url }) };
  await using service = await startProcess(env, { dataFolder });

  const ask = async (token: string, { path, body }: Asked) => {
    const response = await fetch(`${service.url}/console/${path}`, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { "content-type": "application/json" }) },
    });
    for await (const _ of response.body ?? []);
    return response.status;
  };
  const measure = async (what: Asked, callers: number) => {
    const over = new AbortController();
    const statuses = new Map<number, number>();
    const load = async (token = "") => {
      while (!over.signal.aborted) {
        const status = await ask(token, what);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    let loads: Promise<unknown> = Promise.resolve();
    const times = await submitPaced(service.url, rowMs, () => {
      loads = Promise.all(Array.from({ length: callers }, (_, at) => load(tokens[at % tokens.length])));
    });
    over.abort();
    await loads;
    return `${times} | ${[...statuses].map(([status, count]) => `${count} × ${status}`).join()}`;
  };

  await submitPaced(service.url, rowMs);
  console.log(`| beside submissions | ${pacedColumns} | answers | six at once: ${pacedColumns} | answers |`);
  console.log(`|---${"|--:|--:|--:|--:|---".repeat(2)}|`);
  console.log(`| nothing | ${await submitPaced(service.url, rowMs)} | – |`);
  for (const what of asked)
    console.log(`| ${what.name} | ${await measure(what, 1)} | ${await measure(what, atOnce)} |`);
}
