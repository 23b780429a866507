// What operators write to people.
import type { ReplyOutcome, ReplyPreview } from "@submissions/shared/console";
import { kindOf, kindOfReference } from "@submissions/shared/kinds";
import { greetingLanguages } from "@submissions/shared/language";
import { z } from "zod";
import { discardNowOrLater } from "../../desk/erase.ts";
import { fill } from "../../desk/saved-answers.ts";
import { Fault, fieldInvalid } from "../../fault.ts";
import { utcMinute } from "../../field-values.ts";
import { type ReplyRequest, savedAnswersMax, unsentFilesMax } from "../../storage/reply-store.ts";
import { byId, instant, kind, knownPlaceholders, label, noteText, reference, wholeNumber } from "../inputs.ts";
import { done, forRoles, type Ruled, trpc } from "../procedure.ts";
import { submissionRoles } from "../role-rules.ts";

const reasons: Readonly<Record<string, string>> = {
  bounced: "Mail to this address bounced, so it gets no mail from us.",
  complained: "This address complained about our mail, so it gets none from us.",
  unsubscribed: "This address has unsubscribed from our mail with the mail provider, so it gets none from us.",
  inactive: "The mail provider refuses mail to this address.",
  manual: "The team told the mail provider not to mail this address.",
};

export const suppressedReason = (reason: string): string => reasons[reason] ?? "This address gets no mail from us.";

const manyMax = 50;
/** `quote`: whether what the person wrote is quoted below; absent: as is usual for the kind. */
const manyReplies = z.object({
  references: z.array(reference).min(1).max(manyMax, `At most ${manyMax} are answered at once.`),
  text: noteText,
  quote: z.boolean().exactOptional(),
});

const answerText = noteText.superRefine(knownPlaceholders);

/** When the last reply or answer came that the operator saw; 0: none. */
const seen = instant.exactOptional();

/** At most as many as an operator may have attached: how many a reply takes, the store says. */
const files = z.array(wholeNumber).max(unsentFilesMax, "These are too many at once.").exactOptional();
const notAttached = "A file is not attached any more. Please attach it again.";

const changedMeanwhile = "This text was changed meanwhile. Copy yours, cancel, and open it again.";
const answersFull = `There are ${savedAnswersMax} saved answers of this kind. Remove one first.`;

const { changes, reads, shows } = forRoles(...submissionRoles);

