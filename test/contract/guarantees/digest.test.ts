// What the port promises about the daily digest: one mail a day, of all processes together.
import { expect } from "vitest";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { allMails, digest, eva, lease, marketing, minute, noon, sales, sendAgain, settle } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

test("is one mail a day, however many processes store it", async ({ store, tested }) => {
  const other = await tested.openAgain();
  const stored = await Promise.all(
    [store, other, store, other].map((one, n) =>
      one.storeDigest({ ...digest, mails: { failed: n, inDoubt: 0 } }, noon),
    ),
  );
  expect(stored.filter(Boolean)).toHaveLength(1);
  expect(await allMails(store)).toMatchObject([{ kind: "digest", reference: null, email: null, status: "queued" }]);
  expect(await store.storeDigest({ ...digest, day: "2026-11-22" }, noon)).toBe(true);
  expect(await allMails(store)).toHaveLength(2);
});

test("is leased, sent and kept as other mails are, so that the day has one to the end", async ({ store }) => {
  await store.storeDigest(digest, noon);
  const [mail] = await store.mails.claim(noon, 10, lease);
  expect(mail).toMatchObject({ kind: "digest", about: { digest }, attempts: 0, denials: null });
  expect(await store.mails.claim(noon, 10, lease)).toEqual([]);
  const id = mail?.id ?? "";
  await settle(store, { sent: [{ id }] });
  expect(await allMails(store)).toMatchObject([{ status: "sent" }]);
  expect(await store.storeDigest(digest, noon + minute)).toBe(false);
  expect(await sendAgain(store, wholeScope, id, eva)).toBe("not-sendable");
});

test("is seen by those who see everything", async ({ store }) => {
  await store.storeDigest(digest, noon);
  const kinds = async (scope: typeof sales) =>
    (await store.desk.listMails(scope, undefined, {})).rows.map(({ kind }) => kind);
  expect([await kinds(wholeScope), await kinds(sales), await kinds(marketing)]).toEqual([["digest"], [], []]);
});

test.for(["null", "{", "{}"])("hands a digest over as refused that is %j", async (text, { store, tested }) => {
  await store.storeDigest(digest, noon);
  await tested.query(`UPDATE mail SET digest = '${text}'`);
  expect(await store.mails.claim(noon, 10, lease)).toMatchObject([{ about: { refused: "unreadable row" } }]);
});
