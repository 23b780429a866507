// What processes have used so far, as the kernel counts it; not known without /proc.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

interface Used {
  readonly cpuMicros: number;
  readonly residentMb: number;
  /** The most since the start, or since {@link forgetPeak}; NaN where it is not known. */
  readonly peakMb: number;
}

const hasProc = existsSync("/proc/self/clear_refs");

/** What a process has used; with its children, if it has any. */
export function usedBy(pid: number): Used {
  if (!hasProc) return { cpuMicros: Number.NaN, residentMb: Number.NaN, peakMb: Number.NaN };
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return [pid, ...children].map(usedByOne).reduce((sum, one) => ({
    cpuMicros: sum.cpuMicros + one.cpuMicros,
    residentMb: sum.residentMb + one.residentMb,
    peakMb: sum.peakMb + one.peakMb,
  }));
}

function usedByOne(pid: number): Used {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
    // Its own and that of children that have ended; the kernel counts in hundredths of a second.
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(stat[field]), 0);
    return { cpuMicros: ticks * 10_000, residentMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
  } catch (error) {
    // A child that has just ended: its parent counts it.
    if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return { cpuMicros: 0, residentMb: 0, peakMb: 0 };
  }
}

/** Begins to look for the most memory anew. */
export function forgetPeak(pid: number): void {
  if (hasProc) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
