// As many requests as one likes, 100,000 unless told otherwise, and a seed to repeat a run:
// `npm exec -- node -C @submissions/source test/support/fuzz/long-run.ts 1000000 42`. Ends with 1 if anything was wrong.
import { randomInt } from "node:crypto";
import { fuzz } from "./fuzz-run.ts";

const requests = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? randomInt(1_000_000));
const report = await fuzz(seed, requests, (line) => process.stdout.write(`${line}\n`));
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
const rare = [207, 405, 413, 415, 422, 431].filter((status) => report.answersByStatus[status] === undefined);
if (rare.length > 0) process.stdout.write(`No answer was one of these: ${rare.join()}\n`);
process.exitCode = report.complaints.length + rare.length === 0 ? 0 : 1;
