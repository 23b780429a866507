// Made-up subscribers.
import { emailKey } from "@submissions/shared/fields";
import type { Row } from "../storage/move.ts";
import { domains, firstNames, sources } from "./people.ts";
import type { Random } from "./random.ts";

const hourMs = 60 * 60 * 1000;

export function* makeSubscribers(count: number, from: number, until: number, random: Random): Generator<Row> {
  for (let index = 0; index < count; index += 1) {
    const at = Math.floor(from + ((until - from) * index) / count);
    const drawn = random.next();
    const status = drawn < 0.78 ? "active" : drawn < 0.88 ? "pending" : drawn < 0.97 ? "unsubscribed" : "bounced";
    const email = `reader${index}.${random.of(firstNames).replaceAll(/[^A-Za-z]/g, "x")}@${random.of(domains)}`;
    const source = random.of(sources);
    yield {
      email_key: emailKey(email),
      email,
      status,
      source,
      last_source: source,
      subscribed_at: at,
      welcomed_at: at,
      confirmed_at: status === "pending" ? null : Math.min(at + random.below(5) * hourMs, until),
      unsubscribed_at: status === "unsubscribed" ? Math.min(at + random.below(600) * hourMs, until) : null,
      door: "rest",
      request_id: `seed-subscriber-${index}`,
    };
  }
}
