// As many kills as one likes, 50 unless told otherwise, of the one service on SQLite or, with --postgres, of two on a server
// that is started for it: `npx --no-install node -C @submissions/source test/support/crash/long-run.ts 200 --postgres`. Ends with 1
// if anything was lost or doubled.
import { startPostgres } from "../postgres-server.ts";
import { killAtRandom, type Findings } from "./kill-rounds.ts";

const words = process.argv.slice(2);
const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 50);
const tell = (line: string) => void process.stdout.write(`${line}\n`);

async function onPostgres(): Promise<Findings> {
  await using server = await startPostgres();
  await using database = await server.create("empty");
  return await killAtRandom(rounds, tell, database);
}

const findings = await (words.includes("--postgres") ? onPostgres() : killAtRandom(rounds, tell));
tell(JSON.stringify({ rounds, ...findings }, null, 2));
const { lost, doubled, resumesWrong, filesLeft, mailsMissing, mailsDoubled, unexpected } = findings;
const faults = lost + doubled + resumesWrong + filesLeft + mailsMissing + mailsDoubled + unexpected;
process.exitCode = faults === 0 && findings.acknowledged > 0 ? 0 : 1;
