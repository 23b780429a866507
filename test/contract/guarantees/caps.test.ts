// What the port promises about how many automatic mails an address gets.
import { expect } from "vitest";
import { capMs, newsletterMailsMax, receiptsMax, welcomeIntervalMs } from "../../../server/src/storage/limits.ts";
import type { SubmissionKind } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  allMails,
  inTurn,
  kindsOf,
  minute,
  noon,
  release,
  sample,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const email = "Reader@example.org";
let number = 100;
const submit = (store: Store, kind: SubmissionKind, receivedAt: number, address = email) =>
  accept(store, sample(kind, (number += 1), { email: address, receivedAt }));

eachKind("stores at most three receipts to one address in a day, and every notice: %s", async (kind, { store }) => {
  // Spam gets none, and does not count.
  await acceptReference(store, sample(kind, 9, { email }), { spam: true });
  expect(await accept(store, sample(kind, 1, { email: "rEADER@EXAMPLE.ORG" }))).toMatchObject({ capped: [] });
  for (let n = 1; n < receiptsMax; n += 1) expect(await submit(store, kind, noon + n)).toMatchObject({ capped: [] });
  const fourth = await submit(store, kind, noon + 10);
  expect(kindsOf(fourth.mails)).toEqual([`${kind}-notice`]);
  expect(fourth.capped).toEqual([`${kind}-receipt`]);
  expect(kindsOf((await submit(store, kind, noon + capMs)).mails)).toEqual([`${kind}-receipt`, `${kind}-notice`]);
  expect(kindsOf((await submit(store, kind, noon + capMs)).mails)).toEqual([`${kind}-notice`]);
  expect(kindsOf((await submit(store, kind, noon + 10, "other@example.org")).mails)).toEqual([
    `${kind}-receipt`,
    `${kind}-notice`,
  ]);
});

eachKind(
  "stores no more to an address whose submissions come at once, through several processes: %s",
  async (kind, { tested }) => {
    const { store } = tested;
    const stores = [store, await tested.openAgain()];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => submit(stores[n % 2]!, kind, noon)));
    expect(answers.filter(({ capped }) => capped.length === 0)).toHaveLength(receiptsMax);
    expect((await allMails(store)).filter((mail) => mail.kind === `${kind}-receipt`)).toHaveLength(receiptsMax);
  },
);

eachKind("counts the receipt of released spam from its release: %s", async (kind, { store }) => {
  const dayLater = noon + capMs;
  for (let n = 0; n < receiptsMax; n += 1) {
    const reference = await acceptReference(store, sample(kind, n, { email }), { spam: true });
    expect(await release(store, reference, dayLater)).toEqual({ result: "released", mails: 2 });
  }
  expect(await submit(store, kind, dayLater + 1)).toMatchObject({ capped: [`${kind}-receipt`] });
  const reference = await acceptReference(store, sample(kind, 9, { email }), { spam: true });
  expect(await release(store, reference, dayLater + minute)).toEqual({ result: "released", mails: 1 });
});

const subscribe = (store: Store, receivedAt: number) => accept(store, subscription({ receivedAt }));

test("stores at most three newsletter mails to an address in a day, whatever its receipts", async ({ store }) => {
  for (let n = 0; n < receiptsMax; n += 1) await accept(store, inTurn(n, { email }));
  for (let n = 0; n < newsletterMailsMax; n += 1) {
    expect(await subscribe(store, noon + n * welcomeIntervalMs)).toMatchObject({ capped: [] });
  }
  const fourth = await subscribe(store, noon + newsletterMailsMax * welcomeIntervalMs);
  expect(fourth).toMatchObject({ mails: [], capped: ["newsletter-welcome"] });
  expect((await subscribe(store, noon + capMs)).mails).toHaveLength(1);
});
