// What webhooks are to be told of a subscriber, stored within the transaction of the change.
import type { SubscriberStatus } from "../records.ts";
import { lookUps } from "../rules/facts.ts";
import { deliveriesOf, subscriberEvent } from "../rules/webhooks.ts";
import type { Engine, Steps } from "./engine.ts";

export function prepareAnnouncements({ prepare, insert }: Engine) {
  const findHearers = prepare<{ id: number }>(lookUps.hearers.text);
  return function* (
    before: SubscriberStatus | undefined,
    after: SubscriberStatus,
    key: string,
    at: number,
  ): Steps<void> {
    const event = subscriberEvent(before, after);
    if (event === null) return;
    const hearers = (yield* findHearers(event)).map(({ id }) => id);
    if (hearers.length > 0)
      yield* insert({ webhook_delivery: deliveriesOf(hearers, event, { submission: null, subscriber: key }, at) });
  };
}
