// A newsletter subscription: what a reader sends and gets back.
import * as z from "zod";
import { required } from "./fields.ts";
import { bytesMax } from "./limits.ts";
import { normaliseSource, unknownSource } from "./source.ts";
import { subscriptionFields } from "./subscription-fields.ts";

/** Body of `newsletter.subscribe`. Unknown fields are ignored. */
export const subscribeInput = z
  .object(
    {
      email: required(subscriptionFields.email),
      // Any value has a label. The parameter's type is what clients are to send.
      source: z
        .preprocess((raw: string) => normaliseSource(raw), z.string().meta({ maxLength: bytesMax.json }))
        .optional()
        .transform((label) => label ?? unknownSource)
        .meta({
          description:
            "Where the subscription comes from. Never refused: it is reduced to a label of at most 64 letters, digits and dashes.",
          examples: ["footer", "Blog Post!"],
        }),
    },
    { error: "The body must be an object with the documented fields." },
  )
  .meta({ description: "A reader subscribes to the newsletter." });

/** The same for every address, known or not. */
export const subscribeReceipt = z.object({
  message: z.string().meta({ description: "Safe to show to the person.", maxLength: 200 }),
});

/** What a receipt says, with double and with single opt-in. */
export const subscribed = {
  double:
    "Thank you for subscribing. Please look into your inbox: the welcome e-mail holds a link to confirm your address.",
  single: "Thank you for subscribing. Please look into your inbox for the welcome e-mail.",
} as const;

/** What a reader sends. */
export interface SubscribeInput {
  /** The address to subscribe. At most 254 characters. */
  readonly email: string;
  /** Where the subscription comes from. Never refused: it is reduced to a label of at most 64 letters, digits and dashes. */
  readonly source?: string | null | undefined;
}

/** A subscription as the schema answers it, with its label. */
export type CheckedSubscription = z.output<typeof subscribeInput>;
export type SubscribeReceipt = z.output<typeof subscribeReceipt>;
