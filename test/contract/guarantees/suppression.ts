// What the port promises about addresses that must not be mailed: who gets nothing any more, what becomes of their
// subscription, and that news told twice or in disorder comes to the same.
import { expect, test } from "vitest";
import type { NewMail, SuppressionChange, SuppressionReason } from "../../../server/src/storage/records.ts";
import { automaticMailsMax } from "../../../server/src/storage/automatic-mail.ts";
import { type Store, welcomeIntervalMs } from "../../../server/src/storage/store.ts";
import { inquiry, lease, mail, noon, subscription, welcome } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";
import { onlySubscriber, subscribed } from "./newsletter-links.ts";

const email = "Reader@example.org";
const news = (reason: SuppressionReason | null, at = noon + 1): SuppressionChange => ({ email, reason, at });

const mailTo = (kind: NewMail["kind"]): NewMail => mail({ kind, content: { ...mail().content, to: [email] } });

let inquiries = 0;

/** Which kinds of mail to the address an inquiry brings. */
async function mailed(store: Store): Promise<string[]> {
  const mails = [mailTo("inquiry-receipt"), mailTo("inquiry-notice")];
  const accepted = await store.acceptInquiry(inquiry((inquiries += 1)), mails, lease);
  if (accepted.result !== "accepted") throw new Error(accepted.result);
  return mails.filter(({ id }) => accepted.mails.includes(id)).map(({ kind }) => kind);
}

const isSuppressed = async (store: Store) => !(await mailed(store)).includes("inquiry-receipt");

export function suppressionGuarantees(open: OpenStoreUnderTest): void {
  whatStops(open);
  repeatsAndDisorder(open);
  refusalsExplained(open);
  whatBecomesOfSubscribers(open);
  withheldWelcomes(open);
}

function whatStops(open: OpenStoreUnderTest): void {
  test.each<SuppressionReason>(["bounced", "complained", "unsubscribed", "inactive", "manual"])(
    "stops receipts to an address that is %s, in any case, and no notice",
    async (reason) => {
      await using tested = await open();
      expect(await mailed(tested.store)).toEqual(["inquiry-receipt", "inquiry-notice"]);
      const told = { ...news(reason), email: "rEADER@EXAMPLE.ORG" };
      expect(await tested.store.suppress(told)).toBe(true);
      expect(await mailed(tested.store)).toEqual(["inquiry-notice"]);
    },
  );

  test("stops nobody else's", async () => {
    await using tested = await open();
    await tested.store.suppress({ ...news("complained"), email: "other@example.org" });
    expect(await isSuppressed(tested.store)).toBe(false);
  });

  test.each<SuppressionReason>(["bounced", "unsubscribed", "inactive", "manual"])(
    "can be lifted from an address that is %s, and suppressed again",
    async (reason) => {
      await using tested = await open();
      await tested.store.suppress(news(reason, noon));
      expect(await tested.store.suppress(news(null, noon + 1))).toBe(true);
      expect(await isSuppressed(tested.store)).toBe(false);
      await tested.store.suppress(news(reason, noon + 2));
      expect(await isSuppressed(tested.store)).toBe(true);
    },
  );

  test.each([
    ["inquiry-receipt", true],
    ["inquiry-notice", false],
  ] as const)("begins with the refusal of an %s because of its recipient: %s", async (kind, begins) => {
    await using tested = await open();
    const refused = mailTo(kind);
    await tested.store.acceptInquiry(inquiry((inquiries += 1)), [refused], lease);
    const settlement = { id: refused.id, result: "failed", at: noon, error: "code 406", denials: null } as const;
    await tested.store.settleMails([settlement], "another-process");
    await tested.store.settleMails([{ ...settlement, inactiveRecipient: true }], "another-process");
    expect(await isSuppressed(tested.store)).toBe(false);
    await tested.store.settleMails([{ ...settlement, inactiveRecipient: true }], lease.owner);
    expect(await isSuppressed(tested.store)).toBe(begins);
    expect(await tested.store.listMails({ status: "failed", limit: 10 })).toHaveLength(1);
  });

  test("does not begin with a refusal for another reason", async () => {
    await using tested = await open();
    const refused = mailTo("inquiry-receipt");
    await tested.store.acceptInquiry(inquiry((inquiries += 1)), [refused], lease);
    const settlement = { id: refused.id, result: "failed", at: noon, error: "code 300", denials: null } as const;
    await tested.store.settleMails([{ ...settlement, inactiveRecipient: false }], lease.owner);
    expect(await isSuppressed(tested.store)).toBe(false);
  });

  test("is never lifted after a complaint", async () => {
    await using tested = await open();
    await tested.store.suppress(news("complained", noon));
    expect(await tested.store.suppress(news(null, noon + 1))).toBe(false);
    expect(await isSuppressed(tested.store)).toBe(true);
  });
}

