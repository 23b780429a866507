// Secrets and signatures after Standard Webhooks 1.0.0 (standardwebhooks.com): HMAC-SHA256 over id, time and body.
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";
/** The specification asks for 24 to 64. */
const secretBytes = 32;

export const drawWebhookSecret = (): string => prefix + randomBytes(secretBytes).toString("base64");

/**
 * The headers of one try.
 *
 * @param secrets all that are in force; a receiver needs only one of them
 * @param at when it is tried, in milliseconds since the epoch. Receivers refuse what is older than some minutes.
 */
export function signedHeaders(id: string, body: string, secrets: readonly string[], at: number) {
  const timestamp = String(Math.floor(at / 1000));
  const sign = (secret: string) =>
    createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
      .update(`${id}.${timestamp}.${body}`)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => `v1,${sign(secret)}`).join(" "),
  };
}
