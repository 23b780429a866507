// The programs that are compared, and how each is started.
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { Processes, Started } from "./processes.ts";
import type { Syncs, SyncShim } from "./sync-shim.ts";

/** A program of the comparison. */
export const entrants = {
  service: { path: "../../server/src/main.ts", env: {} },
  "by hand": { path: "peers/hand-written.ts", env: {} },
  "by hand, single": { path: "peers/hand-written.ts", env: { COMMIT: "single" } },
  stock: { path: "peers/stock.ts", env: {} },
  hono: { path: "peers/hono.ts", env: {} },
} as const satisfies Readonly<
  Record<string, { readonly path: string; readonly env: Readonly<Record<string, string>> }>
>;
export type EntrantName = keyof typeof entrants;

/** Hono is in this folder's own package.json: `npm ci --prefix test/bench`. */
export const canStart = (name: EntrantName): boolean => {
  if (name !== "hono") return true;
  try {
    createRequire(import.meta.url).resolve("hono");
    return true;
  } catch {
    // Not installed.
    return false;
  }
};

/** What every service of the bench is told. */
const serviceEnv = {
  TRUST_PROXY: "1",
  LOG_LEVEL: "warn",
  NODE_ENV: "production",
  RATE_LIMIT_MAX: "1000000",
  RATE_LIMIT_WINDOW_SECONDS: "1",
  MAIL_TRANSPORT: "postmark",
  POSTMARK_SERVER_TOKEN: "server-token",
  MAIL_FROM: "desk@marketplace.example",
  SALES_EMAIL: "sales@marketplace.example",
  RECRUITING_EMAIL: "recruiting@marketplace.example",
};

/** Where programs run: their folder, the provider of mail, the shim. */
export interface Ground {
  readonly processes: Processes;
  readonly folder: string;
  readonly providerUrl: string;
  readonly shim: SyncShim | null;
}

/** A program that runs, and its syncs where they are counted. */
export interface Running extends Started {
  readonly syncs: Syncs | null;
}

let started = 0;

/** What a start may differ in. */
export interface StartOptions {
  readonly databaseUrl?: string | null;
  /** Its folder; an empty one unless it is named. */
  readonly data?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of another checkout, whose service it is. */
  readonly checkout?: string;
  /** Null: where the machine likes. */
  readonly core?: 0 | null;
}

/** Starts a program. */
export async function startEntrant(ground: Ground, name: EntrantName, options: StartOptions = {}): Promise<Running> {
  const { processes, folder, providerUrl, shim } = ground;
  const { path, env } = entrants[name];
  const run = `entrant-${(started += 1)}`;
  const { databaseUrl = null, data = join(folder, run), core = 0 } = options;
  const program = options.checkout === undefined ? path : join(resolve(options.checkout), "server/src/main.ts");
  await mkdir(data, { recursive: true });
  const syncs = shim?.watch(run) ?? null;
  const all = {
    ...(name === "service" ? serviceEnv : { NODE_ENV: "production" }),
    ...env,
    ...syncs?.env,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    DATA_DIR: data,
    POSTMARK_API_URL: providerUrl,
    ...options.env,
  };
  return { ...(await processes.start(program, all, { core })), syncs };
}
