// What operators write to people.
import type { ReplyOutcome } from "@submissions/shared/console";
import { z } from "zod";
import { Fault } from "../../fault.ts";
import type { Actor, Scope } from "../../storage/desk-store.ts";
import type { ReplyRequest } from "../../storage/reply-store.ts";
import type { Console } from "../console.ts";
import { noteText, reference, wholeNumber } from "../inputs.ts";
import { changes, done, trpc } from "../procedure.ts";
import { submissionRoles } from "../rules.ts";

/** Why an address gets no mail, for the operator. */
const reasons: Readonly<Record<string, string>> = {
  bounced: "Mail to this address bounced, so it gets no mail from us.",
  complained: "This address complained about our mail, so it gets none from us.",
  unsubscribed: "This address has unsubscribed from our mail with the mail provider, so it gets none from us.",
  inactive: "The mail provider refuses mail to this address.",
  manual: "The team told the mail provider not to mail this address.",
};

export const replyProcedures = trpc.router({
  /** `doneAt`: the version that was seen, of a submission that is to be marked as done. */
  send: changes(...submissionRoles)
    .input(z.object({ reference, text: noteText, doneAt: wholeNumber.exactOptional() }))
    .mutation(async ({ ctx, input }): Promise<Extract<ReplyOutcome, { result: "queued" }>> => {
      const [outcome] = await sendAll(ctx, [input]);
      if (outcome?.result === "queued") return outcome;
      if (outcome?.result === "changed") throw new Fault("submissionChanged");
      if (outcome?.result !== "suppressed") throw new Fault("notFound");
      const message = reasons[outcome.reason ?? ""];
      throw new Fault("mailSuppressed", message === undefined ? {} : { issues: [{ path: ["reference"], message }] });
    }),

  undo: changes(...submissionRoles)
    .input(z.object({ id: wholeNumber }))
    .mutation(async ({ ctx: { console, scope, actor }, input }): Promise<null> => {
      const undone = await console.store.replies.undo(scope, input.id, actor);
      console.counts.forget();
      if (undone === false) throw new Fault("replyOnItsWay");
      return done(undone ?? false);
    }),
});

interface Sending {
  readonly console: Console;
  readonly scope: Scope;
  readonly actor: Actor;
}

/** @throws Fault `repliesLimited` */
async function sendAll({ console, scope, actor }: Sending, replies: readonly ReplyRequest[]) {
  const { store, replyCopies, counts } = console;
  // Due times follow the store's clock.
  const now = { ...actor, at: store.clock.now() };
  const sent = await store.replies.send(scope, replies, replyCopies, now);
  counts.forget();
  if ("outcomes" in sent) return sent.outcomes;
  throw new Fault("repliesLimited", { retryAfterSeconds: Math.ceil((sent.retryAt - now.at) / 1000) });
}
