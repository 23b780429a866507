// What the contract suite needs of an engine beyond the port: a fresh store for each test, and shortcuts to states that
// the port reaches only slowly or not yet.
import { test } from "vitest";
import type { MailKind, SubmissionKind, SubscriberStatus } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** A folder of the test's own. */
  readonly folder: string;
  /** A second store over the same data, as another process would open it. Closed with the first. */
  openAgain(): Promise<Store>;
  /** Makes the counter of a day (yyyymmdd) say that so many references are taken. */
  setTaken(kind: SubmissionKind, day: number, taken: number): Promise<void>;
  /** Deletes a submission with everything that refers to it, as erasing a person does. */
  deleteSubmission(reference: string): Promise<void>;
  /** Deletes a subscriber in the same way. */
  deleteSubscriber(email: string): Promise<void>;
  /** Replaces the fields of a submission, as a bad disk or another version would. */
  spoilFields(reference: string, fields: string): Promise<void>;
  /** Replaces the tokens of all mails that have some. */
  spoilTokens(tokens: string): Promise<void>;
  /** Makes storing mails of a kind fail until it is disposed of. */
  failMailsOf(kind: MailKind): Promise<AsyncDisposable>;
  /** Runs a statement past the port and answers its rows. */
  query(text: string): Promise<readonly unknown[]>;
  /** What links and the provider's webhook will do to a subscriber. */
  setSubscriber(email: string, status: SubscriberStatus, at: number): Promise<void>;
}

export type OpenStoreUnderTest = () => Promise<StoreUnderTest>;

export type StoreTest = ReturnType<typeof storeTest>;

/** A `test` that has an engine under test, opened when it is asked for, and its store. */
export const storeTest = (open: OpenStoreUnderTest) =>
  test
    .extend("tested", async ({ onTestFinished }) => {
      const tested = await open();
      onTestFinished(() => tested[Symbol.asyncDispose]());
      return tested;
    })
    .extend("store", ({ tested }) => tested.store);
