// `npm run seed -- N`: fills an empty database with N made-up submissions and makes them searchable.
import { Progress } from "../../src/commands/terminal.ts";
import { readEnvironment } from "../../src/config/load.ts";
import { disposableHosts } from "../../src/mail/disposable.ts";
import { messageForOperator } from "../../src/observe/describe-error.ts";
import { configOrExit } from "../../src/start-up.ts";
import { openStore } from "../../src/storage/open-store.ts";
import { seedStore } from "./seed.ts";

const countMax = 10_000_000;
/** Submissions that are made searchable in one transaction. */
const indexedAtOnce = 1_000;
const yearDays = 365;

async function main(): Promise<void> {
  const config = configOrExit(readEnvironment());
  const count = Number(process.argv[2] ?? 300);
  if (!Number.isInteger(count) || count < 1 || count > countMax) {
    process.stderr.write(
      `Write how many submissions: npm run seed -- 1000 (at most ${countMax.toLocaleString("en")}).\n`,
    );
    process.exit(2);
  }
  const startedAt = performance.now();
  const days = count <= 5_000 ? 30 : 3 * yearDays;
  {
    using progress = new Progress(process.stderr);
    const onProgress = (rows: number) => progress.show(rows, "submissions stored");
    await seedStore(config.storage, { count, days, now: Date.now(), onProgress });
    await using store = await openStore(config.storage);
    const isDisposable = disposableHosts(config.disposableDomains);
    for (let all = 0, more = true; more;) {
      const made = await store.desk.indexNext(indexedAtOnce, isDisposable);
      all += made.indexed;
      ({ more } = made);
      progress.show(all, "submissions searchable");
    }
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stderr.write(`${count.toLocaleString("en")} submissions stored and searchable after ${seconds} s.\n`);
}

try {
  await main();
} catch (error) {
  const reason = messageForOperator(error);
  if (reason === null) throw error;
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
