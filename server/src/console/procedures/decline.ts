// Declining: why, what is mailed, and when.
import type { DeclineOutcome, DeclinePreview, TriageRequest } from "@submissions/shared/console";
import { faults } from "@submissions/shared/faults";
import { optional } from "@submissions/shared/fields";
import { kindOfReference, stagedKinds } from "@submissions/shared/kinds";
import { declineDays, declineReasonLengthMax, declinesMax } from "@submissions/shared/stages";
import { optionalMultilineText, optionalText } from "@submissions/shared/text";
import { z } from "zod";
import { Fault, fieldInvalid } from "../../fault.ts";
import { byId, knownPlaceholders, reference, wholeNumber } from "../inputs.ts";
import { done, forRoles, type Ruled, trpc } from "../procedure.ts";
import { stagedRoles } from "../role-rules.ts";
import { withUndo } from "../undo.ts";
import { filled, repliesLimited, suppressedReason } from "./reply.ts";

const targets = z
  .array(z.object({ reference, version: wholeNumber }))
  .min(1)
  .max(declinesMax, `At most ${declinesMax} are declined at once.`);
const text = optional({ rule: optionalMultilineText(10_000) });
const days = z.literal(declineDays, "A decline is sent now, in 2 days or in 7 days.");
const reason = optional({ rule: optionalText(declineReasonLengthMax) });
const sent = z.object({ targets, text: text.superRefine(knownPlaceholders), days, reason });

const { changes, reads, shows } = forRoles(...stagedRoles);

export const declineProcedures = trpc.router({
  /** Those of the latest declines, the most frequent first. */
  reasons: shows(({ declines, scope }) => declines.listReasons(scope)),

  /** What would go out to each, and to whom nothing. Submissions that the role does not see are left out. */
  preview: reads(z.object({ references: z.array(reference).min(1).max(declinesMax), text }), (ctx, input) =>
    preview(ctx, input.references, input.text ?? ""),
  ),

  /** Refused as a whole where the operator has not that many replies left. */
  send: changes(sent, async (ctx, input): Promise<readonly DeclineOutcome[]> => {
    // What has no kind is none of ours, and is left as unknown.
    const kinds = input.targets.flatMap((target) => kindOfReference(target.reference) ?? []);
    if (kinds.some((kind) => !stagedKinds.includes(kind))) {
      throw fieldInvalid("targets", "Submissions of this kind have no stages.");
    }
    const { console, declines, scope, actor } = ctx;
    const request = { reason: input.reason ?? null, days: input.days, copies: console.replyCopies };
    const written = await writtenTo(ctx, input.targets, input.text);
    const declined = await declines.decline(scope, written, request, actor);
    console.counts.forget();
    if ("outcomes" in declined) return declined.outcomes.map((one) => withUndo(ctx.access.cookieKey, one));
    throw repliesLimited(declined.retryAt, actor.at);
  }),

  /** Takes the mail of a decline back, and leaves the stage. */
  cancel: changes(byId, async ({ declines, scope, actor }, input) => {
    const cancelled = await declines.cancel(scope, input.id, actor);
    if (cancelled === false) throw new Fault("replyOnItsWay");
    return done(cancelled ?? false);
  }),

  /** Sends the mail of a decline that an answer of the person holds. */
  release: changes(byId, ({ declines, scope, actor }, input) => done(declines.release(scope, input.id, actor))),
});

async function preview(ctx: Ruled, references: readonly string[], words: string) {
  const previews: DeclinePreview[] = [];
  for await (const { detail, shown } of filled(ctx, references, words, () => false)) {
    const known = detail.suppressed === null ? null : suppressedReason(detail.suppressed);
    const suppressed = ctx.console.isInbound(shown.email) ? faults.mailToOurselves.message : known;
    previews.push({ ...shown, suppressed });
  }
  return previews;
}

/** The text for each. Without words nothing is mailed. */
async function writtenTo(ctx: Ruled, named: TriageRequest["targets"], words: string | undefined) {
  if (words === undefined) return named.map((target) => ({ ...target, text: null }));
  const references = named.map((target) => target.reference);
  const mailed = (await preview(ctx, references, words)).filter(({ email }) => !ctx.console.isInbound(email));
  const texts = new Map(mailed.map((one) => [one.reference, one.text]));
  return named.map((target) => ({ ...target, text: texts.get(target.reference) ?? null }));
}
