// What a run needs, and takes down again: a folder, the programs, the mail provider, the load, and a PostgreSQL server.
import { execFileSync, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openFolder } from "../support/folder.ts";
import { freePort, untilListening } from "../support/free-port.ts";
import { listening } from "../support/listening.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { addressees } from "../support/postmark-stand-in.ts";
import type { Job, Outcome } from "./load.ts";

export type Engine = "SQLite" | "PostgreSQL";
export type Bench = Awaited<ReturnType<typeof openBench>>;

const root = fileURLToPath(new URL("../../", import.meta.url));
const programs = { service: "server/src/main.ts", stock: "test/bench/stock.ts" } as const;
export type ProgramName = keyof typeof programs;

/** A server that syncs, as one that keeps data does. */
const settings = { fsync: "on", full_page_writes: "on", shared_buffers: "256MB", autovacuum: "on" };

export async function openBench() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openFolder());
  const provider = opened.use(await listening((request, response) => void takeMails(request, response)));
  const load = opened.use(startLoad());
  const options = await startOptions();
  let server: Promise<PostgresServer> | null = null;
  opened.defer(async () => (await server)?.[Symbol.asyncDispose]());
  const resources = opened.move();
  return {
    load,
    async start(name: ProgramName, engine: Engine) {
      const port = await freePort();
      const database = engine === "SQLite" ? null : await (server ??= startPostgres({ settings }));
      const [word, ...words] = [...onCore(0), ...options, join(root, programs[name])];
      const child = spawn(word, words, {
        env: {
          ...addressees,
          PATH: process.env["PATH"] ?? "",
          NODE_ENV: "production",
          DATA_DIR: await mkdtemp(join(folder.path, `${name}-`)),
          ...(database !== null && { DATABASE_URL: (await database.create("empty")).url }),
          PORT: String(port),
          TRUST_PROXY: "1",
          LOG_LEVEL: "warn",
          RATE_LIMIT_MAX: "1000000",
          RATE_LIMIT_WINDOW_SECONDS: "1",
          MAIL_TRANSPORT: "postmark",
          POSTMARK_SERVER_TOKEN: "server-token",
          POSTMARK_API_URL: provider.url,
        },
        stdio: ["ignore", "ignore", "inherit"],
      });
      const exit = once(child, "exit");
      resources.defer(async () => {
        child.kill("SIGKILL");
        await exit;
      });
      await untilListening(port, [child]);
      return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Takes every mail at once. */
async function takeMails(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const mails = (await json(request).catch(() => [])) as readonly { readonly To: string }[];
  const SubmittedAt = new Date().toISOString();
  const taken = mails.map(({ To }) => ({ To, SubmittedAt, MessageID: "m", ErrorCode: 0, Message: "OK" }));
  response.setHeader("content-type", "application/json").end(JSON.stringify(taken));
}

async function startOptions(): Promise<readonly string[]> {
  const { scripts } = JSON.parse(await readFile(`${root}package.json`, "utf8")) as { scripts: { start: string } };
  const words = scripts.start.split(" ");
  return words.slice(words.indexOf("node") + 1, -1).map((word) => (word.startsWith("./") ? join(root, word) : word));
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

/** The words that start Node, on a core of its own where the machine can pin it. */
const onCore = (core: 0 | 1) => (canPin ? ["taskset", "-c", String(core), process.execPath] : [process.execPath]);

/** The load comes from a process of its own, so that the bench's work is not in its way. */
function startLoad() {
  const [execPath = "", ...words] = onCore(1);
  const execArgv = [...words, "-C", "@submissions/source"];
  const child = fork(new URL("load.ts", import.meta.url), { execPath, execArgv, serialization: "advanced" });
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
