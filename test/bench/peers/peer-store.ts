// What the service is compared with needs a store too: durable rows with an outbox, the way one would write it by hand. It
// shares no code with the service. COMMIT=single makes a transaction for each submission, as most programs do;
// otherwise submissions that come in together share one.
import { randomInt } from "node:crypto";
import { Letters } from "./letters.ts";
import { openPostgresEngine } from "./postgres-engine.ts";
import { openSqliteEngine } from "./sqlite-engine.ts";

export interface Submission {
  readonly kind: "inquiry" | "application" | "subscription";
  readonly email: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
}

export interface Filed extends Submission {
  readonly id: string;
  readonly mails: readonly ("receipt" | "notice")[];
}

/** How an engine stores: all of it in one transaction. Answers the ids of the mails of each submission. */
export interface Engine {
  /** Transactions at the same time. */
  readonly atOnce: number;
  store(submissions: readonly Filed[], sentMails: readonly number[]): Promise<readonly (readonly number[])[]>;
}

export interface PeerStore {
  /** Resolves to its id when it is stored, and its receipt was handed over if its caller is told so. */
  submit(submission: Submission): Promise<string>;
}

interface Waiting {
  readonly filed: Filed;
  readonly stored: (mails: readonly number[]) => void;
  readonly failed: (error: unknown) => void;
}

const { DATABASE_URL, DATA_DIR = "", POSTMARK_API_URL = "", COMMIT } = process.env;
const labels = { inquiry: "INQ", application: "APP", subscription: "SUB" } as const;
const sharedAtOnce = 500;

export async function openPeerStore(): Promise<PeerStore> {
  const engine = DATABASE_URL === undefined ? openSqliteEngine(DATA_DIR) : await openPostgresEngine(DATABASE_URL);
  return new QueuedStore(engine, COMMIT === "single" ? 1 : sharedAtOnce);
}

const newId = (kind: Submission["kind"]) => `${labels[kind]}-${randomInt(2 ** 47)}`;

class QueuedStore implements PeerStore {
  readonly #engine: Engine;
  readonly #batchMax: number;
  readonly #letters = new Letters(POSTMARK_API_URL, () => this.#arm());
  #waiting: Waiting[] = [];
  #armed = false;
  #underWay = 0;

  constructor(engine: Engine, batchMax: number) {
    this.#engine = engine;
    this.#batchMax = batchMax;
  }

  async submit(submission: Submission): Promise<string> {
    const { kind } = submission;
    const filed: Filed = {
      ...submission,
      id: newId(kind),
      mails: kind === "subscription" ? ["receipt"] : ["receipt", "notice"],
    };
    const mails = await new Promise<readonly number[]>((stored, failed) => {
      this.#waiting.push({ filed, stored, failed });
      this.#arm();
    });
    const handedOver = this.#letters.send(filed, mails);
    // A subscriber is not told what became of the mail.
    if (kind !== "subscription") await handedOver;
    return filed.id;
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(() => {
      this.#armed = false;
      while (this.#underWay < this.#engine.atOnce && (this.#waiting.length > 0 || this.#letters.hasSent)) {
        void this.#commit(this.#waiting.splice(0, this.#batchMax));
      }
    });
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    this.#underWay += 1;
    try {
      const mails = await this.#engine.store(
        batch.map(({ filed }) => filed),
        this.#letters.takeSent(),
      );
      for (const [position, { stored }] of batch.entries()) stored(mails[position] ?? []);
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
    this.#underWay -= 1;
    if (this.#waiting.length > 0) this.#arm();
  }
}
