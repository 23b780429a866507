// What the port promises about addresses that must not be mailed, also when news comes twice or in disorder.
import { expect } from "vitest";
import { submissionKinds } from "../../../shared/src/kinds.ts";
import { listMails } from "../../../server/src/desk/mails.ts";
import type { SubmissionKind, SuppressionChange, SuppressionReason } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptMails,
  kindsOf,
  noon,
  onlySubscriber,
  sample,
  settle,
  subscribers,
  subscription,
} from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const email = "Reader@example.org";
const news = (reason: SuppressionReason | null, at = noon + 1): SuppressionChange => ({ email, reason, at });

let submitted = 0;

const mailed = async (store: Store, of = email, kind: SubmissionKind = "inquiry"): Promise<string[]> =>
  kindsOf((await accept(store, sample(kind, (submitted += 1), { email: of }))).mails);

const isSuppressed = async (store: Store, of = email) => !(await mailed(store, of)).includes("inquiry-receipt");

async function subscribed(store: Store, more: Parameters<typeof subscription>[0] = {}) {
  const stored = subscription(more);
  await accept(store, stored);
  return stored;
}

const reasons = ["bounced", "complained", "unsubscribed", "inactive", "manual"] as const;

test.for(reasons.flatMap((reason) => submissionKinds.map((kind) => [reason, kind] as const)))(
  "stops receipts to an address that is %s, in any case, and no notice, until it is lifted, which a complaint is never: %s",
  async ([reason, kind], { store }) => {
    const notice = `${kind}-notice`;
    expect(await mailed(store, email, kind)).toEqual([`${kind}-receipt`, notice]);
    const told = { ...news(reason), email: "rEADER@EXAMPLE.ORG" };
    expect(await store.suppress(told)).toBe(true);
    expect(await mailed(store, email, kind)).toEqual([notice]);
    expect(await isSuppressed(store, "other@example.org")).toBe(false);
    const canBeLifted = reason !== "complained";
    expect(await store.suppress(news(null, noon + 2))).toBe(canBeLifted);
    expect(await isSuppressed(store)).toBe(!canBeLifted);
    await store.suppress(news(reason, noon + 3));
    expect(await isSuppressed(store)).toBe(true);
  },
);

const refusals = [
  ["a receipt over its recipient", 0, true, true],
  ["a receipt over anything else", 0, false, false],
  ["a notice over its recipient", 1, true, false],
] as const;

test.for(refusals.flatMap(([name, ...refusal]) => submissionKinds.map((kind) => [name, kind, ...refusal] as const)))(
  "begins with the refusal of %s: %s",
  async ([_name, kind, which, inactiveRecipient, begins], { store }) => {
    const failed = [(await acceptMails(store, sample(kind, (submitted += 1), { email })))[which]];
    await settle(store, { failed }, { owner: "another-process" });
    await settle(store, { failed }, { owner: "another-process", inactiveRecipient: true });
    expect(await isSuppressed(store)).toBe(false);
    await settle(store, { failed }, { inactiveRecipient });
    expect(await isSuppressed(store)).toBe(begins);
    expect(await listMails(store.desk, { status: "failed", limit: 10 })).toHaveLength(1);
  },
);

test("begins with the refusal of a welcome mail because of its recipient", async ({ store }) => {
  const { mails } = await accept(store, subscription({ email, optIn: "single" }));
  await settle(store, { failed: mails }, { inactiveRecipient: true });
  expect(await onlySubscriber(store)).toMatchObject({ status: "bounced" });
  expect(await isSuppressed(store)).toBe(true);
});

type Told = readonly [SuppressionReason | null, at: number, isNews: boolean | undefined];
test.for<[string, boolean, ...Told[]]>([
  [
    "is not renewed by the repetition of what was lifted since",
    false,
    ["bounced", 0, true],
    [null, 1, true],
    ["bounced", 0, false],
  ],
  ["is not begun by news that comes after its lifting", false, [null, 1, true], ["bounced", 0, false]],
  ["stands against a lifting of the same instant, told first", true, ["bounced", 1, true], [null, 1, undefined]],
  ["stands against a lifting of the same instant, told last", true, [null, 1, true], ["bounced", 1, undefined]],
  [
    "learns why an address is inactive from older news",
    true,
    ["inactive", 5, true],
    ["bounced", 0, true],
    [null, 4, false],
  ],
])("%s", async ([_what, isStanding, ...told], { store }) => {
  for (const [reason, at, isNews] of told) {
    const answer = await store.suppress(news(reason, noon + at));
    if (isNews !== undefined) expect(answer).toBe(isNews);
  }
  expect(await isSuppressed(store)).toBe(isStanding);
});

test("counts a complaint however late it comes", async ({ store }) => {
  await subscribed(store);
  await store.suppress(news(null, noon + 5));
  expect(await store.suppress(news("complained", noon))).toBe(true);
  expect(await isSuppressed(store)).toBe(true);
  expect(await onlySubscriber(store)).toMatchObject({ status: "complained" });
});

test("ends alike for a subscriber, in whichever order a bounce or a leaving and other news are told", async ({
  store,
}) => {
  for (const before of ["pending", "active"] as const)
    for (const reason of ["bounced", "unsubscribed"] as const)
      for (const newer of [null, "manual", "unsubscribed", "bounced"] as const) {
        const told = [news(reason, noon + 3), news(newer, noon + 5)];
        const { subscriber, linkWorks, suppressed } = await outcome(store, before, told);
        const alike = { subscriber: { status: subscriber.status }, linkWorks, suppressed, isNewsAgain: false };
        for (const order of [told, told.toReversed()])
          expect(await outcome(store, before, order), `${before}, ${reason}, ${newer}`).toMatchObject(alike);
      }
});

