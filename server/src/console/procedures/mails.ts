// Mails, what failed of them, and sending one again; and mails that came in and fit no submission.
import { type MailRow, mailStatuses } from "@submissions/shared/console";
import { z } from "zod";
import { shownMail } from "../../desk/detail.ts";
import { Fault, fieldInvalid } from "../../fault.ts";
import { byId, byPage, mailId, page, reference, wholeNumber } from "../inputs.ts";
import { done, forRoles, found, trpc } from "../procedure.ts";
import { everyRole } from "../role-rules.ts";
import { repliesLimited } from "./reply.ts";

const { changes, reads } = forRoles(...everyRole);

export const mailProcedures = trpc.router({
  list: reads(z.object({ status: z.enum(mailStatuses).optional(), page }), async ({ console, desk, scope }, input) => {
    const { rows, next } = await desk.listMails(scope, input.status, input.page);
    const named = (mail: MailRow) => ({ ...mail, personId: mail.email && console.persons.idOf(mail.email) });
    return { rows: rows.map((row) => named(shownMail(row))), next };
  }),

  /** A mail that is queued already goes out anyway. */
  retry: changes(z.object({ id: mailId }), async ({ desk, scope, actor }, input) => {
    const result = found(await desk.sendAgain(scope, input.id, ["failed", "in-doubt", "sent"], actor));
    if (result === "not-sendable") throw new Fault("mailNotSendable");
    if (result === "suppressed") throw new Fault("mailSuppressed");
    if (result === "capped") throw new Fault("mailCapped");
    if (typeof result === "object") throw repliesLimited(result.retryAt, actor.at);
    return null;
  }),
});

/** Administrators only: what a stranger wrote may be about anything. */
const ofAdmin = forRoles("admin");

export const unmatchedProcedures = trpc.router({
  list: ofAdmin.reads(byPage, ({ inbound }, input) => inbound.listUnmatched(input.page)),

  file: ofAdmin.changes(z.object({ id: wholeNumber, reference }), async ({ inbound, scope, actor, console }, input) => {
    if (await inbound.fileUnmatched(scope, input.id, input.reference, actor, console.teamKeys)) return null;
    throw fieldInvalid("reference", "There is no submission with this reference, or the mail is filed already.");
  }),

  remove: ofAdmin.changes(byId, ({ inbound, actor }, input) => done(inbound.removeUnmatched(input.id, actor))),
});
