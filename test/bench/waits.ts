// How long submissions take beside others: what operators ask for, one after the other and six at once; many requests in one
// piece; sessions that hold the rows of mails. On SQLite and on a PostgreSQL server of its own, filled first.
// npm run bench:waits -- 1000000 [sqlite|postgres [PATTERN]]; the pattern chooses rows by their names.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { seedStore } from "../../server/dev/seed/seed.ts";
import { drawSecret, hashSecret } from "../../server/src/secrets.ts";
import { openStore, type StoreLocation } from "../../server/src/storage/open-store.ts";
import { json, rest } from "../support/doors.ts";
import { openFolder } from "../support/folder.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startProcess } from "../support/service-process.ts";
import { percentile } from "./compare.ts";

const count = Number(process.argv[2] ?? 20_000);
const only = process.argv[3];
const chosen = new RegExp(process.argv[4] ?? "");
const rowMs = 3_000;
/** A submission is sent this often, whether the one before was answered or not. */
const everyMs = 20;

/** What goes on beside submissions until the signal ends it. Answers what it has seen. */
type Beside = (over: AbortSignal) => Promise<string>;

const list = (filter: object) => ["trpc/inbox.list", { filter, page: { limit: 100 } }] as const;
/** A filter that few submissions match, or none: a list has to pass over the others. */
const rare = { search: "example", status: "spam", assignee: "nobody@example.org" };
/** Addresses below the console, with their input; without one they are downloads. */
const asked: Readonly<Record<string, readonly [path: string, input?: object]>> = {
  list: list({}),
  "list that finds little": list(rare),
  search: list({ search: "anna" }),
  letter: list({ letter: "a" }),
  "everything that matches": ["trpc/inbox.matching", { filter: rare }],
  counts: ["trpc/inbox.counts", {}],
  overview: ["trpc/overview.get", {}],
  "person with thousands": ["trpc/people.get", { person: "desk@agency.example" }],
  subscribers: ["trpc/subscribers.list", { filter: { search: "reader77" }, page: {} }],
  mails: ["trpc/mails.list", { page: {} }],
  "audit log": ["trpc/audit.list", { page: { limit: 100 } }],
  "export of inquiries": ["exports/inquiries.csv"],
  "export of subscribers": ["exports/subscribers.ndjson"],
  "export of a person": ["people/desk@agency.example.ndjson"],
};

let sent = 0;
async function submit(url: string) {
  const inquiry = { name: "Ann Buyer", email: `beside-${(sent += 1)}@example.org`, selectedPackageIds: ["de-AT"] };
  const startedAt = performance.now();
  const { status } = await rest.send({ url }, "marketplace.inquiry", json(inquiry));
  return { ms: performance.now() - startedAt, ok: status === 200 };
}

async function printRow(name: string, url: string, beside: Beside): Promise<void> {
  if (!chosen.test(name)) return;
  const over = new AbortController();
  const seen = beside(over.signal);
  const submissions: ReturnType<typeof submit>[] = [];
  for (const until = performance.now() + rowMs; performance.now() < until; await pause(everyMs))
    submissions.push(submit(url));
  const all = await Promise.all(submissions);
  over.abort();
  const took = Float64Array.from(all, ({ ms }) => ms);
  const cells = [0.5, 0.99, 1].map((share) => percentile(took, share).toFixed(0));
  console.log(`| ${[name, ...cells, all.filter(({ ok }) => !ok).length, await seen].join(" | ")} |`);
}

/** Callers who ask again and again. One token alone has at most four reads and two exports at once. */
const asking =
  (url: string, tokens: readonly string[], [path, input]: readonly [string, object?], callers: number): Beside =>
  async (over) => {
    const took: number[] = [];
    const statuses = new Set<number>();
    const ask = async (token = "") => {
      const body = input && { method: "POST", ...json(input) };
      while (!over.aborted) {
        const startedAt = performance.now();
        const headers = { ...body?.headers, authorization: `Bearer ${token}` };
        const response = await fetch(`${url}/console/${path}`, { ...body, headers });
        for await (const _ of response.body ?? []);
        took.push(performance.now() - startedAt);
        statuses.add(response.status);
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, at) => ask(tokens[at % tokens.length])));
    return `${took.length} × ${[...statuses].join()}, ${percentile(Float64Array.from(took), 0.5).toFixed(1)} ms`;
  };

