// A data folder, a database and a mail provider that outlive the services, which are started on them again and again, ended
// at a chosen step, and started later than it really is. On PostgreSQL several of them may run at once.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listMails } from "../../../server/src/desk/mails.ts";
import { migrate, openStore, type StoreLocation } from "../../../server/src/storage/open-store.ts";
import type { StoredMail } from "../../../server/src/storage/records.ts";
import type { PostgresDatabase } from "../postgres-server.ts";
import { PostmarkStandIn } from "../postmark-stand-in.ts";
import { listResumes } from "../resume-files.ts";
import { EndedEarly, type ServiceProcess, startProcess } from "../service-process.ts";
import { readStored, type Stored } from "../stored.ts";
import type { Failpoint } from "./preload/failing-failpoint.ts";

const preload = [new URL("./preload/stand-ins.ts", import.meta.url).href];

/** Longer than any lease, and than files that no application knows are left alone. */
export const laterMs = 2 * 60 * 60 * 1000;

interface Start {
  readonly failpoint?: Failpoint;
  readonly aheadMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

interface Contents extends Stored {
  readonly mails: readonly StoredMail[];
}

export class CrashSite implements AsyncDisposable {
  readonly dataFolder: string;
  readonly postmark: PostmarkStandIn;
  readonly #database: PostgresDatabase | null;
  readonly #started: ServiceProcess[] = [];

  private constructor(dataFolder: string, postmark: PostmarkStandIn, database: PostgresDatabase | null) {
    this.dataFolder = dataFolder;
    this.postmark = postmark;
    this.#database = database;
  }

  /** On a file of its own, unless a database of PostgreSQL is given, which stays its owner's. */
  static async open(database: PostgresDatabase | null = null): Promise<CrashSite> {
    const site = new CrashSite(await mkdtemp(join(tmpdir(), "crash-")), await PostmarkStandIn.open(), database);
    await migrate(site.storage);
    return site;
  }

  get storage(): StoreLocation {
    if (this.#database === null) return { kind: "sqlite", file: join(this.dataFolder, "submissions.sqlite") };
    return { kind: "postgres", url: this.#database.url, poolMax: 2 };
  }

  async start({ failpoint, aheadMs = 0, env = {} }: Start = {}): Promise<ServiceProcess> {
    const settings = {
      ...this.postmark.env,
      // No answer comes before what a test waits for, however slow this process is to take the mails.
      MAIL_DEADLINE_MS: "15000",
      ...(this.#database === null ? {} : { DATABASE_URL: this.#database.url }),
      CLOCK_AHEAD_MS: String(aheadMs),
      // Before a mail in doubt is sent again, the provider is asked twice, with a pause between.
      CLOCK_RATE: aheadMs > 0 ? "5" : "1",
      ...(failpoint === undefined ? {} : { FAILPOINT: failpoint }),
      ...env,
    };
    const service = await startProcess(settings, { dataFolder: this.dataFolder, preload });
    this.#started.push(service);
    return service;
  }

  /** Starts a service and waits for its end, which may come before it listens. Answers as `ServiceProcess.ended`. */
  async startToEnd(start: Start): Promise<number | null> {
    try {
      return await (
        await this.start(start)
      ).ended;
    } catch (error) {
      if (error instanceof EndedEarly) return error.code;
      throw error;
    }
  }

  /** Whether nothing that was on its way to the provider still is: each process has had a turn, and each request an answer. */
  async isQuiet(): Promise<boolean> {
    const running = this.#started.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(running.map(async ({ url }) => (await fetch(`${url}/healthz`)).arrayBuffer()));
    return this.postmark.open === 0;
  }

  /** All that is stored. Reads beside a running service or after its end, as the command line does. */
  async contents(): Promise<Contents> {
    await using store = await openStore(this.storage, { access: "read-only" });
    return { ...(await readStored(store)), mails: await listMails(store.desk, { limit: 1_000_000 }) };
  }

  /** SHA-256 of the file under a vault key; null when there is none. */
  async hashOf(key: string): Promise<string | null> {
    try {
      return sha256(await readFile(join(this.dataFolder, "resumes", key)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  /** Names of the resumes, staged and kept; not of those that the sweep has set aside. */
  resumeFiles(): Promise<string[]> {
    return listResumes(this.dataFolder);
  }

  /** How often each mail was taken by the provider, by its outbox id. */
  copies(): Map<string, number> {
    const copies = new Map<string, number>();
    for (const { Metadata } of this.postmark.taken) {
      const id = Metadata?.["mailId"] ?? "";
      copies.set(id, (copies.get(id) ?? 0) + 1);
    }
    return copies;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.#started) await service[Symbol.asyncDispose]();
    await this.postmark[Symbol.asyncDispose]();
    await rm(this.dataFolder, { recursive: true, force: true });
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
