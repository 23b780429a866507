// Webhooks and deliveries as rows, and which events a change of a subscriber is. Engines read, ask here and write within
// one transaction.
import type { DeliveryRow, Page, WebhookEvent, WebhookRow } from "@submissions/shared/console";
import type { AuditEntry, KnownFact } from "../desk-store.ts";
import type { SubmissionKind, SubscriberStatus } from "../records.ts";
import type { DeliverySettlement, LeasedDelivery } from "../webhook-store.ts";
import { pageOf } from "./inbox-filter.ts";
import { mailId, type MailRow, parseMailId } from "./mail-id.ts";
import { storable } from "./mails.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "./submission-row.ts";
import { storedSubscriber, type SubscriberRow } from "./subscriber-row.ts";

export const receivedEvent = (kind: SubmissionKind): WebhookEvent => `${kind}.received`;

/**
 * What webhooks are told when the status of a subscriber changes: from when on the address may get the newsletter, and
 * from when on not any more, for whatever reason. No webhook is told of an address that never confirmed.
 */
export function subscriberEvent(before: SubscriberStatus | undefined, after: SubscriberStatus): WebhookEvent | null {
  if ((before === "active") === (after === "active")) return null;
  return after === "active" ? "subscriber.confirmed" : "subscriber.unsubscribed";
}

export interface WebhookColumns extends Omit<WebhookRow, "events"> {
  /** Names with a space between them. No name is a part of another. */
  readonly events: string;
}

/** Quoted names keep their case on both engines. */
export const webhookColumns = `id, url, events, created_at AS "createdAt", old_secret_until AS "oldSecretUntil"`;

export const webhookRow = (row: WebhookColumns): WebhookRow => ({
  ...row,
  events: row.events.split(" ") as WebhookEvent[],
});

/** An entry of the audit log. The path of an address may be secret. */
export const webhookEntry = (
  action: "add" | "remove" | "rotate" | "replay",
  { id, url }: Pick<WebhookColumns, "id" | "url">,
  more: Readonly<Record<string, unknown>> = {},
): AuditEntry => ({
  action: `webhook.${action}`,
  subject: `webhook ${id}`,
  detail: { host: URL.parse(url)?.host ?? null, ...more },
});

/** The `webhook-id`: the number of the row and when it was stored, as mails have it. */
const prefix = "msg_";
const deliveryId = (row: number, createdAt: number): string => prefix + mailId(row, createdAt);

/** Null when the text is no id of ours. */
export const parseDeliveryId = (id: string): MailRow | null =>
  id.startsWith(prefix) ? parseMailId(id.slice(prefix.length)) : null;

/** To be read from `webhook_delivery AS delivery` and `submission`. */
export const deliveryColumns = `delivery.id AS number, delivery.webhook, delivery.event, submission.reference,
  delivery.status, delivery.attempts, delivery.created_at AS "createdAt", delivery.due_at AS "dueAt",
  delivery.ended_at AS "endedAt", delivery.last_answer AS "lastAnswer"`;

export type ListedDelivery = Omit<DeliveryRow, "id">;

const deliveryRow = (row: ListedDelivery): DeliveryRow => ({
  ...row,
  id: deliveryId(row.number, row.createdAt),
});

/** @param rows one more than the page holds, if there are more */
export const deliveryPage = (rows: readonly ListedDelivery[], limit: number): Page<DeliveryRow> =>
  pageOf(rows.map(deliveryRow), limit, ({ number }) => number);

/** To be read from `webhook_delivery AS delivery`, `webhook`, `submission` and `subscriber`. */
export const claimedColumns = `delivery.id AS delivery, delivery.webhook, delivery.event, delivery.attempts,
  delivery.created_at AS "createdAt", webhook.url, webhook.secret, webhook.old_secret AS "oldSecret",
  webhook.old_secret_until AS "oldSecretUntil", subscriber.arrival AS "subscriber",
  subscriber.email AS "subscriberEmail", subscriber.status AS "subscriberStatus", subscriber.source,
  subscriber.last_source AS "lastSource", subscriber.language, subscriber.consent,
  subscriber.subscribed_at AS "subscribedAt",
  subscriber.confirmed_at AS "confirmedAt", subscriber.unsubscribed_at AS "unsubscribedAt",
  ${submissionColumns.map((column) => `submission.${column}`).join(", ")}`;

type ClaimedDeliveryColumns = SubmissionRow &
  Omit<SubscriberRow, "arrival" | "email" | "status"> &
  Omit<LeasedDelivery, "id" | "secrets" | "about">;

export interface ClaimedDelivery extends ClaimedDeliveryColumns {
  readonly delivery: number;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number | null;
  /** The arrival number of the subscriber; null when it is about a submission. */
  readonly subscriber: number | null;
  readonly subscriberEmail: string;
  readonly subscriberStatus: SubscriberStatus;
}

export function leasedDelivery(row: ClaimedDelivery, now: number): LeasedDelivery {
  const { delivery, webhook, event, attempts, createdAt, url, secret, oldSecret, oldSecretUntil } = row;
  const hasOverlap = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  const secrets = hasOverlap ? [secret, oldSecret] : [secret];
  return {
    id: deliveryId(delivery, createdAt),
    webhook,
    url,
    secrets,
    event,
    createdAt,
    attempts,
    about: subjectOf(row),
  };
}

function subjectOf(row: ClaimedDelivery): LeasedDelivery["about"] {
  if (row.subscriber === null) return { submission: readSubmissionAnyway(row) };
  const { subscriber: arrival, subscriberEmail: email, subscriberStatus: status } = row;
  return { subscriber: storedSubscriber({ ...row, arrival, email, status }) };
}

/** What is known of a person: to be read from `webhook_delivery AS delivery` and `webhook`. */
export const factColumns = `delivery.event, webhook.url, delivery.status, delivery.created_at AS "createdAt"`;

export type DeliveryFact = Pick<DeliveryRow, "event" | "status" | "createdAt"> & { readonly url: string };

export const deliveryFact = ({ event, url, status, createdAt }: DeliveryFact): KnownFact => ({
  kind: "delivery",
  event,
  host: URL.parse(url)?.host ?? "",
  status,
  createdAt,
});

/** The columns that a settlement changes. */
export function settledColumns(settlement: DeliverySettlement) {
  const answer = settlement.answer === null ? null : storable(settlement.answer);
  if (settlement.result !== "later") {
    return { status: settlement.result, tries: 1, dueAt: null, endedAt: settlement.at, answer };
  }
  return { status: "queued" as const, tries: answer === null ? 0 : 1, dueAt: settlement.dueAt, endedAt: null, answer };
}

/** Deliveries that one transaction replays. */
export const replayedAtOnce = 250;
