// What the port promises about submissions that are kept as spam, and about releasing them.
import { expect, test } from "vitest";
import { application, collect, inquiry, lease, mail, minute, noon } from "../records.ts";
import type { OpenStoreUnderTest } from "../store-under-test.ts";

export function releaseGuarantees(open: OpenStoreUnderTest): void {
  test("keeps spam as it was given, with that status", async () => {
    await using tested = await open();
    await tested.store.acceptInquiry(inquiry(1, { status: "spam" }), [], lease);
    await tested.store.acceptApplication(application(2, { status: "spam" }), [], lease);
    expect(await collect(tested.store.exportInquiries(0))).toMatchObject([{ ...inquiry(1), status: "spam" }]);
    expect(await collect(tested.store.exportApplications(0))).toMatchObject([{ status: "spam" }]);
  });

  test("finds a submission of either kind by its reference", async () => {
    await using tested = await open();
    const [one, two] = [inquiry(1), application(1)];
    await tested.store.acceptInquiry(one, [], lease);
    await tested.store.acceptApplication(two, [], lease);
    expect(await tested.store.findSubmission(one.reference)).toMatchObject({ kind: "inquiry", inquiry: one });
    expect(await tested.store.findSubmission(two.reference)).toMatchObject({
      kind: "application",
      application: { fullName: two.fullName, status: "new" },
    });
    expect(await tested.store.findSubmission(inquiry(2).reference)).toBeNull();
  });

  test("makes released spam new, with mails that are due at once and held by nobody", async () => {
    await using tested = await open();
    const { reference } = inquiry(1);
    await tested.store.acceptInquiry(inquiry(1, { status: "spam" }), [], lease);
    const mails = [mail({ reference }), mail({ kind: "inquiry-notice", reference })];
    const now = noon + minute;
    expect(await tested.store.releaseSpam(reference, mails, now)).toEqual({
      result: "accepted",
      mails: mails.map(({ id }) => id),
    });
    expect(await tested.store.findSubmission(reference)).toMatchObject({ inquiry: { status: "new" } });
    const claimed = await tested.store.claimDueMails(now, 10, { owner: "sender", until: now + minute });
    expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(mails.map(({ id }) => id)));
  });

  test("releases once, and nothing that is no spam", async () => {
    await using tested = await open();
    await tested.store.acceptApplication(application(1, { status: "spam" }), [], lease);
    await tested.store.acceptInquiry(inquiry(2), [], lease);
    const { reference } = application(1);
    const answers = await Promise.all([1, 2].map(() => tested.store.releaseSpam(reference, [mail()], noon)));
    expect(answers.map(({ result }) => result).toSorted()).toEqual(["accepted", "not-spam"]);
    for (const other of [inquiry(2).reference, inquiry(3).reference]) {
      expect(await tested.store.releaseSpam(other, [mail()], noon)).toEqual({ result: "not-spam" });
    }
    expect(await tested.store.listMails({ limit: 10 })).toHaveLength(1);
  });

  test("stores no mail to somebody who has had enough of them", async () => {
    await using tested = await open();
    const receipt = () => mail({ content: { ...mail().content, to: ["ann@example.org"] } });
    await tested.store.acceptInquiry(inquiry(1), [receipt(), receipt(), receipt()], lease);
    await tested.store.acceptInquiry(inquiry(2, { status: "spam" }), [], lease);
    const notice = mail({ kind: "inquiry-notice" });
    const released = await tested.store.releaseSpam(inquiry(2).reference, [receipt(), notice], noon + minute);
    expect(released).toEqual({ result: "accepted", mails: [notice.id] });
  });
}
