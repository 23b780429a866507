// For programs that receive webhooks of the service: checks the signature and reads the body as its type.
import { webhookSchemas, type WebhookPayload } from "@submissions/shared/webhook-events";
import { Webhook } from "standardwebhooks";

export type { DeliveredSubmission, WebhookData, WebhookPayload } from "@submissions/shared/webhook-events";

/**
 * Reads a delivery, once its signature was checked (Standard Webhooks 1.0.0).
 *
 * @param body as it came: parsed and written again, it would have another signature
 * @param headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, in any case
 * @param secret `whsec_…`, or several while one is being replaced
 * @returns undefined for an event that this version does not know: answer it with 2xx
 * @throws WebhookVerificationError when no secret fits, or the delivery is older or newer than five minutes
 *
 * @example
 * ```ts
 * const payload = parseWebhook(await request.text(), Object.fromEntries(request.headers), secret);
 * if (payload?.type === "inquiry.received") console.log(payload.data.inquiryId, payload.data.name);
 * ```
 */
export function parseWebhook(
  body: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string | readonly string[],
): WebhookPayload | undefined {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const verified = verify([secret].flat(), body, lower) as { readonly type?: unknown };
  const schema = (webhookSchemas as Readonly<Record<string, (typeof webhookSchemas)["webhook.test"]>>)[
    String(verified.type)
  ];
  return schema?.parse(verified);
}

function verify(secrets: readonly string[], body: string, headers: Record<string, string>): unknown {
  for (const [index, secret] of secrets.entries()) {
    try {
      return new Webhook(secret).verify(body, headers);
    } catch (error) {
      // Another one may fit. The last one says what is wrong.
      if (index === secrets.length - 1) throw error;
    }
  }
  throw new TypeError("Pass the secret of the webhook.");
}
