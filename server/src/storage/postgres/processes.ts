// The server's processes, as messages for operators name them.
import type { Connections } from "./connections.ts";
import { prepared } from "./statement.ts";

const programOf = prepared<{ pid: number; program: string }>(
  "SELECT pid, coalesce(application_name, '') AS program FROM pg_stat_activity WHERE pid = ANY ($1::integer[])",
);

/** @param processes those that hold locks; without a number it is a transaction that was prepared to be committed */
export async function nameProcesses(
  connections: Connections,
  processes: readonly { readonly pid: number | null }[],
): Promise<string> {
  const programs = await connections.all(programOf, [processes.flatMap(({ pid }) => pid ?? [])]);
  const names = processes.map(({ pid }) => {
    if (pid === null) return "a prepared transaction";
    const program = programs.find((one) => one.pid === pid)?.program ?? "";
    return program === "" ? `process ${pid}` : `process ${pid} (${program})`;
  });
  return [...new Set(names)].join(", ");
}
