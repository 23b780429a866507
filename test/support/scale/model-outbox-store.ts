// The outbox of any number of processes in memory, with the promises of the store's port about leases, doubts and order.
// The engines' own suite is test/contract/; this one exists because it holds millions of mails and needs no time.
import type { Clock, Stopwatch } from "../../../server/src/clock.ts";
import type { LeasedMail, MailSettlement } from "../../../server/src/storage/records.ts";
import type { Lease, Store } from "../../../server/src/storage/store.ts";
import { Heap } from "./heap.ts";

interface Row {
  readonly id: string;
  readonly createdAt: number;
  attempts: number;
  dueAt: number;
  timesNotFound: number | null;
  owner: string | null;
  leasedUntil: number;
  /** Entries of the heaps that are of an earlier state of the row are passed over. */
  state: number;
}

interface Entry {
  readonly row: Row;
  readonly state: number;
  readonly at: number;
}

const earlier = (a: Entry, b: Entry) => a.at - b.at || a.row.createdAt - b.row.createdAt;

const about = {
  welcome: { email: "a@example.org", requestId: "r", language: "en", confirmToken: null, unsubscribeToken: "u" },
} as const;

export class ModelOutboxStore implements Pick<Store, "clock" | "mails"> {
  readonly clock: Clock & Stopwatch;
  readonly mails: Store["mails"] = {
    claim: (now, limit, lease) => Promise.resolve(this.#claimDue(now, limit, lease)),
    renew: (ids, lease) => Promise.resolve(this.#renew(ids, lease)),
    settle: async (settlements, owner) => this.#settle(settlements, owner),
  };
  readonly #queued = new Map<string, Row>();
  readonly #due = new Heap<Entry>(earlier);
  readonly #leased = new Heap<Entry>(earlier);
  failed = 0;

  constructor(clock: Clock & Stopwatch) {
    this.clock = clock;
  }

  get queued(): number {
    return this.#queued.size;
  }

  /** Stores a mail, leased. */
  insert(id: string, { owner, until }: Lease): LeasedMail {
    const now = this.clock.now();
    const row: Row = {
      id,
      createdAt: now,
      attempts: 0,
      dueAt: now,
      timesNotFound: null,
      owner,
      leasedUntil: until,
      state: 0,
    };
    this.#queued.set(id, row);
    this.#leased.push({ row, state: 0, at: until });
    return handOut(row);
  }

  #claimDue(now: number, limit: number, lease: Lease): LeasedMail[] {
    for (let entry = this.#leased.peek(); entry !== undefined && entry.at < now; entry = this.#leased.peek()) {
      this.#leased.pop();
      if (entry.state === entry.row.state) this.#wait(entry.row);
    }
    const claimed: LeasedMail[] = [];
    for (let entry = this.#due.peek(); entry !== undefined && claimed.length < limit; entry = this.#due.peek()) {
      if (entry.state === entry.row.state && entry.at > now) break;
      this.#due.pop();
      if (entry.state === entry.row.state) claimed.push(this.#claim(entry.row, lease));
    }
    return claimed;
  }

  #renew(ids: readonly string[], lease: Lease): ReadonlySet<string> {
    const held = ids.filter((id) => this.#queued.get(id)?.owner === lease.owner);
    for (const id of held) this.#lease(this.#queued.get(id)!, lease);
    return new Set(held);
  }

  #settle(settlements: readonly MailSettlement[], owner: string): void {
    for (const settlement of settlements) {
      const row = this.#queued.get(settlement.id);
      if (row === undefined || row.owner !== owner) continue;
      row.state += 1;
      row.owner = null;
      if (settlement.result === "later") {
        row.attempts += settlement.tried ? 1 : 0;
        row.timesNotFound = settlement.timesNotFound;
        row.dueAt = settlement.dueAt;
        this.#due.push({ row, state: row.state, at: row.dueAt });
      } else {
        this.#queued.delete(settlement.id);
        this.failed += settlement.result === "sent" ? 0 : 1;
      }
    }
  }

  #wait(row: Row): void {
    row.state += 1;
    this.#due.push({ row, state: row.state, at: row.dueAt });
  }

  #claim(row: Row, lease: Lease): LeasedMail {
    if (row.owner !== null && row.owner !== lease.owner) row.timesNotFound = 0;
    this.#lease(row, lease);
    return handOut(row);
  }

  #lease(row: Row, { owner, until }: Lease): void {
    row.owner = owner;
    row.leasedUntil = until;
    row.state += 1;
    this.#leased.push({ row, state: row.state, at: until });
  }
}

const handOut = ({ id, createdAt, attempts, timesNotFound, leasedUntil }: Row): LeasedMail => {
  return { id, kind: "newsletter-welcome", about, createdAt, attempts, timesNotFound, leasedUntil };
};
