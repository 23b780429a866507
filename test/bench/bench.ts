// What a run needs, and takes down again: a folder, the programs, the stand-in of the mail provider, the load generator, and
// a PostgreSQL server of its own, once a database is wanted.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import type { Job, Outcome } from "./load/load-process.ts";

/** A program that runs. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** Of its database server; null without one. */
  readonly databasePid: number | null;
}

export type ProgramName = "service" | "stock";

export interface Bench extends AsyncDisposable {
  readonly generator: ReturnType<typeof startGenerator>;
  /** Starts a program in an empty folder, with an empty database on PostgreSQL if it shall have one. */
  start(name: ProgramName, engine: "SQLite" | "PostgreSQL"): Promise<Running>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = { service: "server/src/main.ts", stock: "test/bench/peers/stock.ts" } as const;

const serviceEnv = {
  TRUST_PROXY: "1",
  LOG_LEVEL: "warn",
  RATE_LIMIT_MAX: "1000000",
  RATE_LIMIT_WINDOW_SECONDS: "1",
  MAIL_TRANSPORT: "postmark",
  POSTMARK_SERVER_TOKEN: "server-token",
  MAIL_FROM: "desk@marketplace.example",
  SALES_EMAIL: "sales@marketplace.example",
  RECRUITING_EMAIL: "recruiting@marketplace.example",
};

export async function openBench(): Promise<Bench> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "submissions-bench-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  let server: Promise<PostgresServer> | null = null;
  opened.defer(async () => (await server)?.[Symbol.asyncDispose]());
  const provider = await startProgram(opened, "test/bench/peers/provider.ts", {}, 1);
  const generator = opened.use(startGenerator(await command("test/bench/load/load-process.ts", 1)));
  let started = 0;
  const resources = opened.move();
  return {
    generator,
    async start(name, engine) {
      const DATA_DIR = await mkdtemp(join(folder, `${(started += 1)}-`));
      const database = engine === "SQLite" ? null : await (server ??= startPostgres({ settings }));
      const running = await startProgram(resources, programs[name], {
        NODE_ENV: "production",
        ...(name === "service" && serviceEnv),
        ...(database !== null && { DATABASE_URL: (await database.create("empty")).url }),
        DATA_DIR,
        POSTMARK_API_URL: provider.url,
      });
      const pidFile = database === null ? null : await readFile(join(database.folder, "postmaster.pid"), "utf8");
      return { ...running, databasePid: pidFile === null ? null : Number.parseInt(pidFile) };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A server that syncs, as one that keeps data does. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "256MB", autovacuum: "on" };

/** Resolves when the program answers `/readyz`. */
async function startProgram(
  opened: AsyncDisposableStack,
  path: string,
  env: Readonly<Record<string, string>>,
  core: 0 | 1 = 0,
) {
  const port = String(await freePort());
  const [word = "", ...words] = await command(path, core);
  const child = spawn(word, words, {
    env: { PATH: process.env["PATH"] ?? "", PORT: port, ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = once(child, "exit");
  opened.defer(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`${path} ended with ${child.exitCode}.`);
    await pause(10);
  }
  return { url, pid: child.pid ?? 0 };
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    async (response) => (await response.text(), response.status < 500),
    () => false,
  );

/** The words that start a program of this repository, on a core of its own where the machine can pin it. */
async function command(path: string, core: 0 | 1): Promise<readonly string[]> {
  const options = path === programs.service ? await startOptions() : ["-C", "@submissions/source"];
  const node = [process.execPath, ...options, join(root, path)];
  return canPin ? ["taskset", "-c", String(core), ...node] : node;
}

const canPin = (() => {
  try {
    execFileSync("taskset", ["-c", "0,1", "true"], { stdio: "ignore" });
    return true;
  } catch {
    // Another system, or one core only.
    return false;
  }
})();

/** What `npm start` hands to Node before the program: the service is measured as it is run. */
async function startOptions(): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile(`${root}package.json`, "utf8")) as { scripts: { start: string } };
  const words = scripts.start.split(" ");
  return words.slice(words.indexOf("node") + 1, -1).map((word) => (word.startsWith("./") ? join(root, word) : word));
}

/** The load generator is a process of its own, so that the bench's work is not in its way. */
function startGenerator([word = "", ...words]: readonly string[]) {
  const child = spawn(word, words, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" });
  return {
    /** Rejects when an answer had another status than it should have, or a connection was cut. */
    run: (job: Job) =>
      new Promise<Outcome>((resolve, reject) => {
        const ended = () => reject(new Error("The load generator ended."));
        child.once("exit", ended);
        child.once("message", (answer) => {
          child.off("exit", ended);
          resolve(answer as Outcome);
        });
        child.send(job);
      }),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
