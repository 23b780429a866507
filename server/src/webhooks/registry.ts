// Adding a webhook and renewing its secret, for the console and the command line. A secret is answered once and never read
// again.
import { webhookEvents, type WebhookEvent } from "@submissions/shared/console";
import type { Actor } from "../storage/desk-store.ts";
import type { WebhookStore } from "../storage/webhook-store.ts";
import { drawWebhookSecret } from "./delivery.ts";

/**
 * Adds a webhook.
 *
 * @param url an address that `problemOfUrl` has nothing against
 * @param events none: all
 */
export async function addWebhook(
  webhooks: Pick<WebhookStore, "add">,
  { url, events }: { readonly url: string; readonly events: readonly WebhookEvent[] },
  actor: Actor,
) {
  const secret = drawWebhookSecret();
  // In one order, each once.
  const heard = webhookEvents.filter((event) => events.length === 0 || events.includes(event));
  const id = await webhooks.add({ url, events: heard, secret }, actor);
  return id === "too-many" ? id : { id, secret };
}

/** Draws and answers a new secret. Null when there is no such webhook. */
export async function rotateSecret(webhooks: Pick<WebhookStore, "change">, id: number, actor: Actor) {
  const secret = drawWebhookSecret();
  return (await webhooks.change(id, { secret }, actor)) ? secret : null;
}
