// What becomes of mail through a provider's outage and at its rate limit: the service's own outbox, with its retries,
// pauses, leases and doubts, any number of processes of it, in virtual time. Only store and provider are models.
import { Outbox } from "../../../server/src/mail/outbox.ts";
import { ModelOutboxStore, ModelProvider } from "./models.ts";
import { VirtualTime } from "./virtual-time.ts";

const second = 1_000;
export const hour = 3_600 * second;

export interface Scenario {
  readonly processes: number;
  /** Mails a second that are stored, at random intervals. */
  readonly arrivals: number;
  /** Mails a second that the provider takes. */
  readonly rate: number;
  readonly outageMs: number;
  /** How long a call takes; 150 ms unless said otherwise. */
  readonly latencyMs?: number;
  /** Most mails in a call; Postmark's 500 unless said otherwise. */
  readonly batchMax?: number;
  /** How long mails go on arriving after the outage. */
  readonly afterMs: number;
  /** Goes on until the last mail was taken; otherwise it ends with those of the outage, or with the arrivals. */
  readonly toTheEnd?: boolean;
  readonly seed: number;
}

/** Runs a scenario. The same scenario has the same outcome each time. */
export async function simulateOutbox(scenario: Scenario) {
  const start = Date.UTC(2026, 0, 1);
  using time = new VirtualTime(start, scenario.seed);
  const backAt = start + scenario.outageMs;
  const provider = new ModelProvider(time, { latencyMs: 150, batchMax: 500, ...scenario, backAt });
  const store = new ModelOutboxStore(time);
  let errors = 0;
  const none = () => {};
  const events = { settled: none, missed: none, paused: none, resumed: none, failed: () => void (errors += 1) };
  const outboxes = Array.from(
    { length: scenario.processes },
    () => new Outbox({ store, mailer: provider.mailer(), compose: () => content, events, deadlineMs: 2_000 }),
  );
  // Processes do not start together, nor look for due mails together.
  for (const outbox of outboxes) time.after(Math.random() * second, () => outbox.start());

  const waiting = new Map<string, number>();
  const fresh: { readonly storedAt: number; readonly ms: number }[] = [];
  let [stored, taken, ofOutage, resumedAt] = [0, 0, 0, Infinity];
  let drainedAt: number | null = null;
  const arrive = () => {
    if (time.now() >= backAt + scenario.afterMs) return;
    const outbox = outboxes[stored % outboxes.length]!;
    const mail = store.insert(`m${stored++}`, outbox.lease());
    waiting.set(mail.id, time.now());
    if (time.now() < backAt) ofOutage += 1;
    void outbox.deliver([mail]);
    time.after((-Math.log(1 - Math.random()) / scenario.arrivals) * second, arrive);
  };
  provider.onTaken = (id) => {
    const [storedAt, at] = [waiting.get(id), time.now()];
    if (storedAt === undefined) return;
    waiting.delete(id);
    taken += 1;
    resumedAt = Math.min(resumedAt, at);
    if (storedAt >= backAt) fresh.push({ storedAt, ms: at - storedAt });
    else if ((ofOutage -= 1) === 0) drainedAt = at;
  };
  time.after(0, arrive);

  await time.run(backAt);
  const backlog = store.queued.size;
  const arrivedAt = backAt + scenario.afterMs;
  if (scenario.toTheEnd) await time.run(Infinity, () => time.now() > arrivedAt && store.queued.size === 0);
  else await time.run(arrivedAt, () => drainedAt !== null);
  const stopping = Promise.all(outboxes.map((outbox) => outbox.stop()));
  await time.run(time.now() + 10 * second);
  await stopping;
  const { calls, refusedCalls, takenTwice, callsAtOnceMax } = provider;
  return {
    stored,
    taken,
    takenTwice,
    failed: store.failed,
    queued: store.queued.size,
    /** How many waited when the outage ended. */
    backlog,
    /** From the end of the outage until the last mail of it was taken, in milliseconds; null when that did not happen. */
    drainMs: drainedAt === null ? null : drainedAt - backAt,
    /** From storing to taking, of mails that were stored after the outage and taken before the drain's end. */
    freshDelay: delays(fresh.map(({ ms }) => ms)),
    /** The same of mails that were stored after the provider took the first one again. */
    resumedDelay: delays(fresh.filter(({ storedAt }) => storedAt > resumedAt).map(({ ms }) => ms)),
    calls,
    refusedCalls,
    callsAtOnceMax,
    /** What the outboxes told of failures of their own. */
    errors,
  };
}

const content = { to: ["a@example.org"], subject: "s", text: "t", html: "h", replyTo: [], headers: {} };

/** In milliseconds. */
function delays(values: readonly number[]) {
  const sorted = Float64Array.from(values).toSorted();
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
