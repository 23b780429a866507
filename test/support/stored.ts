// What a store holds of submissions.
import type { StoredSubmission, StoredSubscriber } from "../../server/src/storage/records.ts";
import type { Store } from "../../server/src/storage/store.ts";

export interface Stored {
  readonly inquiries: StoredSubmission<"inquiry">[];
  readonly applications: StoredSubmission<"application">[];
  readonly subscribers: StoredSubscriber[];
}

export const readStored = async (store: Store): Promise<Stored> => ({
  inquiries: (await Array.fromAsync(store.readAll("inquiry", {}))).flat(),
  applications: (await Array.fromAsync(store.readAll("application", {}))).flat(),
  subscribers: (await Array.fromAsync(store.readAll("subscriber", {}))).flat(),
});
