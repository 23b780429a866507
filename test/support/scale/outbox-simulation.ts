// What becomes of mail through a provider's outage and at its rate limit: the service's own outbox, with its retries,
// pauses, leases and doubts, any number of processes of it, in virtual time. Only store and provider are models.
import { Outbox } from "../../../server/src/mail/outbox.ts";
import { ModelOutboxStore } from "./model-outbox-store.ts";
import { ModelProvider } from "./model-provider.ts";
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

interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Outcome {
  readonly stored: number;
  readonly taken: number;
  readonly takenTwice: number;
  readonly failed: number;
  readonly queued: number;
  /** How many waited when the outage ended. */
  readonly backlog: number;
  /** From the end of the outage until the last mail of it was taken, in milliseconds; null when that did not happen. */
  readonly drainMs: number | null;
  /** From storing to taking, in milliseconds, of mails that were stored after the outage and taken before the drain's end. */
  readonly freshDelay: Delays;
  /** The same of mails that were stored after the provider took the first one again. */
  readonly resumedDelay: Delays;
  readonly calls: number;
  readonly refusedCalls: number;
  readonly refusedMails: number;
  readonly searches: number;
  readonly callsAtOnceMax: number;
  /** What the outboxes told of failures of their own. */
  readonly errors: number;
}

/** Runs a scenario. The same scenario has the same outcome each time. */
export async function simulateOutbox(scenario: Scenario): Promise<Outcome> {
  const start = Date.UTC(2026, 0, 1);
  using time = new VirtualTime(start, scenario.seed);
  const outage = { from: start, to: start + scenario.outageMs };
  const provider = new ModelProvider(time, { latencyMs: 150, batchMax: 500, ...scenario, outage });
  const store = new ModelOutboxStore(time);
  const watch = new Watch(outage.to);
  provider.onTaken = (id, at) => watch.taken(id, at);
  let errors = 0;
  const events = {
    settled: () => {},
    missed: () => {},
    paused: () => {},
    resumed: () => {},
    failed: () => void (errors += 1),
  };
  const mailers = Array.from({ length: scenario.processes }, () => provider.mailer());
  const outboxes = mailers.map(
    (mailer) => new Outbox({ store, mailer, compose: () => content, events, deadlineMs: 2_000 }),
  );
  // Processes do not start together, nor look for due mails together.
  for (const outbox of outboxes) time.after(Math.random() * second, () => outbox.start());

  let number = 0;
  const arrive = () => {
    if (time.now() >= outage.to + scenario.afterMs) return;
    const outbox = outboxes[number % outboxes.length]!;
    const mail = store.insert(`m${number++}`, outbox.lease());
    watch.stored(mail.id, time.now());
    void outbox.deliver([mail]);
    time.after((-Math.log(1 - Math.random()) / scenario.arrivals) * second, arrive);
  };
  time.after(0, arrive);

  await time.run(outage.to);
  const backlog = store.queued;
  if (scenario.toTheEnd)
    await time.run(Infinity, () => time.now() > outage.to + scenario.afterMs && store.queued === 0);
  else await time.run(outage.to + scenario.afterMs, () => watch.isDrained);
  const stopping = Promise.all(outboxes.map((outbox) => outbox.stop()));
  await time.run(time.now() + 10 * second);
  await stopping;
  return {
    ...watch.outcome(),
    stored: number,
    takenTwice: provider.takenTwice,
    failed: store.failed,
    queued: store.queued,
    backlog,
    calls: provider.sends,
    refusedCalls: provider.refusedCalls,
    refusedMails: provider.refusedMails,
    searches: provider.searches,
    callsAtOnceMax: Math.max(...mailers.map(({ callsAtOnceMax }) => callsAtOnceMax)),
    errors,
  };
}

const content = { to: ["a@example.org"], subject: "s", text: "t", html: "h", replyTo: [], headers: {} };

/** Notes when mails are stored and taken. */
class Watch {
  readonly #outageEnd: number;
  readonly #waiting = new Map<string, number>();
  readonly #fresh: { readonly storedAt: number; readonly ms: number }[] = [];
  #ofOutage = 0;
  #taken = 0;
  #resumedAt = Infinity;
  #drainedAt: number | null = null;

  constructor(outageEnd: number) {
    this.#outageEnd = outageEnd;
  }

  get isDrained(): boolean {
    return this.#drainedAt !== null;
  }

  stored(id: string, at: number): void {
    this.#waiting.set(id, at);
    if (at < this.#outageEnd) this.#ofOutage += 1;
  }

  taken(id: string, at: number): void {
    const storedAt = this.#waiting.get(id);
    if (storedAt === undefined) return;
    this.#waiting.delete(id);
    this.#taken += 1;
    this.#resumedAt = Math.min(this.#resumedAt, at);
    if (storedAt >= this.#outageEnd) this.#fresh.push({ storedAt, ms: at - storedAt });
    else if ((this.#ofOutage -= 1) === 0) this.#drainedAt = at;
  }

  outcome(): Pick<Outcome, "taken" | "drainMs" | "freshDelay" | "resumedDelay"> {
    return {
      taken: this.#taken,
      drainMs: this.#drainedAt === null ? null : this.#drainedAt - this.#outageEnd,
      freshDelay: delays(this.#fresh.map(({ ms }) => ms)),
      resumedDelay: delays(this.#fresh.filter(({ storedAt }) => storedAt > this.#resumedAt).map(({ ms }) => ms)),
    };
  }
}

function delays(values: readonly number[]): Delays {
  const sorted = Float64Array.from(values).toSorted();
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