/** Connections of another client, each of which sends its requests in one piece, and all at the same moment. */
const flooding =
  (port: number, connections: number, requests: number): Beside =>
  async (over) => {
    const body = JSON.stringify({ name: "Flood", email: "flood@example.org", selectedPackageIds: ["de-AT"] });
    const head = `POST /api/marketplace/inquiry HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    const piece = `${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(requests);
    const target = { port, host: "127.0.0.1", localAddress: "127.0.0.2" };
    const sockets = Array.from({ length: connections }, () =>
      connect(target)
        .on("error", () => {})
        .resume(),
    );
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    for (const socket of sockets) socket.write(piece);
    over.addEventListener("abort", () => sockets.forEach((socket) => void socket.destroy()));
    return "";
  };

/** The largest bodies: a letter in a script that takes work, in escapes, and one that has too many names. */
const application = { fullName: "Ana", email: "flood@example.org", position: "Annotator" };
const large = {
  "large letters": JSON.stringify({ ...application, coverLetter: "Ünïcödé wörds ".repeat(1_400) }),
  "letters of escapes": JSON.stringify({ ...application, coverLetter: "" }).replace(
    /(?="\}$)/,
    "\\ud83d\\ude00".repeat(20_000),
  ),
  "20,000 names": JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`f${at}`, ""]))),
};

/** Sixty connections of another client, each of which sends a large body, all at the same moment, again and again. */
const sendingLarge =
  (port: number, body: string): Beside =>
  async (over) => {
    const statuses = new Map<number, number>();
    const head = `POST /api/applications/submit HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
    const piece = `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const send = async () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.3" });
      over.addEventListener("abort", () => void socket.destroy());
      try {
        while (!over.aborted) {
          socket.write(piece);
          const [answer] = (await once(socket, "data", { signal: over })) as [Buffer];
          const status = Number(answer.toString("latin1", 9, 12));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      } catch {
        // The row is over.
      }
    };
    await Promise.all(Array.from({ length: 60 }, send));
    return [...statuses].map(([status, times]) => `${times} × ${status}`).join(", ");
  };

type Database = Awaited<ReturnType<Awaited<ReturnType<typeof startPostgres>>["create"]>>;

const holding =
  (database: Database): Beside =>
  async (over) => {
    const hold = async () => {
      await using session = await database.connect();
      while (!over.aborted)
        await session.query("BEGIN; SELECT FROM mail ORDER BY id DESC LIMIT 1 FOR UPDATE; SELECT pg_sleep(1); COMMIT");
    };
    await Promise.all(Array.from({ length: 10 }, hold));
    return "";
  };

async function measure(location: StoreLocation, folder: string, database: Database | null): Promise<void> {
  console.log(`\n${count} submissions on ${location.kind}\n`);
  await seedStore(location, { count, days: 3 * 365, now: Date.now() });
  const tokens = [drawSecret(), drawSecret(), drawSecret()];
  {
    await using store = await openStore(location);
    while ((await store.desk.indexNext(1_000, () => false)).more);
    for (const token of tokens)
      await store.access.createToken(
        { name: "bench", role: "admin", expiresAt: null, hash: hashSecret(token) },
        { operator: "command line", at: Date.now() },
      );
  }
  // As autovacuum leaves a database that was not filled a minute ago.
  await database?.query("VACUUM (ANALYZE)");
  const env = { MAIL_DEADLINE_MS: "0", ...(location.kind === "postgres" && { DATABASE_URL: location.url }) };
  await using service = await startProcess(env, { dataFolder: folder });
  const { url, port } = service;
  console.log(
    "| beside submissions | p50 | p99 | longest | failed | answers, their median |\n|---|--:|--:|--:|--:|---|",
  );
  for (const time of [1, 2]) await printRow(`nothing, time ${time}`, url, async () => "");
  for (const [name, what] of Object.entries(asked))
    for (const callers of [1, 6])
      await printRow(`${name}, ${callers} at once`, url, asking(url, tokens, what, callers));
  for (const requests of [1, 30])
    await printRow(`600 connections × ${requests} requests`, url, flooding(port, 600, requests));
  for (const [name, body] of Object.entries(large)) await printRow(`60 ${name} at once`, url, sendingLarge(port, body));
  if (database !== null) await printRow("ten sessions hold the latest mails", url, holding(database));
}

if (only !== "postgres") {
  await using folder = await openFolder();
  await measure({ kind: "sqlite", file: `${folder.path}/submissions.sqlite` }, folder.path, null);
}
if (only !== "sqlite") {
  await using folder = await openFolder();
  const settings = { shared_buffers: "512MB", max_wal_size: "4GB", autovacuum: "on" };
  await using server = await startPostgres({ settings });
  await using database = await server.create("empty");
  await measure({ kind: "postgres", url: database.url, poolMax: 4 }, folder.path, database);
}
