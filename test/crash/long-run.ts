// As many kills as one likes, 50 unless told otherwise:
// `npx --no-install node -C @submissions/source test/crash/long-run.ts 200`. Ends with 1 if anything was lost or doubled.
import { killAtRandom } from "./kill-rounds.ts";

const rounds = Number(process.argv[2] ?? 50);
const findings = await killAtRandom(rounds, (line) => process.stdout.write(`${line}\n`));
process.stdout.write(`${JSON.stringify({ rounds, ...findings }, null, 2)}\n`);
const { lost, doubled, resumesWrong, filesLeft, mailsMissing, mailsDoubled, unexpected } = findings;
const faults = lost + doubled + resumesWrong + filesLeft + mailsMissing + mailsDoubled + unexpected;
process.exitCode = faults === 0 && findings.acknowledged > 0 ? 0 : 1;
