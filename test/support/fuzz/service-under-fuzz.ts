// A service process, and what can be seen of it from outside: whether it is still the same, what it holds open, how large
// its heap is, what it has stored.
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { listMails } from "../../../server/src/desk/mails.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import type { StoredMail } from "../../../server/src/storage/records.ts";
import { type ServiceProcess, startProcess, until } from "../service-process.ts";
import { readStored, type Stored } from "../stored.ts";
import { webhookCredentials } from "./requests.ts";

interface Memory {
  /** Bytes. */
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

interface Contents extends Stored {
  readonly mails: readonly StoredMail[];
}

export class ServiceUnderFuzz implements AsyncDisposable {
  readonly #process: ServiceProcess;
  /** Kernel's time of the start, by which the process is known to be the same. */
  readonly #startedAt: string;

  private constructor(process: ServiceProcess, startedAt: string) {
    this.#process = process;
    this.#startedAt = startedAt;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ServiceUnderFuzz> {
    const preload = [new URL("preload/gauge.ts", import.meta.url).href];
    const settings = { POSTMARK_WEBHOOK_AUTH: webhookCredentials, RATE_LIMIT_WINDOW_SECONDS: "1", ...env };
    const service = await startProcess(settings, { preload });
    return new ServiceUnderFuzz(service, (await startOf(service)) ?? "");
  }

  get url(): string {
    return this.#process.url;
  }

  get port(): number {
    return this.#process.port;
  }

  /** Lines of the log that report an error of the service's own. */
  get errors(): string[] {
    return this.#process.log.filter((line) => /"level":"(?:error|fatal)"/.test(line));
  }

  async isSame(): Promise<boolean> {
    return this.#process.child.exitCode === null && (await startOf(this.#process)) === this.#startedAt;
  }

  /** What the process holds open, sockets aside that were just closed. */
  async openFiles(): Promise<string[]> {
    const folder = `/proc/${this.#process.child.pid}/fd`;
    const links = await Promise.all(
      (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => "")),
    );
    return links.filter((link) => link !== "").toSorted();
  }

  /** Memory after a collection of garbage. */
  async memory(): Promise<Memory> {
    const gauges = () => this.#process.log.filter((line) => line.startsWith('{"msg":"gauge"'));
    const before = gauges().length;
    this.#process.child.kill("SIGUSR2");
    await until(() => gauges().length > before);
    return JSON.parse(gauges().at(-1)!) as Memory;
  }

  /** Forgets the log, which would grow for as long as one tests. */
  forgetLog(): void {
    (this.#process.log as string[]).length = 0;
  }

  async contents(): Promise<Contents> {
    const file = join(this.#process.dataFolder, "submissions.sqlite");
    await using store = await openStore({ kind: "sqlite", file }, { access: "read-only" });
    return { ...(await readStored(store)), mails: await listMails(store.desk, { limit: 10_000_000 }) };
  }

  /** Names of the resumes in the folder, staged and kept. */
  async resumeFiles(): Promise<{ readonly staged: number; readonly kept: number }> {
    const entries = await readdir(join(this.#process.dataFolder, "resumes"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const staged = files.filter(({ parentPath }) => parentPath.includes(".staging")).length;
    return { staged, kept: files.length - staged };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}

/** Until all mails were handed over and no upload is left. */
export async function settled(service: ServiceUnderFuzz): Promise<void> {
  const scrape = async () => (await fetch(`${service.url}/metrics`, { headers: { connection: "close" } })).text();
  // The service works its metrics out once a second. So the first answer may be older than the last request.
  const first = await scrape();
  await until(async () => {
    const metrics = await scrape();
    return metrics !== first && /^mail_queue_size 0$/m.test(metrics) && /^uploads_in_flight 0$/m.test(metrics);
  });
}

/** Field 22 of proc(5)'s stat; the name in parentheses before it may hold spaces. */
async function startOf({ child }: ServiceProcess): Promise<string | undefined> {
  const stat = await readFile(`/proc/${child.pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}
