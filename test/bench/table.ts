// The rows of the bench as a table in Markdown, which reads well as plain text too.
import { cpus, platform } from "node:os";
import type { Row } from "./compare.ts";

const whole = (figure: number) => (Number.isNaN(figure) ? "–" : Math.round(figure).toLocaleString("en"));
const names = { service: "this service", stock: "stock plugins of tRPC" } as const;

const columns: Readonly<Record<string, (row: Row) => string>> = {
  Request: ({ request }) => request,
  Program: ({ program }) => names[program],
  Clients: ({ clients }) => String(clients),
  "Calls/s": ({ perSecond }) => whole(perSecond),
  Ratio: ({ ratio }) => ratio.toFixed(2),
  "p50 ms": ({ p50 }) => p50.toFixed(1),
  "p99 ms": ({ p99 }) => p99.toFixed(1),
  "CPU µs": ({ cpuMicros }) => whole(cpuMicros),
  "CPU ratio": ({ cpuRatio }) => cpuRatio.toFixed(2),
  "Database CPU µs": ({ databaseMicros }) => whole(databaseMicros),
  "Memory MB": ({ memoryMb }) => whole(memoryMb),
};

export function tableOf(title: string, rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = `|---|---|${"--:|".repeat(Object.keys(columns).length - 2)}\n`;
  const body = rows.map((row) => line(Object.values(columns).map((write) => write(row))));
  return `**${title}**\n\n${line(Object.keys(columns))}${rule}${body.join("")}\n`;
}

/** What a reader has to know to compare figures with those of another machine. */
export function machineLine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim()}, ${platform()}, Node ${process.versions.node}.`;
}
