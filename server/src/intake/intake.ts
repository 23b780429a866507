// What accepting a submission needs beside the submission itself. Built once, by the composition root.
import type { Clock } from "../clock.ts";
import type { PackageTitles } from "../config/catalogue.ts";
import type { Outbox } from "../mail/outbox.ts";
import type { Vault } from "../resumes/vault.ts";
import type { MailKind, OptIn } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";
import type { ProofOfWork } from "./proof-of-work.ts";

export interface Intake {
  readonly clock: Clock;
  readonly store: Pick<Store, "accept" | "findEarlier">;
  readonly vault: Pick<Vault, "keep" | "discard">;
  readonly outbox: Pick<Outbox, "lease" | "deliver" | "imitateDelivery">;
  /** The keys that this process is working on, `procedure` and hash. Other processes are kept apart by the store. */
  readonly keysInFlight: Set<string>;
  /** The latest of these keys whose receipt was sent. The store learns of it only with its next commit. */
  readonly keysConfirmed: Set<string>;
  /** Null: submissions need no proof of work. */
  readonly proofOfWork: ProofOfWork | null;
  /** Null: any identifier is a package. */
  readonly packageTitles: PackageTitles | null;
  readonly newsletterOptIn: OptIn;
  /** Told of each mail that was left out, because its addressee has had enough or must not be mailed. */
  readonly mailCapped: (kind: MailKind) => void;
  /** Told of an error after the commit: the submission is stored, so the caller is answered all the same. */
  readonly failedAfterCommit: (error: unknown) => void;
}
