// Events of Postmark's webhook: what one says of an address, as a change of its suppression. None: it does not concern us.
import { email } from "@submissions/shared/fields";
import { z } from "zod";
import type { SuppressionChange, SuppressionReason } from "../storage/records.ts";

/** Longer than every kind, reason and time that Postmark writes. */
const wordLengthMax = 100;

// In our words: the schemas' own would reach the caller. What is too long is refused before anything reads it.
const word = z
  .string("This field must be one text.")
  .refine(({ length }) => length <= wordLengthMax, { error: "This field is too long.", abort: true });
const truth = z.boolean("This field must be true or false.");
// Without one it is now: what lies in the future becomes that.
const time = word
  .default("9999-12-31")
  .transform((written) => Date.parse(written))
  .refine((at) => Number.isFinite(at), "Not a time.");

const envelope = z.object({ RecordType: word });
const bounce = z
  .object({ Type: word, Email: email, BouncedAt: time, Inactive: truth.default(false) })
  .transform(({ Type, Email, BouncedAt, Inactive }) => {
    const reason = reasonOfBounce(Type, Inactive);
    return reason === null ? null : { email: Email, reason, at: BouncedAt };
  });
const complaint = z
  .object({ Email: email, BouncedAt: time })
  .transform((event) => ({ email: event.Email, reason: "complained" as const, at: event.BouncedAt }));
const subscriptionChange = z
  .object({
    Recipient: email,
    ChangedAt: time,
    SuppressSending: truth,
    SuppressionReason: word.nullish(),
    Origin: word.nullish(),
  })
  .transform((event) => ({
    email: event.Recipient,
    reason: event.SuppressSending ? reasonOfChange(event.SuppressionReason, event.Origin) : null,
    at: event.ChangedAt,
  }));

const readers = new Map<string, z.ZodType<SuppressionChange | null>>([
  ["Bounce", bounce],
  ["SpamComplaint", complaint],
  ["SubscriptionChange", subscriptionChange],
]);

/**
 * Reads one webhook call.
 * @param now bounds its time: an event from the future would outrank all that follow. Times before 1970 become 1970: .NET
 * writes the year 1 for an unknown time, and the id of a delivery cannot hold a negative time
 */
export function readPostmarkEvent(body: unknown, now: number) {
  const kind = envelope.safeParse(body);
  if (!kind.success) return { result: "malformed", error: kind.error } as const;
  const { error, data = null } = readers.get(kind.data.RecordType)?.safeParse(body) ?? {};
  if (error !== undefined) return { result: "malformed", error } as const;
  // It does not concern us, or is of a kind that we do not know.
  if (data === null) return { result: "ignored" } as const;
  return { result: "change", change: { ...data, at: Math.min(Math.max(data.at, 0), now) } } as const;
}

// Soft bounces pass (a full mailbox, an absence, a DNS fault), unless Postmark gave the address up for one.
function reasonOfBounce(type: string, inactive: boolean): SuppressionReason | null {
  if (type === "SpamComplaint") return "complained";
  if (type === "ManuallyDeactivated") return "manual";
  return type === "HardBounce" || type === "BadEmailAddress" || inactive ? "bounced" : null;
}

function reasonOfChange(reason?: string | null, origin?: string | null): SuppressionReason {
  if (reason === "SpamComplaint") return "complained";
  if (reason === "HardBounce") return "bounced";
  return origin === "Recipient" ? "unsubscribed" : "manual";
}
