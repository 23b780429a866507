// Webhooks and the log of their deliveries. Administrators only: a webhook sees everything that its events tell.
import { webhookEvents } from "@submissions/shared/console";
import { z } from "zod";
import { fieldInvalid } from "../../fault.ts";
import { addWebhook, problemOfUrl, rotateSecret } from "../../webhooks/target.ts";
import { byId, mailId, page, webhookUrl, wholeNumber } from "../inputs.ts";
import { done, forRoles, found, trpc } from "../procedure.ts";

const events = z.array(z.enum(webhookEvents, "This is no event.")).min(1, "Choose at least one event.").max(20);

const { changes, reads, shows } = forRoles("admin");

export const webhookProcedures = trpc.router({
  list: shows(({ webhooks }) => webhooks.list()),

  add: changes(z.object({ url: webhookUrl, events }), async ({ webhooks, actor, console }, input) => {
    const problem = problemOfUrl(input.url, console.webhookTargets);
    if (problem !== null) throw fieldInvalid("url", `The address ${problem}`);
    const added = await addWebhook(webhooks, input, actor);
    if (added === "too-many") throw fieldInvalid("url", "There are too many webhooks. Remove one first.");
    return { secret: added.secret };
  }),

  test: changes(byId, ({ webhooks, actor }, input) => done(webhooks.change(input.id, { tested: true }, actor))),

  remove: changes(byId, ({ webhooks, actor }, input) => done(webhooks.change(input.id, { removed: true }, actor))),

  /** Deliveries are signed with both secrets for a day. */
  rotate: changes(byId, async ({ webhooks, actor }, input) => ({
    secret: found(await rotateSecret(webhooks, input.id, actor)),
  })),

  /** Of one webhook, or of all. */
  deliveries: reads(z.object({ webhook: wholeNumber.nullable(), page }), ({ webhooks }, input) =>
    webhooks.listDeliveries(input.webhook, input.page),
  ),

  replay: changes(z.object({ id: mailId }), async ({ webhooks, actor }, input) =>
    done((await webhooks.replay({ delivery: input.id }, actor)) !== null),
  ),

  replayFailed: changes(byId, async ({ webhooks, actor }, input) => ({
    replayed: found(await webhooks.replay({ failedOf: input.id }, actor)),
  })),
});
