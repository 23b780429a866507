// The part of the storage port that knows outgoing webhooks. A delivery is stored in the transaction of its event, one for
// each webhook that hears of it. Its text is written when it is sent, so that erasing a person erases it.
import type { Answer, DeliveryRow, Page, PageRequest, WebhookEvent, WebhookRow } from "@submissions/shared/console";
import type { Actor } from "./desk-store.ts";
import type { StoredSubmission, StoredSubscriber } from "./records.ts";

/** More receivers belong behind one of their own. Each costs a row for each event. */
export const webhooksMax = 20;

/** How long deliveries are signed with the old secret, too, after a new one was drawn. */
export const secretOverlapMs = 24 * 60 * 60 * 1000;

/** Before the Base64 of the key that signs deliveries (Standard Webhooks 1.0.0). */
export const secretPrefix = "whsec_";

/** The last answer of a delivery that was not sent, because its submission had become spam. */
export const keptBack = "kept back: spam";

export interface LeasedDelivery extends Pick<DeliveryRow, "id" | "webhook" | "event" | "createdAt" | "attempts"> {
  readonly url: string;
  /** In force, the newest first. */
  readonly secrets: readonly string[];
  /** As it is when the delivery is sent. `changed`: what an operator changed of it. `told`: the whole content. */
  readonly about:
    | {
        readonly submission: StoredSubmission;
        readonly changed: readonly string[] | null;
        /** What the person, or another, wrote back. */
        readonly answer?: Omit<Answer, "files">;
      }
    | { readonly subscriber: StoredSubscriber }
    | { readonly told: object };
}

/** How a try ended. `later` without `answer`: it was not tried, because the process stops. */
export type DeliverySettlement = { readonly id: string; readonly at: number } & (
  | { readonly result: "delivered" | "failed"; readonly answer: string }
  | { readonly result: "later"; readonly dueAt: number; readonly answer: string | null }
);

export type WebhookChange =
  /** Its deliveries are forgotten within the hour; none is sent any more. */
  | { readonly removed: true }
  /** Replaces the secret. The one before it stays in force for {@link secretOverlapMs}; one before that ends at once. */
  | { readonly secret: string }
  /** Stores a delivery that is a test, due now. */
  | { readonly tested: true };

/** Changes are stored with their entries in the audit log. Those name the host of an address: its path may be secret. */
export interface WebhookStore {
  /** Answers its number. `secret`: `whsec_…`. `too-many`: there are {@link webhooksMax} already. */
  add(
    webhook: { readonly url: string; readonly events: readonly WebhookEvent[]; readonly secret: string },
    actor: Actor,
  ): Promise<number | "too-many">;

  list(): Promise<readonly WebhookRow[]>;

  /** False when there is no such webhook. */
  change(id: number, change: WebhookChange, actor: Actor): Promise<boolean>;

  /** Deliveries of all webhooks, or of one, newest first; `after` and `next` are numbers of their rows. */
  listDeliveries(webhook: number | null, page: PageRequest): Promise<Page<DeliveryRow>>;

  /**
   * Makes a delivery due now under its old id, whatever became of it, or all failed ones of a webhook; their tries are
   * counted anew. Answers how many; null when there is no such delivery or webhook.
   */
  replay(which: { readonly delivery: string } | { readonly failedOf: number }, actor: Actor): Promise<number | null>;
}
