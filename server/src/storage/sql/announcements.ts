// Deliveries to webhooks about a subscriber, the change of a submission or an erased person, stored within its transaction.
import type { DeliveredEvent } from "@submissions/shared/console";
import type { SubscriberStatus } from "../records.ts";
import { readFields, textsOf } from "../rules/columns.ts";
import { lookUps } from "../rules/facts.ts";
import { deliveriesOf, erasedHash, type EventSubject, subscriberEvent } from "../rules/webhooks.ts";
import type { Engine, Steps } from "./engine.ts";

export function prepareAnnouncements({ prepare, insert }: Engine) {
  const findWebhooks = prepare<{ id: number }>(lookUps.webhooks.text);

  function* announce(event: DeliveredEvent, subjects: readonly EventSubject[], at: number): Steps<void> {
    const webhooks = subjects.length === 0 ? [] : (yield* findWebhooks(event)).map(({ id }) => id);
    if (webhooks.length === 0) return;
    yield* insert({ webhook_delivery: subjects.flatMap((subject) => deliveriesOf(webhooks, event, subject, at)) });
  }

  return {
    *ofStatus(before: SubscriberStatus | undefined, after: SubscriberStatus, key: string, at: number): Steps<void> {
      const event = subscriberEvent(before, after);
      if (event !== null) yield* announce(event, [{ submission: null, subscriber: key }], at);
    },

    /** Of submissions that are and were no spam. `changed`: `status`, `stage`, `assignee`, `tags`. */
    ofChanges(changes: readonly { arrival: number; changed: readonly string[] }[], at: number): Steps<void> {
      const subjectOf = ({ arrival: submission, changed }: (typeof changes)[number]) => {
        return { submission, subscriber: null, detail: JSON.stringify(changed) };
      };
      return announce("submission.changed", changes.map(subjectOf), at);
    },
  };
}

/** A person is erased in batches, which take less time than this: what they erase is announced together. */
const gatherMs = 2_000;

/** Announces an erased person to other systems, to each by a hash that it alone can compute. */
export function prepareErasureNews({ prepare, insert, locking }: Engine) {
  const event = "person.erased";
  const findWebhooks = prepare<{ id: number; secret: string }>(`
    SELECT id, secret FROM webhook WHERE removed_at IS NULL AND events LIKE '%${event}%'`);
  const findWaiting = prepare<{ id: number; detail: string }>(`
    SELECT id, detail FROM webhook_delivery
    WHERE webhook = $1 AND event = '${event}' AND status = 'queued' AND attempts = 0 AND lease_owner IS NULL
    ORDER BY id DESC LIMIT 1 ${locking("FOR UPDATE")}`);
  const setDetail = prepare("UPDATE webhook_delivery SET detail = $2 WHERE id = $1");

  return function* (emailKey: string, references: readonly string[], at: number): Steps<void> {
    for (const { id, secret } of yield* findWebhooks()) {
      const hash = erasedHash(emailKey, secret);
      const [waiting] = yield* findWaiting(id);
      const earlier = readFields(waiting?.detail ?? "");
      if (waiting !== undefined && earlier["hash"] === hash) {
        const all = [...textsOf(earlier["references"]), ...references];
        yield* setDetail(waiting.id, JSON.stringify({ references: all, hash }));
      } else {
        const about = { submission: null, subscriber: null, detail: JSON.stringify({ references, hash }) };
        const deliveries = deliveriesOf([id], event, about, at);
        yield* insert({ webhook_delivery: deliveries.map((row) => ({ ...row, due_at: at + gatherMs })) });
      }
    }
  };
}