export const replyProcedures = trpc.router({
  /**
   * `doneAt`: the version that was seen, of a submission that is to be marked as done. `seen` absent: it goes out whatever
   * came since. `files`: of those that the operator has attached, which leave with it.
   */
  send: changes(
    manyReplies.omit({ references: true }).extend({ reference, doneAt: wholeNumber.exactOptional(), seen, files }),
    async (ctx, { quote, ...input }) => {
      const found = await ctx.desk.findDetail(ctx.scope, input.reference);
      if (found !== null && ctx.console.isInbound(found.submission.email)) throw new Fault("mailToOurselves");
      const [outcome] = await sendAll(ctx, [{ ...input, quoted: isQuoted(input.reference, quote) }]);
      if (outcome?.result === "queued") return outcome;
      if (outcome?.result === "overtaken") throw new Fault("replyOvertaken", { issues: [overtakenIssue(outcome)] });
      if (outcome?.result === "unattached") throw fieldInvalid("files", notAttached);
      if (outcome?.result === "oversized") throw new Fault("filesTooLarge");
      if (outcome?.result === "changed") throw new Fault("submissionChanged");
      if (outcome?.result !== "suppressed") throw new Fault("notFound");
      const message = reasons[outcome.reason ?? ""];
      throw new Fault("mailSuppressed", message === undefined ? {} : { issues: [{ path: ["reference"], message }] });
    },
  ),

  /** A text with placeholders, as it would go out to each. Submissions that the role does not see are left out. */
  preview: reads(manyReplies, preview),

  /** Refused as a whole where the operator has not that many replies left. */
  sendMany: changes(
    manyReplies.extend({
      text: answerText,
      done: z.boolean().exactOptional(),
      seen: z.record(reference, instant).exactOptional(),
    }),
    async (ctx, { done: isDone = false, seen: seenOf = {}, ...input }) => {
      const previews = await preview(ctx, input);
      const isToUs = ({ email }: ReplyPreview) => ctx.console.isInbound(email);
      const toUs = previews.filter(isToUs);
      const toPeople = previews.filter((one) => !isToUs(one));
      const replies = toPeople.map(({ reference: one, text, version }) => ({
        reference: one,
        text,
        quoted: isQuoted(one, input.quote),
        ...(isDone && { doneAt: version }),
        ...(seenOf[one] !== undefined && { seen: seenOf[one] }),
      }));
      const outcomes = await sendAll(ctx, replies);
      return [
        ...toUs.map(({ reference: one, name }) => {
          return { reference: one, result: "suppressed" as const, reason: null, name };
        }),
        ...outcomes.map((outcome, at) => ({ ...outcome, name: toPeople[at]?.name ?? "" })),
      ];
    },
  ),

  answers: shows(({ replies, scope }) => replies.listSavedAnswers(scope)),

  /** `was`: the text that was seen, of one that is changed. What another operator has made of it is not overwritten. */
  saveAnswer: changes(
    z.object({
      id: wholeNumber.nullable(),
      kind,
      title: label,
      text: answerText,
      language: z.enum(greetingLanguages).nullable().default(null),
      was: noteText.exactOptional(),
    }),
    async ({ replies, scope, actor }, input) => {
      if (await replies.changeSavedAnswer(scope, input, actor)) return null;
      const { id, kind: its } = input;
      if (!scope.kinds.includes(its)) throw new Fault("notFound");
      const all = await replies.listSavedAnswers(scope);
      if (id !== null && all.some((one) => one.id === id)) throw fieldInvalid("text", changedMeanwhile);
      if (id === null) throw fieldInvalid("kind", answersFull);
      throw new Fault("notFound");
    },
  ),

  removeAnswer: changes(byId, ({ replies, scope, actor }, input) =>
    done(replies.changeSavedAnswer(scope, { removed: input.id }, actor)),
  ),

  /** Removes an attached file. */
  removeFile: changes(byId, async ({ replies, console, scope, actor }, input) => {
    await done(replies.removeFile(scope, input.id, actor));
    await discardNowOrLater(console);
    return null;
  }),

  undo: changes(byId, async ({ replies, console, scope, actor }, input) => {
    const undone = await replies.undo(scope, input.id, actor);
    console.counts.forget();
    if (undone === false) throw new Fault("replyOnItsWay");
    return done(undone ?? false);
  }),

  /** Takes those back that no process has begun to send, and answers how many. */
  undoMany: changes(
    z.object({ ids: z.array(wholeNumber).min(1).max(manyMax) }),
    async ({ replies, console, scope, actor }, input) => {
      let undone = 0;
      for (const id of new Set(input.ids)) if (await replies.undo(scope, id, actor)) undone += 1;
      console.counts.forget();
      return { undone };
    },
  ),
});

/** @throws Fault `repliesLimited` */
async function sendAll({ console, scope, actor }: Ruled, replies: readonly ReplyRequest[]) {
  const { store, replyCopies, counts } = console;
  const sent = await store.replies.send(scope, replies, replyCopies, actor);
  counts.forget();
  if ("outcomes" in sent) return sent.outcomes;
  throw repliesLimited(sent.retryAt, actor.at);
}

export const repliesLimited = (retryAt: number, now: number): Fault =>
  new Fault("repliesLimited", { retryAfterSeconds: Math.ceil((retryAt - now) / 1000) });

const isQuoted = (name: string, quote?: boolean): boolean => {
  const itsKind = kindOfReference(name);
  return quote ?? (itsKind === undefined || kindOf(itsKind).quoted);
};

/** Who wrote meanwhile, and when. */
const overtakenIssue = ({ by, at }: Extract<ReplyOutcome, { result: "overtaken" }>) => ({
  path: ["seen"],
  message: `${by === null ? "The person wrote" : `${by} replied`} at ${utcMinute(at)}.`,
});

async function preview(ctx: Ruled, { references, text, quote }: z.output<typeof manyReplies>) {
  const previews: ReplyPreview[] = [];
  for await (const { detail, shown } of filled(ctx, references, text, (one) => isQuoted(one, quote))) {
    const { version, lastReplyAt, lastAnswerAt } = detail.submission;
    previews.push({ ...shown, version, lastReplyAt, lastAnswerAt });
  }
  return previews;
}

/** A text as it would go out to each. Submissions that the role does not see are left out. */
export async function* filled(
  { console, desk, scope, actor }: Ruled,
  references: readonly string[],
  text: string,
  quotes: (reference: string) => boolean,
) {
  for (const one of new Set(references)) {
    const detail = await desk.findDetail(scope, one);
    if (detail === null) continue;
    const { name, email } = detail.submission;
    const { text: words, leftOut } = fill(text, detail.submission, console.packageTitles);
    const mail = console.composeReply(detail.submission, words, actor.operator, quotes(one));
    const shown = { reference: one, name, email, subject: mail.subject, text: words, leftOut, mail: mail.text };
    yield { detail, shown };
  }
}
