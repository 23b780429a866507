// What the contract suite needs of an engine beyond the port: a fresh store for each test, and shortcuts to states that
// the port reaches only slowly or not yet.
import type { SubscriberStatus } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  /** A folder of the test's own. */
  readonly folder: string;
  /** A second store over the same data, as another process would open it. Closed with the first. */
  openAgain(): Promise<Store>;
  /** Takes all references of a day but the given ones, in bulk. */
  fillDay(kind: "INQ" | "APP", day: string, free: readonly number[]): Promise<void>;
  /** Makes a column of a mail unreadable, as a bad disk or a bad version would. */
  spoilMail(id: string, column: "recipients" | "headers"): Promise<void>;
  /** What links and the provider's webhook will do to a subscriber. */
  setSubscriber(email: string, status: SubscriberStatus, at: number): Promise<void>;
}

export type OpenStoreUnderTest = () => Promise<StoreUnderTest>;
