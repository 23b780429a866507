// What the port promises about subscribing: what changes, and when a welcome mail is one too many.
import { expect } from "vitest";
import { welcomeIntervalMs } from "../../../server/src/storage/limits.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { accept, allMails, consent, lease, noon, offer, onlySubscriber, subscription } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

/** Subscribes an address and answers whether a welcome mail was stored. */
async function subscribe(store: Store, more: Parameters<typeof subscription>[0] = {}): Promise<boolean> {
  return (await accept(store, subscription(more))).mails.length > 0;
}

const mailCount = async (store: Store) => (await allMails(store)).length;

test("takes a new address as pending with double opt-in, and mails it both links", async ({ store }) => {
  const given = subscription();
  const welcome = {
    email: given.email,
    requestId: given.requestId,
    language: "de",
    confirmToken: given.confirm.token,
    unsubscribeToken: given.unsubscribe.token,
  };
  expect(await accept(store, given)).toEqual({
    result: "accepted",
    reference: null,
    capped: [],
    mails: [
      {
        id: expect.any(String),
        kind: "newsletter-welcome",
        about: { welcome },
        createdAt: noon,
        attempts: 0,
        denials: null,
        leasedUntil: lease.until,
      },
    ],
  });
  expect(await onlySubscriber(store)).toEqual({
    arrival: expect.any(Number),
    email: "Reader@example.org",
    status: "pending",
    source: "footer",
    lastSource: "footer",
    subscribedAt: noon,
    confirmedAt: null,
    unsubscribedAt: null,
    language: "de",
    consent,
  });
  expect(await allMails(store)).toMatchObject([{ reference: null, email: given.email }]);
});

test("stores no subscription whose welcome mail cannot be stored", async ({ store, tested }) => {
  const first = subscription({ email: "first@example.org" });
  await accept(store, first);
  await using _failing = await tested.failMailsOf("newsletter-welcome");
  await expect(offer(store, subscription())).rejects.toThrow();
  expect(await onlySubscriber(store)).toMatchObject({ email: "first@example.org" });
});

test("mails an address once when it is subscribed many times at once", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const stores = [store, other, store, other, store];
  const mailed = await Promise.all(stores.map((one) => subscribe(one)));
  expect(mailed.filter(Boolean)).toHaveLength(1);
  expect(await mailCount(store)).toBe(1);
});

test("keeps the latest consent until the address is active, and that one from then on", async ({ store }) => {
  const later = { ...consent, text: "2026-12" };
  await subscribe(store);
  await subscribe(store, { receivedAt: noon + 1, consent: null });
  expect(await onlySubscriber(store)).toMatchObject({ consent });
  await subscribe(store, { receivedAt: noon + 2, consent: later, optIn: "single" });
  expect(await onlySubscriber(store)).toMatchObject({ status: "active", consent: later });
  await subscribe(store, { receivedAt: noon + 3, consent });
  expect(await onlySubscriber(store)).toMatchObject({ consent: later });
});

test("keeps the language of the latest form until the address is active, and then that one", async ({ tested }) => {
  const { store } = tested;
  for (const [index, status] of ([null, "unsubscribed", "bounced", "complained", "active"] as const).entries()) {
    if (status !== null) await tested.setSubscriber("Reader@example.org", status, noon + index);
    for (const language of ["en", "de"] as const) {
      await subscribe(store, { receivedAt: noon + index, language });
      expect(await onlySubscriber(store)).toMatchObject({ language: status === "active" ? "de" : language });
    }
  }
});

test("mails a pending address again only after an interval from its latest welcome mail", async ({ store }) => {
  await subscribe(store);
  expect(await subscribe(store, { receivedAt: noon + welcomeIntervalMs - 1 })).toBe(false);
  expect(await mailCount(store)).toBe(1);
  expect(await subscribe(store, { receivedAt: noon + welcomeIntervalMs })).toBe(true);
  expect(await subscribe(store, { receivedAt: noon + welcomeIntervalMs + 1 })).toBe(false);
  expect(await mailCount(store)).toBe(2);
});

test.for(["active", "bounced", "complained"] as const)(
  "leaves an address that is %s as it is, without mail, and keeps the latest source",
  async (status, { store, tested }) => {
    await subscribe(store);
    await tested.setSubscriber("Reader@example.org", status, noon + 1);
    for (const optIn of ["double", "single"] as const) {
      const again = { optIn, source: optIn, receivedAt: noon + 5 * welcomeIntervalMs };
      expect(await subscribe(store, again)).toBe(false);
      expect(await onlySubscriber(store)).toMatchObject({ status, lastSource: optIn });
    }
    expect(await mailCount(store)).toBe(1);
  },
);

test("mails an unsubscribed address again once an interval, until it confirms", async ({ tested }) => {
  const { store } = tested;
  await subscribe(store);
  await tested.setSubscriber("Reader@example.org", "unsubscribed", noon + 1);
  expect(await subscribe(store, { receivedAt: noon + 2, source: "blog" })).toBe(true);
  const expected = { status: "unsubscribed", unsubscribedAt: noon + 1, lastSource: "blog" };
  expect(await onlySubscriber(store)).toMatchObject(expected);
  expect(await mailCount(store)).toBe(2);
  expect(await subscribe(store, { receivedAt: noon + 3 })).toBe(false);
  expect(await subscribe(store, { receivedAt: noon + 2 + welcomeIntervalMs })).toBe(true);
});
