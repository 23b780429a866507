// What webhooks are to be told of a subscriber, stored within the transaction of the change.
import type { SubscriberStatus } from "../records.ts";
import { subscriberEvent } from "../rules/webhooks.ts";
import type { Engine, Steps } from "./engine.ts";

// No name of an event is a part of another.
export const announceText = `
  INSERT INTO webhook_delivery (webhook, event, subscriber, created_at, due_at)
  SELECT id, CAST($1 AS TEXT), $2, $3, $3 FROM webhook
  WHERE removed_at IS NULL AND events LIKE '%' || CAST($1 AS TEXT) || '%'`;

export function prepareAnnouncements({ prepare }: Engine) {
  const insert = prepare(announceText);
  return function* (
    before: SubscriberStatus | undefined,
    after: SubscriberStatus,
    key: string,
    at: number,
  ): Steps<void> {
    const event = subscriberEvent(before, after);
    if (event !== null) yield* insert(event, key, at);
  };
}
