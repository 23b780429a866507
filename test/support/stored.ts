// What a store holds of submissions.
import type { StoredApplication, StoredInquiry, StoredSubscriber } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";

export interface Stored {
  readonly inquiries: StoredInquiry[];
  readonly applications: StoredApplication[];
  readonly subscribers: StoredSubscriber[];
}

export const readStored = async (store: Store): Promise<Stored> => ({
  inquiries: (await Array.fromAsync(store.readAll("inquiry", {}))).flat(),
  applications: (await Array.fromAsync(store.readAll("application", {}))).flat(),
  subscribers: (await Array.fromAsync(store.readAll("subscriber", {}))).flat(),
});
