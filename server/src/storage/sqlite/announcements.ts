// What webhooks are to be told, stored in the transaction of the event.
import type { WebhookEvent } from "@submissions/shared/console";
import { keptBack } from "../webhook-store.ts";
import type { SqliteConnection } from "./connection.ts";

export type Announcements = ReturnType<typeof prepareAnnouncements>;

export function prepareAnnouncements(connection: SqliteConnection) {
  interface Hearer {
    readonly id: number;
    readonly events: string;
  }
  const live = connection.prepare<[], Hearer>("SELECT id, events FROM webhook WHERE removed_at IS NULL");
  const insert = connection.prepare<[number, WebhookEvent, number | null, string | null, number]>(`
    INSERT INTO webhook_delivery (webhook, event, submission, subscriber, created_at, due_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?5)`);
  const isTold = connection.prepare<[number, number], object>(
    `SELECT 1 FROM webhook_delivery WHERE submission = ? AND webhook = ? AND last_answer IS NOT '${keptBack}'`,
  );
  let hearers: readonly Hearer[] | null = null;

  function tell(event: WebhookEvent, submission: number | null, subscriber: string | null, at: number): void {
    // Read once in a transaction, however many submissions share it. Other processes may have changed it before.
    hearers ??= live.all();
    for (const { id, events } of hearers) {
      if (!events.includes(event)) continue;
      if (submission !== null && isTold.get(submission, id) !== undefined) continue;
      insert.run(id, event, submission, subscriber, at);
    }
  }

  return {
    /** To be called at the beginning of a transaction. */
    begin(): void {
      hearers = null;
    },
    /** Once for each submission: one that was taken for spam in between is not told again when it is released, unless it was kept back. */
    ofSubmission: (event: WebhookEvent, arrival: number, at: number) => tell(event, arrival, null, at),
    ofSubscriber(event: WebhookEvent | null, key: string, at: number): void {
      if (event !== null) tell(event, null, key, at);
    },
  };
}