function repeatsAndDisorder(open: OpenStoreUnderTest): void {
  test("says that a repetition is no news", async () => {
    await using tested = await open();
    for (const reason of ["bounced", "complained"] as const) {
      expect(await tested.store.suppress(news(reason))).toBe(true);
      expect(await tested.store.suppress(news(reason))).toBe(false);
    }
  });

  test("is not renewed by the repetition of what was lifted since", async () => {
    await using tested = await open();
    await tested.store.suppress(news("bounced", noon));
    await tested.store.suppress(news(null, noon + 1));
    expect(await tested.store.suppress(news("bounced", noon))).toBe(false);
    expect(await isSuppressed(tested.store)).toBe(false);
  });

  test("is not begun by news that comes after its lifting", async () => {
    await using tested = await open();
    expect(await tested.store.suppress(news(null, noon + 1))).toBe(true);
    expect(await tested.store.suppress(news("bounced", noon))).toBe(false);
    expect(await isSuppressed(tested.store)).toBe(false);
  });

  test.each([
    ["first", ["bounced", null]],
    ["last", [null, "bounced"]],
  ] as const)("stands against a lifting of the same instant, told %s", async (_when, told) => {
    await using tested = await open();
    for (const reason of told) await tested.store.suppress(news(reason));
    expect(await isSuppressed(tested.store)).toBe(true);
  });

  test("counts a complaint however late it comes", async () => {
    await using tested = await open();
    await subscribed(tested.store);
    await tested.store.suppress(news(null, noon + 5));
    expect(await tested.store.suppress(news("complained", noon))).toBe(true);
    expect(await isSuppressed(tested.store)).toBe(true);
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "complained" });
  });

  test("learns why an address is inactive from older news", async () => {
    await using tested = await open();
    await tested.store.suppress(news("inactive", noon + 5));
    expect(await tested.store.suppress(news("bounced", noon))).toBe(true);
    expect(await tested.store.suppress(news(null, noon + 4))).toBe(false);
    expect(await isSuppressed(tested.store)).toBe(true);
  });
}

function refusalsExplained(open: OpenStoreUnderTest): void {
  const refused = "inactive";
  const beginnings = ["pending", "active", "active at once"] as const;

  /** What is left of a subscriber and of what is known after the news. */
  async function outcome(before: (typeof beginnings)[number], told: readonly SuppressionChange[]) {
    await using tested = await open();
    const first = await subscribed(tested.store, { optIn: before === "active at once" ? "single" : "double" });
    const confirm = { tokenHash: first.confirmTokenHash, at: noon + 1 };
    if (before === "active") await tested.store.confirmSubscription(confirm);
    for (const change of told) await tested.store.suppress(change);
    return {
      subscriber: await onlySubscriber(tested.store),
      linkWorks: await tested.store.checkLink("confirm", confirm),
      suppressed: await isSuppressed(tested.store),
      liftedBetween: await tested.store.suppress(news(null, noon + 4)),
      lifted: await tested.store.suppress(news(null, noon + 6)),
    };
  }

  const expected = {
    bounced: "bounced",
    complained: "complained",
    unsubscribed: "unsubscribed",
    manual: null,
  } as const;
  const reasons = ["bounced", "complained", "unsubscribed", "manual"] as const;
  const cases = beginnings.flatMap((before) =>
    reasons.flatMap((reason) => ([3, 5] as const).map((at) => ({ before, reason, at, refusedAt: 8 - at }))),
  );

  test.each(cases)(
    "ends alike for a subscriber who is $before, a refusal at $refusedAt and $reason at $at told in either order",
    async ({ before, reason, at, refusedAt }) => {
      const told = [news(refused, noon + refusedAt), news(reason, noon + at)];
      const one = await outcome(before, told);
      expect(one).toMatchObject({ subscriber: { status: expected[reason] ?? before.split(" ")[0] }, suppressed: true });
      expect(await outcome(before, told.toReversed())).toEqual(one);
    },
  );

  test("makes nobody active again who left between the two", async () => {
    await using tested = await open();
    const first = await subscribed(tested.store, { optIn: "single" });
    await tested.store.suppress(news(refused, noon + 1));
    await tested.store.unsubscribe({ tokenHash: first.unsubscribeTokenHash, at: noon + 2 });
    await tested.store.suppress(news("manual", noon + 3));
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 2 });
  });

  test("makes nobody active again who bounced before", async () => {
    const told = [news("bounced", noon + 2), news(null, noon + 3), news(refused, noon + 4), news("manual", noon + 5)];
    expect(await outcome("active", told)).toMatchObject({ subscriber: { status: "bounced" }, suppressed: true });
  });
}

