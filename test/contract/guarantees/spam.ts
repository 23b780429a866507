// What the port promises about submissions that are kept as spam, and about releasing them.
import { expect, test } from "vitest";
import {
  accept,
  acceptReference,
  allMails,
  application,
  applications,
  idsOf,
  inquiries,
  inquiry,
  kindsOf,
  minute,
  noon,
  release,
} from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

const spam = { spam: true };

export function spamGuarantees(open: OpenStoreUnderTest): void {
  test("keeps spam as it was given, with that status and without mails", async () => {
    await using tested = await open();
    const { store } = tested;
    expect(await accept(store, inquiry(1), spam)).toMatchObject({ mails: [], capped: [] });
    expect(await accept(store, application(2), spam)).toMatchObject({ mails: [], capped: [] });
    expect(await inquiries(store)).toMatchObject([{ ...inquiry(1), status: "spam" }]);
    expect(await applications(store)).toMatchObject([{ ...application(2), status: "spam" }]);
    expect(await allMails(store)).toEqual([]);
  });

  test("makes released spam new, with mails that are due at once and leased to no process", async () => {
    await using tested = await open();
    const { store } = tested;
    const reference = await acceptReference(store, inquiry(1), spam);
    const now = noon + minute;
    expect(await release(store, reference, now)).toEqual({ result: "released", mails: 2 });
    expect(await store.findSubmission(reference)).toMatchObject({ status: "new", version: 2 });
    const claimed = await store.claimDueMails(now, 10, { owner: "sender", until: now + minute });
    expect(kindsOf(claimed)).toEqual(["inquiry-receipt", "inquiry-notice"]);
    for (const mail of claimed) {
      expect(mail).toMatchObject({
        createdAt: now,
        denials: null,
        about: { submission: { reference, status: "new" } },
      });
    }
    expect(idsOf(await allMails(store)).toReversed()).toEqual(idsOf(claimed));
  });

  test("releases once, and nothing that is no spam", async () => {
    await using tested = await open();
    const { store } = tested;
    const reference = await acceptReference(store, application(1), spam);
    const answers = await Promise.all([1, 2].map(() => release(store, reference, noon)));
    expect(answers.map(({ result }) => result).toSorted()).toEqual(["not-spam", "released"]);
    const other = await acceptReference(store, inquiry(2));
    expect(await release(store, other, noon)).toEqual({ result: "not-spam" });
    expect(await release(store, "INQ-20251121-000000", noon)).toEqual({ result: "unknown" });
    expect(await release(store, "no reference", noon)).toEqual({ result: "unknown" });
    expect(await allMails(store)).toHaveLength(4);
  });

  test("stores no receipt to a suppressed address when its spam is released", async () => {
    await using tested = await open();
    const { store } = tested;
    const given = inquiry(1);
    const reference = await acceptReference(store, given, spam);
    await store.suppress({ email: given.email, reason: "complained", at: noon });
    expect(await release(store, reference, noon)).toEqual({ result: "released", mails: 1 });
    expect(kindsOf(await allMails(store))).toEqual(["inquiry-notice"]);
  });
}
