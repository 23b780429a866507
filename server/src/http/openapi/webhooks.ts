// The webhooks of the OpenAPI document: what this service sends to addresses that administrators add.
import { type DeliveredEvent, webhookEvents } from "@submissions/shared/console";
import { kinds, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { webhookSchemas } from "@submissions/shared/webhook-events";
import * as z from "zod";
import { refer, type Schema } from "./components.ts";

/** `inquiry.received` → `InquiryReceivedEvent`. */
const nameOf = (event: DeliveredEvent): string =>
  `${event.replaceAll(/(?:^|[.-])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;

const events: readonly DeliveredEvent[] = [...webhookEvents, "webhook.test"];

export const eventSchemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  events.map((event) => {
    const { $schema: _, ...schema } = z.toJSONSchema(webhookSchemas[event]);
    return [nameOf(event), schema as Schema];
  }),
);

/** When each event is sent. */
const descriptions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    submissionKinds.map((kind) => [`${kind}.received`, `${kinds[kind].words.en.label} stored, or released from spam.`]),
  ),
  "submission.changed": "An operator changed stage, status, assignee or tags of a submission that is no spam.",
  "answer.received": "A person or an unverified sender wrote back to a submission that is no spam.",
  "subscriber.confirmed": "A subscriber became active.",
  "subscriber.unsubscribed": "An active subscriber may get no newsletter any more.",
  "person.erased": "An operator erased a person.",
  "webhook.test": "An administrator sent a test.",
} satisfies Readonly<Record<Exclude<DeliveredEvent, `${SubmissionKind}.received`>, string>>;

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

const parameters = [
  header("webhook-id", "The same for all tries of a delivery."),
  header("webhook-timestamp", "When this try was made, in seconds."),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64; two while a secret is replaced.",
  ),
];

export const webhooks = Object.fromEntries(
  events.map((event) => [
    event,
    {
      post: {
        operationId: nameOf(event),
        summary: event,
        description: descriptions[event],
        tags: ["Webhooks"],
        parameters,
        requestBody: {
          required: true,
          content: { "application/json": { schema: refer("schemas", nameOf(event)) } },
        },
        responses: { "2XX": { description: "Taken. Anything else is tried again, for 72 hours." } },
      },
    },
  ]),
);