function whatBecomesOfSubscribers(open: OpenStoreUnderTest): void {
  test.each([
    ["pending", "bounced", "bounced"],
    ["active", "bounced", "bounced"],
    ["unsubscribed", "bounced", "bounced"],
    ["complained", "bounced", "complained"],
    ["pending", "complained", "complained"],
    ["active", "complained", "complained"],
    ["unsubscribed", "complained", "complained"],
    ["bounced", "complained", "complained"],
    ["pending", "unsubscribed", "unsubscribed"],
    ["active", "unsubscribed", "unsubscribed"],
    ["bounced", "unsubscribed", "bounced"],
    ["complained", "unsubscribed", "complained"],
    ["active", "inactive", "bounced"],
    ["unsubscribed", "inactive", "unsubscribed"],
    ["active", "manual", "active"],
    ["pending", "manual", "pending"],
  ] as const)("of a subscriber who is %s, news that they %s makes one who is %s", async (before, reason, after) => {
    await using tested = await open();
    await subscribed(tested.store);
    await tested.setSubscriber(email, before, noon);
    await tested.store.suppress(news(reason));
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: after });
  });

  test("notes when a subscriber left with the provider", async () => {
    await using tested = await open();
    await subscribed(tested.store);
    await tested.store.suppress(news("unsubscribed", noon + 7));
    expect(await onlySubscriber(tested.store)).toMatchObject({ unsubscribedAt: noon + 7 });
  });

  test.each(["bounced", "complained", "unsubscribed", "inactive"] as const)(
    "kills the confirm links of an address that is %s, for good",
    async (reason) => {
      await using tested = await open();
      const first = await subscribed(tested.store);
      await tested.store.suppress(news(reason));
      await tested.store.suppress(news(null, noon + 2));
      const link = { tokenHash: first.confirmTokenHash, at: noon + 3 };
      expect(await tested.store.checkLink("confirm", link)).toBe(false);
      expect(await tested.store.confirmSubscription(link)).toBe(false);
      expect(await onlySubscriber(tested.store)).not.toMatchObject({ status: "active" });
    },
  );

  test("subscribes nobody again when it is lifted", async () => {
    await using tested = await open();
    await subscribed(tested.store, { optIn: "single" });
    await tested.store.suppress(news("unsubscribed"));
    await tested.store.suppress(news(null, noon + 2));
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "unsubscribed" });
  });
}

function withheldWelcomes(open: OpenStoreUnderTest): void {
  async function subscribe(store: Store, more: Parameters<typeof subscription>[0]) {
    const asked = subscription(more);
    const accepted = await store.acceptSubscription(asked, welcome(), lease);
    return { asked, mails: accepted.result === "accepted" ? accepted.mails.length : 0 };
  }

  test("withholds the welcome mail, whose links then do not exist and whose interval does not begin", async () => {
    await using tested = await open();
    await tested.store.suppress(news("bounced", noon - 2));
    const { asked, mails } = await subscribe(tested.store, {});
    expect(mails).toBe(0);
    const link = { at: noon + 1, tokenHash: asked.confirmTokenHash };
    expect(await tested.store.checkLink("confirm", link)).toBe(false);
    expect(await tested.store.checkLink("unsubscribe", { ...link, tokenHash: asked.unsubscribeTokenHash })).toBe(false);
    await tested.store.suppress(news(null, noon - 1));
    expect((await subscribe(tested.store, { receivedAt: noon + 1 })).mails).toBe(1);
    expect((await subscribe(tested.store, { receivedAt: noon + 2 })).mails).toBe(0);
  });

  test("begins no interval either when the address has had its mails of the day", async () => {
    await using tested = await open();
    for (let sent = 0; sent < automaticMailsMax; sent += 1) await mailed(tested.store);
    expect((await subscribe(tested.store, { receivedAt: noon })).mails).toBe(0);
    const nextDay = noon + 24 * 60 * 60_000;
    expect((await subscribe(tested.store, { receivedAt: nextDay })).mails).toBe(1);
    expect((await subscribe(tested.store, { receivedAt: nextDay + welcomeIntervalMs - 1 })).mails).toBe(0);
  });

  test("makes no active subscriber of a suppressed address by a mere request", async () => {
    await using tested = await open();
    await tested.store.suppress(news("bounced", noon - 2));
    await subscribe(tested.store, { optIn: "single" });
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "pending" });
    await tested.store.suppress(news(null, noon - 1));
    await subscribe(tested.store, { optIn: "single", receivedAt: noon + 1 });
    expect(await onlySubscriber(tested.store)).toMatchObject({ status: "active" });
  });
}
