import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { parseWebhook } from "./webhooks.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

function signed(payload: object, { at = new Date() } = {}) {
  const body = JSON.stringify(payload);
  const headers = {
    "Webhook-Id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, body),
  };
  return [body, headers] as const;
}

const erased = { type: "person.erased", timestamp: new Date(0).toISOString(), data: { references: [], hash: "ab" } };

test("a delivery is read as its type, with fields that this version does not know", () => {
  const later = { ...erased, data: { ...erased.data, new: 1 }, version: 2 };
  expect(parseWebhook(...signed(later), secret)).toEqual(later);
});

test("an event that this version does not know is none", () => {
  expect(parseWebhook(...signed({ ...erased, type: "invoice.paid" }), secret)).toBeUndefined();
});

test("any of several secrets may fit", () => {
  expect(parseWebhook(...signed(erased), [other, secret])).toEqual(erased);
});

test("a delivery that was changed, is old or was signed by others is refused", () => {
  const [body, headers] = signed(erased);
  expect(() => parseWebhook(body.replace("ab", "cd"), headers, secret)).toThrow("No matching signature found");
  expect(() => parseWebhook(body, headers, other)).toThrow("No matching signature found");
  expect(() => parseWebhook(...signed(erased, { at: new Date(Date.now() - 400_000) }), secret)).toThrow("too old");
  expect(() => parseWebhook(body, headers, [])).toThrow("Pass the secret");
});

test("a signed body that is no such event is refused", () => {
  expect(() => parseWebhook(...signed({ ...erased, data: {} }), secret)).toThrow();
});
