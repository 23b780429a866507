// What the contract suite needs of an engine beyond the port: a fresh store, and shortcuts to rare states.
import { test } from "vitest";
import { emailKey } from "../../shared/src/fields.ts";
import type { MailKind, SubmissionKind, SubscriberStatus } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";

export interface StoreUnderTest extends AsyncDisposable, ReturnType<typeof shortcutsOf> {
  readonly store: Store;
  readonly folder: string;
  /** A second store over the same data, as another process would open it. Closed with the first. */
  openAgain(): Promise<Store>;
  /** Makes storing mails of a kind fail until it is disposed of. */
  failMailsOf(kind: MailKind): Promise<AsyncDisposable>;
  /** Leaves the search as a release has that indexed everything by other words. */
  forgetWords(): Promise<void>;
  empty(): Promise<void>;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const ofEmail = (email: string): string => `WHERE email_key = ${text(emailKey(email))}`;

/** @param query runs a statement past the port and answers its rows */
export function shortcutsOf(query: (statement: string) => Promise<readonly unknown[]>) {
  const change = async (statement: string): Promise<void> => void (await query(statement));
  return {
    query,
    /** Makes the counter of a day (yyyymmdd) say that so many references are taken. */
    setTaken: (kind: SubmissionKind, day: number, taken: number) =>
      change(`INSERT INTO day_counter (kind, day, taken) VALUES (${text(kind)}, ${day}, ${taken})
        ON CONFLICT (kind, day) DO UPDATE SET taken = excluded.taken`),
    /** Deletes a submission with everything that refers to it, as erasing a person does. */
    deleteSubmission: (reference: string) => change(`DELETE FROM submission WHERE reference = ${text(reference)}`),
    deleteSubscriber: (email: string) => change(`DELETE FROM subscriber ${ofEmail(email)}`),
    /** Replaces the fields of a submission, as a bad disk or another version would. */
    spoilFields: (reference: string, fields: string) =>
      change(`UPDATE submission SET fields = ${text(fields)} WHERE reference = ${text(reference)}`),
    /** Replaces what a column of JSON holds in all rows that have something there. */
    spoil: (table: string, column: string, by: string) =>
      change(`UPDATE ${table} SET ${column} = ${text(by)} WHERE ${column} IS NOT NULL`),
    setSubscriber: (email: string, status: SubscriberStatus, at: number) =>
      change(`UPDATE subscriber SET status = ${text(status)},
        unsubscribed_at = ${status === "unsubscribed" ? at : "NULL"} ${ofEmail(email)}`),
  };
}

/** A `test` that has an engine under test, opened when it is asked for, and its store. */
export const storeTest = <Tested extends StoreUnderTest>(open: () => Promise<Tested>) =>
  test
    .extend("tested", async ({ onTestFinished }) => {
      const tested = await open();
      onTestFinished(() => tested[Symbol.asyncDispose]());
      return tested;
    })
    .extend("store", ({ tested }) => tested.store);

/** The same, with what an earlier test has used if there is one: emptying it costs a tenth of opening another. */
export const reusingTest = <Tested extends StoreUnderTest>(open: () => Promise<Tested>) =>
  test
    // oxlint-disable-next-line no-empty-pattern -- vitest wants one
    .extend("unused", { scope: "worker" }, ({}, { onCleanup }) => {
      const unused: Tested[] = [];
      onCleanup(async () => {
        for (const one of unused) await one[Symbol.asyncDispose]();
      });
      return unused;
    })
    .extend("tested", async ({ unused, onTestFinished }) => {
      const tested = unused.pop() ?? (await open());
      const again = new AsyncDisposableStack();
      onTestFinished(async () => {
        await again.disposeAsync();
        await tested.empty();
        unused.push(tested);
      });
      const openAgain = async (): Promise<Store> => again.use(await tested.openAgain());
      return { ...tested, openAgain };
    })
    .extend("store", ({ tested }) => tested.store);
