// `npm run seed -- N`: fills an empty database with N made-up submissions and makes them searchable.
import { readEnvironment } from "../config/load.ts";
import { disposableHosts } from "../mail/disposable.ts";
import { messageForOperator } from "../observe/describe-error.ts";
import { configOrExit } from "../start-up.ts";
import { MoveRefused } from "../storage/move.ts";
import { openStore } from "../storage/open-store.ts";
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
  const show = (rows: number, what: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${rows.toLocaleString("en")} ${what}`);
  };
  const startedAt = performance.now();
  const days = count <= 5_000 ? 30 : 3 * yearDays;
  const onProgress = (rows: number) => show(rows, "submissions stored");
  await seedStore(config.storage, { count, days, now: Date.now(), onProgress });
  const storedAt = performance.now();
  await using store = await openStore(config.storage);
  const isDisposable = disposableHosts(config.disposableDomains);
  for (let all = 0, indexed = 1; indexed > 0; all += indexed) {
    indexed = await store.desk.indexNext(indexedAtOnce, isDisposable);
    show(all + indexed, "submissions searchable");
  }
  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
  process.stderr.write(
    `${process.stderr.isTTY ? "\r\u001B[K" : ""}${count.toLocaleString("en")} submissions stored in ${seconds(startedAt, storedAt)} s, searchable after ${seconds(storedAt, performance.now())} s more.\n`,
  );
}

try {
  await main();
} catch (error) {
  const reason = error instanceof MoveRefused ? error.message : messageForOperator(error);
  if (reason === null) throw error;
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
