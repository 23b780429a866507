// How long the store keeps what is not asked for any more.
import { idempotencyMs } from "../store.ts";
import { dayMs } from "./days.ts";

/** Mails that were sent, failed or are in doubt. Counted from when they were stored. */
export const mailMs = 90 * dayMs;

/** Deliveries to webhooks, after they were delivered or given up. */
const deliveryMs = 90 * dayMs;

/** Spent challenges, after they have expired: clocks of processes may differ. */
export const challengeMs = 60 * 60 * 1000;

/** Rows of each table that one commit forgets, so that no commit holds up the submissions behind it. */
export const forgottenAtOnce = 250;

/** What has had its time at `now`: rows that are this old or older. */
export const expiredBefore = (now: number) => ({
  keys: now - idempotencyMs,
  challenges: now - challengeMs,
  mails: now - mailMs,
  deliveries: now - deliveryMs,
});
