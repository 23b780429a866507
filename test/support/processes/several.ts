// Several processes of the service on one database of PostgreSQL, with one data folder, one mail provider and one clock.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CrashSite } from "../crash/crash-site.ts";
import type { PostgresDatabase } from "../postgres-server.ts";
import { keptLog } from "../kept-log.ts";
import { createDatabase } from "../service-database.ts";
import { type ServiceProcess, until } from "../service-process.ts";
import { startService } from "../service.ts";
import type { Clock, Stopwatch } from "../../../server/src/clock.ts";

type Env = Readonly<Record<string, string>>;

export type Several = Awaited<ReturnType<typeof openSeveral>>;

/** On a database of the project's server, unless one is given. */
export async function openSeveral(given?: PostgresDatabase) {
  await using opened = new AsyncDisposableStack();
  const database = given ?? opened.use(await createDatabase());
  const site = opened.use(await CrashSite.open(database));
  const clock = new SharedClock(site.dataFolder);
  const here = opened.use(new AsyncDisposableStack());
  const same = { ...site.postmark.env, DATA_DIR: site.dataFolder, DATABASE_URL: database.url };
  const resources = opened.move();
  return {
    site,
    database,
    clock,
    start: (...each: readonly Env[]) => Promise.all(each.map((env) => site.start({ env: { ...clock.env, ...env } }))),
    /** The same in the test's own process, which costs a twentieth: for what needs no signal. */
    startHere: (...each: readonly Env[]) =>
      Promise.all(
        each.map(async (env) => {
          const { lines, log } = keptLog();
          return { ...here.use(await startService({ clock, log, env: { ...same, ...env } })), log: lines };
        }),
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

// Less than what a lease has left when a mail is handed to the provider.
const stepMs = 15_000;

/** Puts the clock forward, a step whenever no process holds a mail, until every mail has come to its end. */
export async function mailsSettled({ database, clock, site }: Several): Promise<void> {
  await until(() => site.isQuiet());
  await until(async () => {
    const [waiting] = await database.query(`
      SELECT count(*)::integer AS mails, count(lease_owner)::integer AS held FROM mail WHERE status = 'queued'`);
    if (waiting?.["mails"] === 0) return true;
    if (waiting?.["held"] === 0) clock.advance(stepMs);
    return false;
  });
}

export type Here = Awaited<ReturnType<Several["startHere"]>>[number];

export const hasLogged = ({ log }: Here, text: string): boolean => log.some(({ msg }) => msg === text);

export const statusOf = async ({ url }: Pick<ServiceProcess, "url">, path: string, init: RequestInit = {}) => {
  const response = await fetch(url + path, init);
  await response.arrayBuffer();
  return response.status;
};

export async function endByItself(service: ServiceProcess): Promise<number | null> {
  service.child.kill("SIGTERM");
  return service.ended;
}

class SharedClock implements Clock, Stopwatch {
  readonly #file: string;
  #aheadMs = 0;

  /** @param folder where it keeps its time; the processes read it there */
  constructor(folder: string) {
    this.#file = join(folder, "clock");
    this.advance(0);
  }

  get env(): Readonly<Record<string, string>> {
    return { CLOCK_FILE: this.#file };
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  elapsed(): number {
    return this.now();
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    // No process may read half of it.
    writeFileSync(`${this.#file}.new`, String(this.#aheadMs));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
