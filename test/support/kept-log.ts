// A log whose lines a test reads.
import { createLog, type LogLevel } from "../../server/src/observe/log.ts";

export function keptLog(level: LogLevel = "info") {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(level, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  return { lines, log };
}
