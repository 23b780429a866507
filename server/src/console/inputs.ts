// What the procedures of the console take.
import type { InboxFilter, PageRequest, SubscriberFilter, TriageRequest } from "@submissions/shared/console";
import { subscriberStatuses, triageStatuses, waitedFors } from "@submissions/shared/console";
import { submissionKinds } from "@submissions/shared/kinds";
import { roles } from "@submissions/shared/roles";
import { optionalWebUrl } from "@submissions/shared/addresses";
import { email, optional, required } from "@submissions/shared/fields";
import { normaliseSource } from "@submissions/shared/source";
import { stages } from "@submissions/shared/stages";
import { isBlank, optionalMultilineText, optionalText, problemOfLine, requiredText } from "@submissions/shared/text";
import { z } from "zod";
import { readInstant } from "../desk/instant.ts";
import { unknownPlaceholders } from "../desk/saved-answers.ts";
import { pageLimitMax, triageMax } from "../storage/desk-store.ts";
import { passwordLengthMax } from "./password-rules.ts";

/** Text of any characters, as it was typed. */
const anyText = (lengthMax: number) =>
  z.string("This field must be one text.").max(lengthMax, "This field is too long.");
/** Text that is compared with stored text. What is longer, or holds control characters, is stored nowhere. */
const word = (lengthMax: number) =>
  anyText(lengthMax).refine((text) => problemOfLine(text) === undefined, "Control characters are not allowed.");
export const wholeNumber = z.int("This field must be a whole number.").min(0, "This field must not be negative.");
/** Milliseconds since the epoch. A `Date` cannot hold later ones. */
export const instant = wholeNumber.max(8.64e15, "This time is too far away.");

export const reference = word(40);
/** An address as it is stored; unknown ones are found nowhere. One that will be stored is an `email`. */
export const address = word(254);
export const personId = word(400);
export const mailId = word(64);
export const role = z.enum(roles, "This is no role.");
/** What stands in one line: a token's name. Without marks that turn the text beside it around. */
export const label: z.ZodType<string, string> = required({ rule: requiredText(100) }).regex(
  /^[^\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u,
  "This field must be one line, without marks of the direction of text.",
);
/** What an operator is called: the sender of replies, where an address would mislead, also one with a wide or small @. */
export const displayName = label.refine((name) => !name.normalize("NFKC").includes("@"), "A name holds no @.");

export const webhookUrl = word(2_048);
/** It is only hashed. */
export const typedPassword = anyText(passwordLengthMax);
export const secret = word(100);
/** Of a second factor: six digits, or a recovery code, with spaces or hyphens. */
export const typedCode = word(40);

export const noteText: z.ZodType<string, string> = required({
  rule: { ...optionalMultilineText(10_000), required: true },
});

/** Refuses what stands in braces and is no placeholder. */
export function knownPlaceholders(text: string | undefined, context: z.RefinementCtx): void {
  const unknown = unknownPlaceholders(text ?? "");
  if (unknown.length > 0)
    context.addIssue({ code: "custom", message: `There is no placeholder ${unknown.join(", ")}.` });
}

export const tag: z.ZodType<string, string> = required({ rule: requiredText(40) });

export const page: z.ZodType<PageRequest, PageRequest> = z.object({
  after: wholeNumber.exactOptional(),
  limit: wholeNumber.min(1).max(pageLimitMax).exactOptional(),
});

export const kind = z.enum(submissionKinds);

export const byId = z.object({ id: wholeNumber });
export const byEmail = z.object({ email: address });
export const byReference = z.object({ reference });
export const byPage = z.object({ page });

/** A part that is misspelled is refused: left out, it would match everything. */
export const inboxFilter: z.ZodType<InboxFilter, InboxFilter> = z.strictObject({
  kind: kind.exactOptional(),
  status: z.enum([...triageStatuses, "todo"]).exactOptional(),
  stage: z.enum(stages).exactOptional(),
  waiting: z.enum(waitedFors).exactOptional(),
  assignee: word(254).exactOptional(),
  from: instant.exactOptional(),
  until: instant.exactOptional(),
  hasResume: z.boolean().exactOptional(),
  disposable: z.boolean().exactOptional(),
  search: word(200).exactOptional(),
  letter: word(200).exactOptional(),
  lettersOnly: z.boolean().exactOptional(),
  tag: word(200).exactOptional(),
  package: word(200).exactOptional(),
  position: word(400).exactOptional(),
  opening: word(400).exactOptional(),
  company: word(400).exactOptional(),
  source: word(4_000).exactOptional(),
  order: z.enum(["newest", "oldest"]).exactOptional(),
});

export const byFilter = z.object({ filter: inboxFilter });

export const triageRequest: z.ZodType<TriageRequest, TriageRequest> = z.object({
  targets: z
    .array(z.object({ reference, version: wholeNumber, undo: word(60_000).exactOptional() }))
    .min(1)
    .max(triageMax, "These are too many at once."),
  status: z.enum(triageStatuses).exactOptional(),
  assignee: address.nullable().exactOptional(),
  stage: z.enum(stages).exactOptional(),
  snoozedUntil: instant.nullable().exactOptional(),
});

export const subscriberFilter: z.ZodType<SubscriberFilter, SubscriberFilter> = z.strictObject({
  status: z.enum(subscriberStatuses).exactOptional(),
  source: word(200).exactOptional(),
  search: word(254).exactOptional(),
});

const consentAtRule = "Write a day like 2026-11-21, or an instant like 2026-11-21T09:30:00Z.";

/** An address that an operator adds. A proof of consent says what was agreed to and when. */
export const newSubscriber = z
  .object({
    email,
    source: z.string().optional(),
    consentText: optional({ rule: optionalMultilineText(2_000) }),
    consentPage: optional({ rule: optionalWebUrl }),
    consentAt: optional({ rule: optionalText(40) }).transform((text, context) => {
      const at = text === undefined ? null : readInstant(text);
      if (text !== undefined && (at === null || at < 0)) context.addIssue({ code: "custom", message: consentAtRule });
      return at;
    }),
  })
  .transform(({ source = "", consentText: text, consentPage, consentAt: at, ...typed }) => ({
    ...typed,
    source: isBlank(source) ? undefined : normaliseSource(source),
    // Of the page without query and fragment, which may name the person.
    consent:
      text === undefined || at === null ? null : { text, page: consentPage?.replace(/[?#].*$/s, "") ?? null, at },
  }));
