// The schemas of the document of tokens: rows of the lists, answers of calls, and refusals of typed RPC.
import type { InboxRow, SubscriberRow } from "@submissions/shared/console";
import { subscriberStatuses, triageStatuses, waitedFors } from "@submissions/shared/console";
import { submissionKinds } from "@submissions/shared/kinds";
import { stages } from "@submissions/shared/stages";
import { refer, refusalSchemas, type Schema } from "../http/openapi/components.ts";

export const text: Schema = { type: "string" };
const textOrNull: Schema = { type: ["string", "null"] };
const whole: Schema = { type: "integer" };
const wholeOrNull: Schema = { type: ["integer", "null"] };
const flag: Schema = { type: "boolean" };

const inboxRow = {
  arrival: whole,
  reference: text,
  kind: { enum: submissionKinds },
  name: text,
  email: text,
  company: textOrNull,
  summary: text,
  beginning: text,
  match: text,
  status: { enum: triageStatuses },
  stage: { enum: [...stages, null] },
  facts: { type: "object", additionalProperties: text },
  assignee: textOrNull,
  tags: { type: "array", items: text },
  version: whole,
  receivedAt: whole,
  waitedFor: { enum: [...waitedFors, null] },
  lastReplyAt: wholeOrNull,
  lastAnswerAt: wholeOrNull,
  snoozedUntil: wholeOrNull,
  hasResume: flag,
  disposable: flag,
} satisfies Record<keyof InboxRow, Schema>;

const subscriberRow = {
  arrival: whole,
  email: text,
  status: { enum: subscriberStatuses },
  source: text,
  lastSource: text,
  subscribedAt: whole,
  confirmedAt: wholeOrNull,
  unsubscribedAt: wholeOrNull,
  language: text,
  consent: { type: ["object", "null"] },
  disposable: flag,
} satisfies Record<keyof SubscriberRow, Schema>;

const objectOf = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const pageOf = (row: string): Schema =>
  objectOf({
    rows: { type: "array", items: refer("schemas", row) },
    next: { ...wholeOrNull, description: "What `after` of the next page is; null on the last one." },
  });

/** By the path of a call. The answers of other calls are for the console alone and change with it, so they have no schema. */
export const answers: Readonly<Record<string, Schema>> = {
  "inbox.list": pageOf("InboxRow"),
  "subscribers.list": pageOf("SubscriberRow"),
  "submission.get": refer("schemas", "InboxRow"),
};

const envelope = { message: text, code: whole, data: refer("schemas", "CallRefusalData") };
const { message: _, ...data } = refusalSchemas["Refusal"]!.properties!;

export const schemas: Readonly<Record<string, Schema>> = {
  ...refusalSchemas,
  InboxRow: objectOf(inboxRow, ["match"]),
  SubscriberRow: objectOf(subscriberRow),
  CallRefusal: objectOf({ error: objectOf(envelope) }),
  CallRefusalData: {
    type: "object",
    properties: { ...data, httpStatus: whole, path: text, retryAfterSeconds: whole },
    required: ["code", "requestId", "httpStatus"],
  },
};
