// Deliveries to webhooks as rows, and which events a change of a subscriber is.
import { createHmac } from "node:crypto";
import type { Answer, DeliveredEvent, WebhookEvent } from "@submissions/shared/console";
import type { SubmissionKind, SubscriberStatus } from "../records.ts";
import { type DeliverySettlement, type LeasedDelivery, secretPrefix } from "../webhook-store.ts";
import { isFields, jsonIn } from "../../read-unknown.ts";
import { columnsOf } from "./columns.ts";
import { endedAs, mailId, type MailRow, type OutboxTable, parseMailId, settledValues } from "./outbox-row.ts";
import { readSubmissionAnyway, submissionColumns, type SubmissionRow } from "./submission-row.ts";
import { storedSubscriber, type SubscriberRow } from "./subscription.ts";
import type { TableRow } from "./tables.ts";

export const receivedEvent = (kind: SubmissionKind): WebhookEvent => `${kind}.received`;

/** Null: the address may get the newsletter as before. Webhooks hear nothing of one that did not confirm. */
export function subscriberEvent(before: SubscriberStatus | undefined, after: SubscriberStatus): WebhookEvent | null {
  if ((before === "active") === (after === "active")) return null;
  return after === "active" ? "subscriber.confirmed" : "subscriber.unsubscribed";
}

/** What an event is about: one of the first two, or neither where the detail says all. */
export interface EventSubject {
  readonly submission: number | null;
  readonly subscriber: string | null;
  /** JSON without personal data. */
  readonly detail?: string;
}

/** What other systems know an erased person by: they hash the addresses that they have in the same way. */
export const erasedHash = (emailKey: string, secret: string): string =>
  createHmac("sha256", Buffer.from(secret.slice(secretPrefix.length), "base64"))
    .update(emailKey)
    .digest("hex");

/** One delivery for each webhook, due at once. */
export const deliveriesOf = (
  webhooks: readonly number[],
  event: DeliveredEvent,
  { submission, subscriber, detail = null }: Omit<EventSubject, "detail"> & { readonly detail?: string | null },
  at: number,
): TableRow<"webhook_delivery">[] =>
  webhooks.map((webhook) => ({ webhook, event, submission, subscriber, detail, created_at: at, due_at: at }));

/** The `webhook-id`: the number of the row and when it was stored, as mails have it. */
const prefix = "msg_";
export const deliveryId = ({ row, createdAt }: MailRow): string => prefix + mailId(row, createdAt);

/** Null when the text is no id of ours. */
export const parseDeliveryId = (id: string): MailRow | null =>
  id.startsWith(prefix) ? parseMailId(id.slice(prefix.length)) : null;

const ofSubscriber = ["source", "lastSource", "subscribedAt", "confirmedAt", "unsubscribedAt", "language", "consent"];

/** To be read from {@link deliveryJoins}. */
const claimedColumns = [
  "webhook_delivery.id AS row",
  columnsOf("webhook_delivery", ["webhook", "event", "attempts", "detail", "createdAt"]),
  columnsOf("webhook", ["url", "secret", "oldSecret", "oldSecretUntil"]),
  `subscriber.arrival AS subscriber, subscriber.email AS "subscriberEmail", subscriber.status AS "subscriberStatus"`,
  columnsOf("subscriber", ofSubscriber),
  columnsOf("answer", ["sender", "senderAddress", "senderName", "subject", "text", "reply"]),
  `answer.id AS answer, answer.at AS "answeredAt"`,
  submissionColumns,
].join(", ");

const deliveryJoins = `JOIN webhook ON webhook.id = webhook_delivery.webhook
  LEFT JOIN submission ON submission.arrival = webhook_delivery.submission
  LEFT JOIN subscriber ON subscriber.email_key = webhook_delivery.subscriber
  LEFT JOIN answer ON answer.id = webhook_delivery.answer`;

interface ClaimedDelivery
  extends
    SubmissionRow,
    Omit<SubscriberRow, "arrival" | "email" | "status">,
    Omit<LeasedDelivery, "id" | "secrets" | "about">,
    Pick<Answer, "sender" | "senderAddress" | "senderName" | "subject" | "text" | "reply"> {
  readonly row: number;
  readonly secret: string;
  readonly oldSecret: string | null;
  readonly oldSecretUntil: number | null;
  readonly detail: string | null;
  /** The arrival number of the subscriber; null when it is about something else. */
  readonly subscriber: number | null;
  readonly subscriberEmail: string;
  readonly subscriberStatus: SubscriberStatus;
  /** Null: it is about no answer. */
  readonly answer: number | null;
  readonly answeredAt: number;
}

export const deliveryTable: OutboxTable<ClaimedDelivery, LeasedDelivery, DeliverySettlement> = {
  name: "webhook_delivery",
  idOf: deliveryId,
  parseId: parseDeliveryId,
  lanes: "SELECT id AS lane FROM webhook WHERE removed_at IS NULL",
  lane: "webhook",
  columns: claimedColumns,
  joins: deliveryJoins,
  delayMsMax: 24 * 60 * 60_000,
  claims: "",
  settles: () => "",
  settled: settledValues,
  leased: leasedDelivery,
  ended: (settlement) => endedAs(settlement, settlement.answer, settlement.answer === null ? 0 : 1),
};

function leasedDelivery(id: string, row: ClaimedDelivery, now: number): LeasedDelivery {
  const { webhook, event, attempts, createdAt, url, secret, oldSecret, oldSecretUntil } = row;
  const hasOverlap = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  const secrets = hasOverlap ? [secret, oldSecret] : [secret];
  return { id, webhook, url, secrets, event, createdAt, attempts, about: subjectOf(row) };
}

function subjectOf(row: ClaimedDelivery): LeasedDelivery["about"] {
  if (row.subscriber === null) {
    // A row that a bad disk or another version has written must not keep all others from being claimed.
    const detail = jsonIn(row.detail ?? "null");
    // The join has found no submission.
    if ((row.arrival as number | null) === null) return { told: isFields(detail) ? detail : {} };
    const submission = readSubmissionAnyway(row);
    if (row.answer === null) return { submission, changed: Array.isArray(detail) ? detail.map(String) : null };
    const { answer: id, answeredAt: at, sender, senderAddress, senderName, subject, text, reply } = row;
    return { submission, changed: null, answer: { id, at, sender, senderAddress, senderName, subject, text, reply } };
  }
  const { subscriber: arrival, subscriberEmail: email, subscriberStatus: status } = row;
  return { subscriber: storedSubscriber({ ...row, arrival, email, status }) };
}
