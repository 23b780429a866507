// Submissions at a steady pace, and how long they take.
import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "./statistics.ts";

/** A submission is sent this often, whether the one before was answered or not. */
const everyMs = 20;
/** Of them, before what is measured beside them begins. */
const alone = 25;

let sent = 0;
async function submit(url: string): Promise<{ readonly ms: number; readonly ok: boolean }> {
  const email = `beside-${process.pid}-${(sent += 1)}@example.org`;
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/marketplace/inquiry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Ann Buyer", email, selectedPackageIds: ["de-AT"] }),
  });
  await response.arrayBuffer();
  return { ms: performance.now() - startedAt, ok: response.ok };
}

export const pacedColumns = "p50 | p99 | longest | failed";

/** The cells of {@link pacedColumns}, in ms. */
export async function submitPaced(url: string, ms: number, begin = () => {}): Promise<string> {
  const submissions: ReturnType<typeof submit>[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await pause(everyMs)) {
    if (submissions.length === alone) begin();
    submissions.push(submit(url));
  }
  const all = await Promise.all(submissions);
  const took = Float64Array.from(all, (one) => one.ms).toSorted();
  const at = (share: number) => percentile(took, share).toFixed(0);
  return `${at(0.5)} | ${at(0.99)} | ${at(1)} | ${all.filter(({ ok }) => !ok).length}`;
}
