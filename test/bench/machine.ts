// What a reader has to know of the machine to compare figures with those of another.
import { cpus, platform, totalmem } from "node:os";
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { median } from "./statistics.ts";

export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Time to append a page to a file and sync it, in µs. */
  readonly syncMicros: number;
}

/** @param folder where the programs keep their data */
export function describeMachine(folder: string): Machine {
  const all = cpus();
  return {
    processor: all[0]?.model.trim() ?? "unknown",
    processors: all.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: platform(),
    node: process.versions.node,
    syncMicros: Math.round(syncMicros(folder)),
  };
}

function syncMicros(folder: string): number {
  const path = join(folder, "synced");
  const file = openSync(path, "a");
  const page = Buffer.alloc(4096);
  const took = Array.from({ length: 100 }, () => {
    const begun = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return (performance.now() - begun) * 1_000;
  });
  closeSync(file);
  rmSync(path);
  return median(took);
}

export const machineLine = ({ processor, processors, memoryGb, system, node, syncMicros: micros }: Machine): string =>
  `${processors} × ${processor}, ${memoryGb} GB, ${system}, Node ${node}; a page is appended and synced in ${micros} µs.`;
