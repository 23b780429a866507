// What a verb is given: the collaborators of intake and desk, built once by the composition root. Nothing in here knows
// of HTTP or tRPC.
import type { Clock } from "./clock.ts";
import type { IsDisposable } from "./intake/disposable.ts";
import type { KeysInFlight } from "./intake/keys-in-flight.ts";
import type { ProofOfWork } from "./intake/proof-of-work.ts";
import type { MailSettings } from "./mail/compose.ts";
import type { Outbox } from "./mail/outbox.ts";
import type { Vault } from "./resumes/vault.ts";
import type { MailKind } from "./storage/records.ts";
import type { Store } from "./storage/store.ts";

export interface Deps {
  readonly clock: Clock;
  readonly store: Store;
  readonly vault: Vault;
  readonly outbox: Outbox;
  readonly keysInFlight: KeysInFlight;
  /** Null: submissions need no proof of work. */
  readonly proofOfWork: ProofOfWork | null;
  readonly isDisposable: IsDisposable;
  /** What composing a mail needs to know of this installation, the catalogue's titles among it. */
  readonly mail: MailSettings;
  /** Told of each mail that was composed and that the store did not keep. */
  readonly mailCapped: (kind: MailKind) => void;
  readonly newsletterOptIn: "double" | "single";
}
