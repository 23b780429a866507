// What the port promises about how many automatic mails an address gets.
import { expect } from "vitest";
import { capMs, newsletterMailsMax, receiptsMax } from "../../../server/src/storage/rules/mails.ts";
import { type Store, welcomeIntervalMs } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  inquiry,
  kindsOf,
  minute,
  noon,
  subscription,
  release,
} from "../records.ts";
import type { StoreTest } from "../store-under-test.ts";

const email = "Reader@example.org";
const both = ["inquiry-receipt", "inquiry-notice"];

export function capGuarantees(test: StoreTest): void {
  receipts(test);
  newsletter(test);
}

function receipts(test: StoreTest): void {
  const inquire = (store: Store, receivedAt: number, address = email) =>
    accept(store, inquiry(1, { email: address, receivedAt }));

  test("stores at most three receipts to one address in a day, and every notice", async ({ store }) => {
    for (let n = 0; n < receiptsMax; n += 1) {
      expect(await inquire(store, noon + n, n === 0 ? "rEADER@EXAMPLE.ORG" : email)).toMatchObject({ capped: [] });
    }
    const fourth = await inquire(store, noon + 10);
    expect(kindsOf(fourth.mails)).toEqual(["inquiry-notice"]);
    expect(fourth.capped).toEqual(["inquiry-receipt"]);
    expect(kindsOf((await inquire(store, noon + capMs)).mails)).toEqual(both);
    expect(kindsOf((await inquire(store, noon + capMs)).mails)).toEqual(["inquiry-notice"]);
    expect(kindsOf((await inquire(store, noon + 10, "other@example.org")).mails)).toEqual(both);
  });

  test("counts the receipts of inquiries and applications together", async ({ store }) => {
    for (let n = 0; n < receiptsMax; n += 1) await accept(store, application(n, { email }));
    expect(await inquire(store, noon)).toMatchObject({ capped: ["inquiry-receipt"] });
  });

  test("stores no more receipts to an address whose submissions come at the same time", async ({ store }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => inquire(store, noon)));
    expect(answers.filter(({ capped }) => capped.length === 0)).toHaveLength(receiptsMax);
    expect((await allMails(store)).filter(({ kind }) => kind === "inquiry-receipt")).toHaveLength(receiptsMax);
  });

  test("does not count submissions that got no receipt", async ({ store }) => {
    for (let n = 0; n < 5; n += 1) await accept(store, inquiry(n, { email }), { spam: true });
    expect(await inquire(store, noon)).toMatchObject({ capped: [] });
  });

  test("counts the receipt of released spam from its release", async ({ store }) => {
    const dayLater = noon + capMs;
    for (let n = 0; n < receiptsMax; n += 1) {
      const reference = await acceptReference(store, inquiry(n, { email }), { spam: true });
      expect(await release(store, reference, dayLater)).toEqual({ result: "released", mails: 2 });
    }
    expect(await inquire(store, dayLater + 1)).toMatchObject({ capped: ["inquiry-receipt"] });
    const reference = await acceptReference(store, inquiry(9, { email }), { spam: true });
    expect(await release(store, reference, dayLater + minute)).toEqual({ result: "released", mails: 1 });
  });

  test("does not let newsletter mails count: receipts must not tell who has subscribed", async ({ store }) => {
    for (let n = 0; n < newsletterMailsMax; n += 1) {
      const { mails } = await accept(store, subscription({ receivedAt: noon + n * welcomeIntervalMs }));
      expect(mails).toHaveLength(1);
    }
    for (let n = 0; n < receiptsMax; n += 1) {
      expect(await inquire(store, noon + newsletterMailsMax * welcomeIntervalMs)).toMatchObject({ capped: [] });
    }
  });
}

function newsletter(test: StoreTest): void {
  const subscribe = (store: Store, receivedAt: number) => accept(store, subscription({ receivedAt }));

  test("stores at most three newsletter mails to an address in a day, whatever its receipts", async ({ store }) => {
    for (let n = 0; n < receiptsMax; n += 1) await accept(store, inquiry(n, { email }));
    for (let n = 0; n < newsletterMailsMax; n += 1) {
      expect(await subscribe(store, noon + n * welcomeIntervalMs)).toMatchObject({ capped: [] });
    }
    const fourth = await subscribe(store, noon + newsletterMailsMax * welcomeIntervalMs);
    expect(fourth).toMatchObject({ mails: [], capped: ["newsletter-welcome"] });
    expect((await subscribe(store, noon + capMs)).mails).toHaveLength(1);
  });

  test("begins no interval and stores no link when the mail is left out", async ({ store }) => {
    for (let n = 0; n < newsletterMailsMax; n += 1) await subscribe(store, noon + n * welcomeIntervalMs);
    const capped = subscription({ receivedAt: noon + capMs - 1 });
    expect((await accept(store, capped)).mails).toEqual([]);
    expect(await store.checkLink("confirm", { tokenHash: capped.confirm.hash, at: noon + capMs })).toBe(false);
    expect(await store.checkLink("unsubscribe", { tokenHash: capped.unsubscribe.hash, at: noon + capMs })).toBe(false);
    expect((await subscribe(store, noon + capMs)).mails).toHaveLength(1);
    expect((await subscribe(store, noon + capMs + welcomeIntervalMs - 1)).mails).toEqual([]);
  });
}