test("does not end the subscription of a subscriber who has asked since", async ({ store }) => {
  const first = await subscribed(store);
  await store.followLink("confirm", { tokenHash: first.confirm.hash, at: noon + 4 });
  await store.suppress(news(null, noon + 5));
  expect(await store.suppress(news("unsubscribed", noon + 3))).toBe(false);
  expect(await onlySubscriber(store)).toMatchObject({ status: "active" });
});

let readers = 0;

/** What is left of a new subscriber and of what is known after the news. */
async function outcome(
  store: Store,
  before: "pending" | "active" | "active at once",
  changes: readonly SuppressionChange[],
) {
  const own = `reader-${(readers += 1)}@example.org`;
  const told = changes.map((change) => ({ ...change, email: own }));
  const first = await subscribed(store, { email: own, optIn: before === "active at once" ? "single" : "double" });
  const confirm = { tokenHash: first.confirm.hash, at: noon + 1 };
  if (before === "active") await store.followLink("confirm", confirm);
  for (const change of told) await store.suppress(change);
  let isNewsAgain = false;
  for (const change of told) isNewsAgain ||= await store.suppress(change);
  const { arrival: _, email: __, ...subscriber } = (await subscribers(store)).find((one) => one.email === own)!;
  return {
    subscriber,
    isNewsAgain,
    linkWorks: await store.checkLink("confirm", confirm),
    suppressed: await isSuppressed(store, own),
    liftedBetween: await store.suppress({ ...news(null, noon + 4), email: own }),
    lifted: await store.suppress({ ...news(null, noon + 6), email: own }),
  };
}

const refused = "inactive";
const expected = {
  bounced: "bounced",
  complained: "complained",
  unsubscribed: "unsubscribed",
  manual: null,
} as const;

test("ends alike for a subscriber, in whichever order a refusal and its reason are told", async ({ store }) => {
  for (const before of ["pending", "active", "active at once"] as const)
    for (const reason of ["bounced", "complained", "unsubscribed", "manual"] as const)
      for (const at of [3, 5]) {
        const told = [news(refused, noon + 8 - at), news(reason, noon + at)];
        const one = await outcome(store, before, told);
        const status = expected[reason] ?? before.split(" ")[0];
        expect(one, `${before}, ${reason} at ${at}`).toMatchObject({
          subscriber: { status },
          suppressed: true,
          isNewsAgain: false,
        });
        expect(await outcome(store, before, told.toReversed()), `${before}, ${reason} at ${at}`).toEqual(one);
      }
});

test("makes no subscriber active again who left between the two", async ({ store }) => {
  const first = await subscribed(store, { optIn: "single" });
  await store.suppress(news(refused, noon + 1));
  await store.followLink("unsubscribe", { tokenHash: first.unsubscribe.hash, at: noon + 2 });
  await store.suppress(news("manual", noon + 3));
  expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 2 });
});

test("makes no subscriber active again who bounced before", async ({ store }) => {
  const told = [news("bounced", noon + 2), news(null, noon + 3), news(refused, noon + 4), news("manual", noon + 5)];
  expect(await outcome(store, "active", told)).toMatchObject({ subscriber: { status: "bounced" }, suppressed: true });
});

test.for([
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
] as const)("who is %s and, by the news, %s, becomes %s", async ([before, reason, after], { store, tested }) => {
  await subscribed(store);
  await tested.setSubscriber(email, before, noon);
  await store.suppress(news(reason));
  expect(await onlySubscriber(store)).toMatchObject({ status: after });
});

test.for(["bounced", "complained", "unsubscribed", "inactive"] as const)(
  "deletes the confirm links of an address that is %s",
  async (reason, { store }) => {
    const first = await subscribed(store);
    await store.suppress(news(reason));
    await store.suppress(news(null, noon + 2));
    const link = { tokenHash: first.confirm.hash, at: noon + 3 };
    expect(await store.checkLink("confirm", link)).toBe(false);
    expect(await store.followLink("confirm", link)).toBe(false);
    expect(await onlySubscriber(store)).not.toMatchObject({ status: "active" });
  },
);

test("subscribes no address again when it is lifted", async ({ store }) => {
  await subscribed(store, { optIn: "single" });
  await store.suppress(news("unsubscribed"));
  await store.suppress(news(null, noon + 2));
  expect(await onlySubscriber(store)).toMatchObject({ status: "unsubscribed", unsubscribedAt: noon + 1 });
});

test("withholds the welcome mail, whose links do not exist and whose interval does not begin", async ({ store }) => {
  await store.suppress(news("bounced", noon - 2));
  const asked = subscription();
  expect(await accept(store, asked)).toMatchObject({ mails: [], capped: ["newsletter-welcome"] });
  const link = { at: noon + 1, tokenHash: asked.confirm.hash };
  expect(await store.checkLink("confirm", link)).toBe(false);
  expect(await store.checkLink("unsubscribe", { ...link, tokenHash: asked.unsubscribe.hash })).toBe(false);
  await store.suppress(news(null, noon - 1));
  expect((await accept(store, subscription({ receivedAt: noon + 1 }))).mails).toHaveLength(1);
  expect((await accept(store, subscription({ receivedAt: noon + 2 }))).mails).toHaveLength(0);
});

test("does not activate a suppressed address by a request alone", async ({ store }) => {
  await store.suppress(news("bounced", noon - 2));
  await subscribed(store, { optIn: "single" });
  expect(await onlySubscriber(store)).toMatchObject({ status: "pending" });
  await store.suppress(news(null, noon - 1));
  await subscribed(store, { optIn: "single", receivedAt: noon + 1 });
  expect(await onlySubscriber(store)).toMatchObject({ status: "active" });
});
