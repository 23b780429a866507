// What the service is compared with needs a store too: durable rows with an outbox, the way one would write it by hand. It
// shares no code with the service. Submissions that come in together share a transaction.
import { randomInt } from "node:crypto";
import { openLetters } from "./letters.ts";
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

interface Waiting {
  readonly filed: Filed;
  readonly stored: (mails: readonly number[]) => void;
}

const labels = { inquiry: "INQ", application: "APP", subscription: "SUB" } as const;
const batchMax = 500;

/** Resolves to what stores a submission and answers its id, when its receipt was handed over if its caller is told so. */
export async function openPeerStore(): Promise<(submission: Submission) => Promise<string>> {
  const { DATABASE_URL, DATA_DIR = "", POSTMARK_API_URL = "" } = process.env;
  const engine = DATABASE_URL === undefined ? openSqliteEngine(DATA_DIR) : await openPostgresEngine(DATABASE_URL);
  const waiting: Waiting[] = [];
  const sent: number[] = [];
  let isDue = false;
  let underWay = 0;
  const commitSoon = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      while (underWay < engine.atOnce && waiting.length + sent.length > 0) void commit(waiting.splice(0, batchMax));
    });
  };
  // A failure ends the process, and so the bench.
  const commit = async (batch: readonly Waiting[]) => {
    underWay += 1;
    const filed = batch.map((one) => one.filed);
    const mails = await engine.store(filed, sent.splice(0));
    for (const [position, { stored }] of batch.entries()) stored(mails[position] ?? []);
    underWay -= 1;
    if (waiting.length > 0) commitSoon();
  };
  const send = openLetters(POSTMARK_API_URL, (ids) => {
    sent.push(...ids);
    commitSoon();
  });
  return async (submission) => {
    const isSubscription = submission.kind === "subscription";
    const id = `${labels[submission.kind]}-${randomInt(2 ** 47)}`;
    const filed: Filed = { ...submission, id, mails: isSubscription ? ["receipt"] : ["receipt", "notice"] };
    const mails = await new Promise<readonly number[]>((stored) => {
      waiting.push({ filed, stored });
      commitSoon();
    });
    const handedOver = send(filed, mails);
    // A subscriber is not told what became of the mail.
    if (!isSubscription) await handedOver;
    return id;
  };
}
