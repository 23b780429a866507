// The parts of the bench that have a command of their own, because they take long.
import type { Bench } from "./bench.ts";
import { measureForgetting } from "./growth/forgetting.ts";
import { measureGrowth } from "./growth/growth.ts";
import { measureWebs, measureWorkers } from "./long/many-processes.ts";
import { soak } from "./long/soak.ts";
import type { BenchOptions } from "./options.ts";
import { type PartReport, reportForgetting, reportGrowth, reportProcesses, reportSoak } from "./report/parts.ts";

/** Mails that wait when workers start. */
const backlogSubmissions = 10_000;

/** By the names that `npm run bench -- NAME` knows. */
export const parts: Readonly<Record<string, (bench: Bench, options: BenchOptions) => Promise<PartReport>>> = {
  growth: async (bench, { rows }) => reportGrowth(await measureGrowth(bench, rows)),
  outbox: async (bench, { rows }) => reportForgetting(await measureForgetting(bench, rows)),
  soak: async (bench, { minutes }) => reportSoak(await soak(bench, minutes)),
  processes: async (bench) => {
    const webs = [];
    for (const count of [1, 2, 4]) webs.push(await measureWebs(bench, count));
    const workers = [];
    for (const count of [1, 2]) workers.push(await measureWorkers(bench, count, backlogSubmissions));
    return reportProcesses(webs, workers);
  },
};
