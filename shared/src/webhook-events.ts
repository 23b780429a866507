// What webhooks deliver, as schemas: the service's document describes its events by them, and receivers check with them
// what they got. New fields may come with any release, so the schemas let them pass.
import * as z from "zod";
import { positionField } from "./application-fields.ts";
import { type DeliveredEvent, subscriberStatuses, triageStatuses } from "./console.ts";
import type { Field } from "./field-table.ts";
import { stages } from "./stages.ts";
import { kinds, submissionKinds, type SubmissionKind } from "./kinds.ts";

const instant = z.iso.datetime().meta({ description: "ISO 8601, UTC." });
const textOrNull = z.string().nullable();

const resume = z.looseObject({
  filename: z.string(),
  kind: z.enum(["pdf", "doc", "docx"]),
  size: z.int().meta({ description: "In bytes." }),
  sha256: z.string(),
});

/** What is told of every submission, beside the fields of its kind. */
const ofSubmissions = {
  status: z.enum(triageStatuses),
  receivedAt: instant,
  more: z.record(z.string(), z.string()).nullable().meta({ description: "The further fields of the form." }),
  tags: z.array(z.string()),
  assignee: textOrNull.meta({ description: "The address of the operator who has it." }),
  firstReplyAt: instant.nullable().meta({ description: "When it was first replied to." }),
  language: z.string(),
  consoleUrl: z.url(),
};

/** What is told of kinds with stages. */
const ofStages = {
  stage: z.enum(stages),
  declineReason: textOrNull,
  decidedAt: instant.nullable().meta({ description: "When it came to one of the last three stages." }),
};

/** What is told of kinds that may apply for an opening. */
const ofOpenings = {
  opening: textOrNull.meta({ description: "The id of the opening whose title is the position; null: of none." }),
};

/** The name of a kind's reference and its fields. A field that was not sent is null. */
type OwnFields<Kind extends SubmissionKind> = {
  readonly [Name in (typeof kinds)[Kind]["idName"]]: string;
} & {
  readonly [Name in Exclude<keyof (typeof kinds)[Kind]["fields"], (typeof kinds)[Kind]["file"]>]: StoredAs<
    (typeof kinds)[Kind]["fields"][Name]
  >;
} & ((typeof kinds)[Kind]["staged"] extends true ? z.output<z.ZodObject<typeof ofStages>> : unknown) &
  (typeof positionField extends keyof (typeof kinds)[Kind]["fields"]
    ? z.output<z.ZodObject<typeof ofOpenings>>
    : unknown) &
  ((typeof kinds)[Kind]["file"] extends null ? unknown : { readonly resume: z.output<typeof resume> | null });

type StoredAs<One> = One extends { readonly kind: "packages" }
  ? readonly string[]
  : One extends { readonly rule: { readonly required: true } }
    ? string
    : string | null;

/** A submission as webhooks have it. */
export type DeliveredSubmission<Kind extends SubmissionKind = SubmissionKind> = Kind extends SubmissionKind
  ? OwnFields<Kind> & z.output<z.ZodObject<typeof ofSubmissions>>
  : never;

function submissionOf<Kind extends SubmissionKind>(name: Kind): z.ZodType<DeliveredSubmission<Kind>> {
  const { idName, fields, file, staged } = kinds[name];
  const own = Object.entries<Field>(fields)
    .filter(([field]) => field !== file)
    .map(([field, { kind, rule }]) => {
      const text = rule?.required ? z.string() : textOrNull;
      return [field, kind === "packages" ? z.array(z.string()) : text] as const;
    });
  return z.looseObject({
    [idName]: z.string(),
    ...Object.fromEntries(own),
    ...(file !== null && { resume: resume.nullable() }),
    ...(staged && ofStages),
    ...(positionField in fields && ofOpenings),
    ...ofSubmissions,
  }) as unknown as z.ZodType<DeliveredSubmission<Kind>>;
}

const subscriber = z.looseObject({
  email: z.string(),
  status: z.enum(subscriberStatuses),
  source: z.string(),
  lastSource: z.string(),
  subscribedAt: instant,
  confirmedAt: instant.nullable(),
  unsubscribedAt: instant.nullable(),
  language: z.string(),
});

const changed = z.looseObject({
  changed: z
    .array(z.string())
    .meta({ description: "The names of what changed: `status`, `stage`, `assignee`, `tags`." }),
});

const answered = z.looseObject({
  answer: z.looseObject({
    id: z.int(),
    receivedAt: instant,
    sender: z.enum(["person", "unverified"]).meta({
      description: "`person`: the one of the submission, and the mail is authentic.",
    }),
    senderAddress: z.string(),
    senderName: z.string(),
    subject: z.string(),
    text: z.string().meta({ description: "Without what is quoted." }),
  }),
});

const erased = z.looseObject({
  references: z.array(z.string()).meta({ description: "Of the person's submissions." }),
  hash: z.string().meta({
    description:
      "HMAC-SHA256 (hexadecimal) of the address in lower case. Its key is what follows `whsec_`, from Base64.",
  }),
});

/** The data of each event. */
export interface WebhookData extends OfKinds {
  readonly "submission.changed": DeliveredSubmission & z.output<typeof changed>;
  readonly "answer.received": DeliveredSubmission & z.output<typeof answered>;
  readonly "subscriber.confirmed": z.output<typeof subscriber>;
  readonly "subscriber.unsubscribed": z.output<typeof subscriber>;
  readonly "person.erased": z.output<typeof erased>;
  readonly "webhook.test": object;
}

type OfKinds = { readonly [Kind in SubmissionKind as `${Kind}.received`]: DeliveredSubmission<Kind> };

/** What a webhook gets: an event, when it happened, and its data as they are when it is sent. */
export type WebhookPayload = {
  readonly [Event in DeliveredEvent]: {
    readonly type: Event;
    /** ISO 8601, UTC. */
    readonly timestamp: string;
    readonly data: WebhookData[Event];
  };
}[DeliveredEvent];

const submissions = submissionKinds.map((name) => [name, submissionOf(name)] as const);

const data: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(submissions.map(([name, schema]) => [`${name}.received`, schema])),
  "submission.changed": z.intersection(z.union(submissions.map(([, schema]) => schema)), changed),
  "answer.received": z.intersection(z.union(submissions.map(([, schema]) => schema)), answered),
  "subscriber.confirmed": subscriber,
  "subscriber.unsubscribed": subscriber,
  "person.erased": erased,
  "webhook.test": z.looseObject({}),
} satisfies Readonly<Record<Exclude<DeliveredEvent, `${SubmissionKind}.received`>, z.ZodType>>;

/** The schema of the body of each event. */
export const webhookSchemas = Object.fromEntries(
  Object.entries(data).map(([type, of]) => [
    type,
    z.looseObject({ type: z.literal(type), timestamp: instant, data: of }),
  ]),
) as unknown as Readonly<Record<DeliveredEvent, z.ZodType<WebhookPayload>>>;
