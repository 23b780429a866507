// A real service for tests: the composition root on a free port of the loopback, with its own data folder.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import PostalMime, { type Email } from "postal-mime";
import { startApp } from "../../server/src/app.ts";
import { systemClock, type Clock, type Stopwatch } from "../../server/src/clock.ts";
import { loadConfig } from "../../server/src/config/load.ts";
import type { HttpLimits } from "../../server/src/http/limits.ts";
import { createLog, type Log } from "../../server/src/observe/log.ts";
import type { Procedure } from "../../server/src/rpc/procedure.ts";
import { openStore } from "../../server/src/storage/open-store.ts";
import { putMigratedDatabase } from "./migrated-database.ts";
import { openServiceDatabase } from "./service-database.ts";
import { readStored } from "./stored.ts";

export type Service = Awaited<ReturnType<typeof startService>>;

interface ServiceOptions {
  /** Settings. Unless they say otherwise, tests may send as much as they like, and answers wait for their mails. */
  readonly env?: Readonly<Record<string, string>>;
  /** Silent unless given. */
  readonly log?: Log;
  readonly clock?: Clock & Stopwatch;
  readonly limits?: Partial<HttpLimits>;
  /** What both doors offer, unless it is the usual list. */
  readonly procedures?: readonly Procedure[];
  /** What lies in its data folder before it starts, by the paths there. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** Where the script of the forms was built to, unless it is the usual place. */
  readonly formsFolder?: string;
  /** Where the console was built to, unless it is the usual place. */
  readonly consoleFolder?: string;
}

// One for all: each log listens to the one stdout.
const silence = createLog("silent");

export async function startService({
  env = {},
  log = silence,
  clock = systemClock,
  limits,
  procedures,
  files = new Map(),
  formsFolder,
  consoleFolder,
}: ServiceOptions = {}) {
  await using opened = new AsyncDisposableStack();
  const dataFolder = await mkdtemp(join(tmpdir(), "submissions-"));
  opened.defer(() => rm(dataFolder, { recursive: true, force: true }));
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(dataFolder, path)), { recursive: true });
    await writeFile(join(dataFolder, path), bytes);
  }
  const database = opened.use(await openServiceDatabase());
  const usual = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: dataFolder,
    RATE_LIMIT_MAX: "1000000",
    // On a busy machine a mail may take longer than callers are to wait for it.
    MAIL_DEADLINE_MS: "10000",
  };
  const config = loadConfig({ ...usual, ...database.env, ...env });
  const { storage } = config;
  // What was put into the data folder may be a database, or what a test wants a start to meet in place of one.
  if (storage.kind === "sqlite" && dirname(storage.file) === dataFolder && files.size === 0) {
    await putMigratedDatabase(storage.file);
  }
  const app = opened.use(await startApp({ config, log, clock, limits, procedures, formsFolder, consoleFolder }));
  const resources = opened.move();
  return {
    url: app.address,
    dataFolder,
    stop: () => app.close(),
    storage,
    sameData: { DATA_DIR: dataFolder, ...database.env },
    /** Reads what is stored through a second connection, as the command line does. */
    async stored() {
      await using store = await openStore(storage, { access: "read-only" });
      return await readStored(store);
    },
    /** The mails in the local mailbox, in the order in which they were stored. */
    mails: () => readMails(join(dataFolder, "mailbox")),
    files: (folder: string) => listFiles(join(dataFolder, folder)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function readMails(folder: string): Promise<Email[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".eml"));
  // Ids begin with a number that ascends.
  const sorted = names.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  return Promise.all(sorted.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))));
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
