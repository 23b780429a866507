// The part of the store that is the same on both engines.
import type { Clock } from "../../clock.ts";
import type { Settled } from "../rules/outbox-row.ts";
import type { References } from "../rules/references.ts";
import { deliveryTable } from "../rules/webhooks.ts";
import { StorageUnavailable, type Store } from "../store.ts";
import { makeAccess } from "./access.ts";
import { makeEarlier } from "./accepting.ts";
import { makeAnswers } from "./answers.ts";
import { makeAuditLog } from "./audit.ts";
import { makeBelongings } from "./belongings.ts";
import { makeChanges, prepareChanging } from "./changes.ts";
import { makeDeclines } from "./declines.ts";
import type { Engine } from "./engine.ts";
import { type ErasingOptions, makeErasing } from "./erasing.ts";
import { makeHeld } from "./held.ts";
import { makeHousekeeping } from "./housekeeping.ts";
import { type Inbox, makeInboxLists } from "./inbox-list.ts";
import { makeAddresses } from "./addresses.ts";
import { makeKeptFiles, makeResumes } from "./resumes.ts";
import { makeMailList } from "./mail-list.ts";
import { makeMailboxes } from "./mailboxes.ts";
import { makeMails } from "./mails.ts";
import { makeOutbox } from "./outbox.ts";
import { makeOverview } from "./overview.ts";
import { makeReadAll } from "./read-all.ts";
import { makeReplies } from "./replies.ts";
import { makeReplyFiles } from "./reply-files.ts";
import { makeSavedAnswers } from "./saved-answers.ts";
import { makeIndexing, type SearchIndex } from "./search-index.ts";
import { makeSendingAgain } from "./sending-again.ts";
import { makeSubscribers } from "./subscribers.ts";
import { makeTags } from "./tags.ts";
import { makeUnmatched } from "./unmatched.ts";
import { makeWebhooks } from "./webhooks.ts";

/** The row of the table `store`. */
export interface StoreRow {
  readonly identity: string;
  readonly referenceKey: string;
  readonly cookieKey: string;
  readonly receiptIdsSince: number;
}

export const storeRow = `SELECT identity, reference_key AS "referenceKey", cookie_key AS "cookieKey",
  receipt_ids_since AS "receiptIdsSince" FROM store`;

interface SharedOptions {
  readonly row: StoreRow;
  readonly references: References;
  readonly engine: Engine;
  /** The same engine, whose reads outside of transactions hold up no submission. */
  readonly reading: Engine;
  readonly inbox: Inbox;
  readonly searchIndex: SearchIndex;
  readonly erasing: ErasingOptions;
  readonly clock: Clock;
  /** Proves that submissions can be stored now. */
  prove(): Promise<unknown>;
  /** See `outbox.ts`. */
  readonly settleBeside?: (rows: readonly Settled[]) => Promise<readonly number[]>;
}

export function makeSharedStore({ row, references, engine, reading, inbox, ...own }: SharedOptions) {
  const { noteNews, noteRefusal, ...addresses } = makeAddresses(engine);
  const changes = prepareChanging(engine, references);
  const { filing, ...answers } = makeAnswers(engine, changes, noteNews);

  return {
    identity: row.identity,
    messageKey: { secret: row.identity, sinceArrival: row.receiptIdsSince },
    desk: {
      ...makeInboxLists(reading, references, inbox, own.clock),
      ...makeBelongings(reading, references),
      ...makeAuditLog(reading),
      ...makeMailList(reading),
      ...makeOverview(reading),
      ...makeSubscribers(reading),
      ...makeChanges(engine, changes),
      ...makeSendingAgain(engine, changes),
      ...makeTags(reading, changes),
      ...makeErasing(engine, own.searchIndex, own.erasing),
      ...makeIndexing(engine, own.searchIndex),
    },
    replies: {
      ...makeReplies(engine, changes),
      ...makeReplyFiles(engine, changes),
      ...makeSavedAnswers(engine, changes),
    },
    declines: makeDeclines(engine, changes),
    inbound: { ...answers, ...makeUnmatched(engine, changes, filing), ...makeKeptFiles(reading) },
    mailboxes: makeMailboxes(engine),
    access: makeAccess(engine, row.cookieKey),
    webhooks: makeWebhooks(reading),
    deliveries: makeOutbox(engine, deliveryTable),
    ...makeEarlier(engine),
    ...makeReadAll(reading),
    ...addresses,
    ...makeMails(engine, noteRefusal, own.settleBeside),
    ...makeResumes(engine),
    ...makeHousekeeping(engine),
    ...makeHeld(engine),
    async checkReadiness() {
      try {
        await own.prove();
        return { ready: true };
      } catch (error) {
        if (error instanceof StorageUnavailable) return { ready: false, reason: error.message };
        throw error;
      }
    },
  } satisfies Partial<Store>;
}
