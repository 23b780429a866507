// The rows of the bench as a table in Markdown, which reads well as plain text too.
import type { Row } from "../compare.ts";
import type { RequestKind } from "../load/requests.ts";

const names = {
  service: "this service",
  "by hand": "Fastify + zod by hand",
  "by hand, single": "by hand, one transaction each",
  stock: "stock plugins of tRPC",
  hono: "Hono + zod by hand",
} as const;

const isTyped = (request: RequestKind) => /^(typed|batch)/.test(request);

/** What a row is about, in words. */
export const entrantTitle = ({ scenario, entrant, request }: Row): string => {
  if (isTyped(request)) return `${names[entrant]}, typed`;
  return scenario === "refusal" && request !== "refusal" ? `${names[entrant]}, accepting` : names[entrant];
};

const columns: Readonly<Record<string, (row: Row) => string>> = {
  Program: entrantTitle,
  Clients: ({ clients }) => String(clients),
  "Calls/s": ({ perSecond }) => whole(perSecond),
  Ratio: ({ ratio }) => two(ratio),
  "p50 ms": ({ p50 }) => p50.toFixed(1),
  "p99 ms": ({ p99 }) => p99.toFixed(1),
  "p99.9 ms": ({ p999 }) => p999.toFixed(1),
  "CPU µs": ({ cpuMicros }) => whole(cpuMicros),
  "CPU ratio": ({ cpuRatio }) => two(cpuRatio),
  "Database CPU µs": ({ databaseCpuMicros }) => orDash(databaseCpuMicros, whole),
  "Written KB": ({ writtenKb }) => orDash(writtenKb, (kb) => kb.toFixed(1)),
  Syncs: ({ syncs }) => orDash(syncs, two),
  "Memory KB": ({ memoryKb }) => orDash(memoryKb, whole),
};

export const columnNames = Object.keys(columns);

const whole = (figure: number) => Math.round(figure).toLocaleString("en");
const two = (figure: number) => figure.toFixed(2);
const orDash = (figure: number | null, write: (figure: number) => string) => (figure === null ? "–" : write(figure));

/** A table of any texts. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const rule = head.map((_, position) => (position === 0 ? "---" : "--:"));
  return line(head) + `|${rule.join("|")}|\n` + rows.map(line).join("");
}

/** One table for each scenario, under its title. */
export function tableOf(rows: readonly Row[]): string {
  const scenarios = Map.groupBy(rows, ({ scenario }) => scenario);
  return [...scenarios.values()]
    .map((ofScenario) => {
      const [{ title, engine, scenario } = rows[0]!] = ofScenario;
      const shown = columnNames.filter((name) => ofScenario.some((row) => columns[name]!(row) !== "–"));
      const cells = ofScenario.map((row) => shown.map((name) => columns[name]!(row)));
      return `**${title}, ${engine}** (\`${scenario}\`)\n\n${markdownTable(shown, cells)}`;
    })
    .join("\n");
}
