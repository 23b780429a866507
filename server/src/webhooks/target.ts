// Webhooks as operators set them up: their secrets, and which addresses they may have. Without these rules the service could
// be made to call what only it can reach, for example databases, the metadata of a cloud, or services of this machine.
import { randomBytes } from "node:crypto";
import { webhookEvents, type WebhookEvent } from "@submissions/shared/console";
import ipaddr from "ipaddr.js";
import type { Actor } from "../storage/desk-store.ts";
import { secretPrefix, type WebhookStore } from "../storage/webhook-store.ts";

/** `public`: hosts of the internet over https. `loopback`: also this machine, over http too; for development. */
export type WebhookTargets = "public" | "loopback";

const urlLengthMax = 2_048;

/** Why an address cannot be one of a webhook, for the operator; null: it can, as far as its text says. */
export function problemOfUrl(text: string, targets: WebhookTargets): string | null {
  const url = text.length > urlLengthMax || /[\s\p{Cc}\p{Bidi_Control}]/u.test(text) ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be a web address that starts with https://.";
  if (url.username !== "" || url.password !== "") return "must not hold a user name or password.";
  if (url.hash !== "") return "must not hold a fragment.";
  const { hostname } = url;
  const literal = literalOf(hostname);
  const isHere =
    literal === null ? /(?:^|\.)localhost\.?$/.test(hostname) : ipaddr.parse(literal).range() === "loopback";
  if (url.protocol === "http:" && !(isHere && targets === "loopback")) return "must start with https://.";
  const isRefused = literal === null ? isHere && targets === "public" : !mayBeCalled(literal, targets);
  return isRefused ? "must be a host of the internet." : null;
}

/** The IP address that a host name is; null for other names. URL has read `0x7f.1` and the like as addresses. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(bare) ? bare : null;
}

/** Of IPv6 only global unicast is given out at all, and some of that is not the internet. */
const global = ipaddr.IPv6.parseCIDR("2000::/3");
const documentation = ipaddr.IPv6.parseCIDR("3fff::/20");

/** Azure's services for its own machines, under an address of the internet. Those of other clouds are link-local or private. */
const metadata = "168.63.129.16";

export function mayBeCalled(address: string, targets: WebhookTargets): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return targets === "loopback";
  // Not private, link-local, carrier-grade NAT, multicast, reserved, or an IPv4 address in an IPv6 one.
  if (range !== "unicast" || parsed.toString() === metadata) return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(global) && !parsed.match(documentation));
}

/** Standard Webhooks 1.0.0 asks for 24 to 64. */
const secretBytes = 32;

export const drawWebhookSecret = (): string => secretPrefix + randomBytes(secretBytes).toString("base64");

/** Adds a webhook. @param url an address that `problemOfUrl` has nothing against @param events none: all */
export async function addWebhook(
  webhooks: Pick<WebhookStore, "add">,
  { url, events }: { readonly url: string; readonly events: readonly WebhookEvent[] },
  actor: Actor,
) {
  const secret = drawWebhookSecret();
  const heard = webhookEvents.filter((event) => events.length === 0 || events.includes(event));
  const id = await webhooks.add({ url, events: heard, secret }, actor);
  return id === "too-many" ? id : { id, secret };
}

/** Draws and answers a new secret. Null when there is no such webhook. */
export async function rotateSecret(webhooks: Pick<WebhookStore, "change">, id: number, actor: Actor) {
  const secret = drawWebhookSecret();
  return (await webhooks.change(id, { secret }, actor)) ? secret : null;
}
