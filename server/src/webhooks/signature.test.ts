import { expect, test } from "vitest";
import { drawWebhookSecret, signedHeaders } from "./signature.ts";

test("signs the example of the specification", () => {
  const at = 1_614_265_330_000;
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  expect(signedHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", '{"test": 2432232314}', [secret], at)).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("draws a secret of 32 random bytes each time", () => {
  const [one, other] = [drawWebhookSecret(), drawWebhookSecret()];
  expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(one).not.toBe(other);
});
