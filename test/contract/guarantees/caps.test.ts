// What the port promises about how many automatic mails an address gets.
import { expect } from "vitest";
import { capMs, newsletterMailsMax, receiptsMax, welcomeIntervalMs } from "../../../server/src/storage/limits.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  inquiry,
  kindsOf,
  minute,
  noon,
  release,
  subscription,
} from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

const email = "Reader@example.org";
const both = ["inquiry-receipt", "inquiry-notice"];

const inquire = (store: Store, receivedAt: number, address = email) =>
  accept(store, inquiry(1, { email: address, receivedAt }));

test("stores at most three receipts to one address in a day, and every notice", async ({ store }) => {
  // Spam gets none, and does not count.
  await acceptReference(store, inquiry(9, { email }), { spam: true });
  expect(await accept(store, application(1, { email: "rEADER@EXAMPLE.ORG" }))).toMatchObject({ capped: [] });
  for (let n = 1; n < receiptsMax; n += 1) expect(await inquire(store, noon + n)).toMatchObject({ capped: [] });
  const fourth = await inquire(store, noon + 10);
  expect(kindsOf(fourth.mails)).toEqual(["inquiry-notice"]);
  expect(fourth.capped).toEqual(["inquiry-receipt"]);
  expect(kindsOf((await inquire(store, noon + capMs)).mails)).toEqual(both);
  expect(kindsOf((await inquire(store, noon + capMs)).mails)).toEqual(["inquiry-notice"]);
  expect(kindsOf((await inquire(store, noon + 10, "other@example.org")).mails)).toEqual(both);
});

test("stores no more to an address whose submissions come at once, through several processes", async ({ tested }) => {
  const { store } = tested;
  const stores = [store, await tested.openAgain()];
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => inquire(stores[n % 2]!, noon)));
  expect(answers.filter(({ capped }) => capped.length === 0)).toHaveLength(receiptsMax);
  expect((await allMails(store)).filter(({ kind }) => kind === "inquiry-receipt")).toHaveLength(receiptsMax);
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
