// What the console is made of, put together once, and which troubles it shows.
import type { ImportProgress, InboxCounts, Troubles } from "@submissions/shared/console";
import type { Config } from "../config/config.ts";
import type { Log } from "../observe/log.ts";
import type { MailContent } from "../mail/mailer.ts";
import type { Vault } from "../resumes/vault.ts";
import { shareAnswer } from "../share-answer.ts";
import type { StoredOperator } from "../storage/access-store.ts";
import type { DeskStore, Scope } from "../storage/desk-store.ts";
import type { StoredSubmission, SubscriptionRecord } from "../storage/records.ts";
import type { Store } from "../storage/store.ts";
import { cookiesOf } from "./cookies.ts";
import { gatherAudit } from "./gathered-audit.ts";
import { keepAnswers } from "./kept-answers.ts";
import { openIdConnect } from "./open-id-connect.ts";
import { personIds } from "./person-ids.ts";
import { openSignIns } from "./sign-in.ts";
import { exportTurns, makePacer, openTurns, readTurns } from "./turns.ts";

export interface ConsoleOptions extends Omit<Config, "log" | "publicUrl" | "vault"> {
  readonly store: Store;
  readonly vault: Pick<Vault, "read" | "belongsTo" | "discard" | "stagingFolder" | "keep" | "hasRoom">;
  /** Erases mails to an address that lie on this machine. */
  readonly eraseMails: (email: string) => Promise<void>;
  readonly log: Log;
  /** Asked for by every open console. */
  readonly troubles: () => Promise<Troubles>;
  /** The base address of this service. Asked for once it listens. */
  readonly publicUrl: () => string;
  readonly packageTitles: ReadonlyMap<string, string> | null;
  readonly isDisposable: (email: string) => boolean;
  /** Whether mails to this address come in as answers. */
  readonly isInbound: (address: string) => boolean;
  /** Addresses of teams, as `emailKey` writes them. */
  readonly teamKeys: readonly string[];
  readonly composeReply: (submission: StoredSubmission, text: string, author: string, quoted: boolean) => MailContent;
  /** The links of a welcome mail that is due at an instant. */
  readonly newLinks: (dueAt: number) => Pick<SubscriptionRecord, "confirm" | "unsubscribe">;
  /** Told of what an operator has done, by the path of the procedure or the action in the audit log. */
  readonly acted: (action: string) => void;
}

export type Console = ReturnType<typeof openConsole>;

export function openConsole(options: ConsoleOptions) {
  const { store, log, brand, publicUrl, oidc, passwordsOn, totpRequired, acted } = options;
  const { clock, desk, access } = store;
  const gathered = gatherAudit(desk, clock, log);
  const refused = (code: string) => log.warn({ code }, "a sign-in with OpenID Connect failed");
  return {
    ...options,
    clock,
    desk,
    access,
    cookies: cookiesOf(publicUrl),
    counts: rememberCounts(desk),
    scanned: options.scanner !== null,
    persons: personIds(access.cookieKey),
    turns: { reads: openTurns(readTurns), exports: openTurns(exportTurns) },
    pace: makePacer(),
    once: keepAnswers(clock),
    /** By the name of the operator. */
    imports: new Map<string, ImportProgress>(),
    signIns: openSignIns({ access, gathered, clock, brand, passwordsOn, acted }),
    openIdConnect: oidc === null ? null : openIdConnect(oidc, { access, clock, publicUrl, refused }),
    /** Whether an operator may do nothing else before a second factor is set. */
    mustSetSecondFactor: ({ role, totpSecret }: Pick<StoredOperator, "role" | "totpSecret">, isStrong: boolean) =>
      totpRequired && role === "admin" && totpSecret === null && !isStrong,
    gathered,
  };
}

/** How old a count may be: every open console asks every few seconds, and one over a million submissions takes 50 ms. */
const countsFreshMs = 2_000;

function rememberCounts(desk: Pick<DeskStore, "countByStatus">) {
  const asked = new Map<string, () => Promise<InboxCounts>>();
  return {
    /** @param operator whose own submissions are counted too */
    of: (scope: Scope, operator: string): Promise<InboxCounts> =>
      asked.getOrInsertComputed(`${scope.kinds.join(" ")} ${operator}`, () =>
        shareAnswer(() => desk.countByStatus(scope, operator), countsFreshMs),
      )(),
    /** To be called after a change, so that the operator sees it at once. */
    forget: () => asked.clear(),
  };
}

const overdueMsMax = 600_000;
const freeBytesMin = 3 * 1024 ** 3;

interface Measured {
  /** Whether the provider takes nothing but probes. */
  readonly mailPaused: boolean;
  /** Since when the first mail is due, or will be; null: none is queued. */
  readonly firstDueAt: number | null;
  readonly freeBytes: readonly number[];
  readonly now: number;
}

/** What goes wrong that every operator is to see, by the numbers of the alerts (deploy/prometheus/alerts.yaml). */
export const troublesOf = ({ mailPaused, firstDueAt, freeBytes, now }: Measured): Troubles => ({
  mail: mailPaused || (firstDueAt !== null && now - firstDueAt > overdueMsMax),
  disk: freeBytes.some((bytes) => bytes < freeBytesMin),
});
