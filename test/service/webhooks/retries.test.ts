// Tries by a clock of the test, on a store and a receiver that are real.
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../server/src/clock.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import { startSender } from "../../../server/src/webhooks/sender.ts";
import { accept, inquiry, noon } from "../../contract/records.ts";
import { openFolder } from "../../support/folder.ts";
import { anew } from "../../support/shared.ts";
import { openReceiver } from "../../support/webhooks/receiver.ts";

const eva = { operator: "eva@example.org", at: noon };
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const hour = 60 * 60_000;
let now = noon;

const folder = anew(openFolder);
const receiver = anew(openReceiver);
const clock = { ...systemClock, now: () => now };
const store = anew(() => openStore({ kind: "sqlite", file: `${folder().path}/s.db` }, { clock }));

beforeEach(async () => {
  now = noon;
  await store().webhooks.add({ url: receiver().url, events: ["inquiry.received"], secret }, eva);
});

const log = createLog("silent");
const publicUrl = () => "https://s.example.org";
const send = () => startSender({ store: store(), targets: "loopback", publicUrl, log, pollMs: 5 });
const row = async () => (await store().webhooks.listDeliveries(null, {})).rows[0];

test("a failed try is repeated after the delay, under the same id, until the receiver takes it", async () => {
  await accept(store(), inquiry(1));
  receiver().answer({ status: 500 }, { status: 503, headers: { "retry-after": "7200" } });
  await using _sender = send();
  const attempts = (count: number) => expect.poll(async () => (await row())?.attempts).toBe(count);

  await receiver().got(1);
  await attempts(1);
  now += 5_000 * 1.02;
  await receiver().got(2);
  await attempts(2);
  expect(await row()).toMatchObject({ status: "queued", dueAt: now + 7_200_000, lastAnswer: "HTTP 503" });
  now += 7_200_000;
  await receiver().got(3);
  await attempts(3);
  expect(await row()).toMatchObject({ status: "delivered", endedAt: now });
  expect(new Set(receiver().received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  const seconds = receiver().received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  expect(seconds).toEqual([noon, noon + 5_100, noon + 7_205_100].map((at) => Math.floor(at / 1000)));
});

test("what was found to be spam since is kept back", async () => {
  const { reference } = await accept(store(), inquiry(1));
  const whole = { kinds: ["inquiry"], subscribers: false } as const;
  const targets = [{ reference: reference ?? "", version: 1 }];
  await store().desk.triage(whole, { targets, status: "spam" }, eva);
  await using _sender = send();
  await expect.poll(async () => (await row())?.status).toBe("failed");
  expect(await row()).toMatchObject({ lastAnswer: "kept back: spam" });
  expect(receiver().connections).toBe(0);
});

test.each([
  ["two hours back", -2 * hour],
  ["two years ahead", 730 * 24 * hour],
])("a call is not made twice when the clock is set %s meanwhile", async (_, ms) => {
  receiver().answer(null);
  await using _sender = send();
  await accept(store(), inquiry(1));
  await receiver().got(1);
  now += ms;
  // The sender has looked since, and once more: it has made these calls.
  for (const count of [2, 3]) {
    await accept(store(), inquiry(count, { receivedAt: now }));
    await receiver().got(count);
    await expect.poll(async () => (await row())?.status).toBe("delivered");
  }
  expect(new Set(receiver().received.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
  expect(receiver().received).toHaveLength(3);
});

test("a call that hangs holds up no other delivery to the same webhook", async () => {
  receiver().answer(null);
  await using _sender = send();
  await accept(store(), inquiry(1));
  await receiver().got(1);
  for (let number = 2; number < 20; number += 1) await accept(store(), inquiry(number));
  await receiver().got(19);
  const { rows } = await store().webhooks.listDeliveries(null, { limit: 100 });
  expect(rows.at(-1)).toMatchObject({ status: "queued", attempts: 0 });
});
