// What the port promises about the store as a whole: readiness, closing.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { accept, findResume, inquiries, inquiry, noon, offer, settle } from "../records.ts";
import { contractTest as test } from "../engine-under-test.ts";

test("is ready when submissions can be stored, and has an identity that is long and random", async ({ store }) => {
  expect(await store.checkReadiness()).toEqual({ ready: true });
  expect(store.identity).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(store.identity).size).toBeGreaterThan(4);
});

test("stores what was handed in before it closes", async ({ store, tested }) => {
  const closing = await tested.openAgain();
  const accepted = accept(closing, inquiry(1));
  await closing[Symbol.asyncDispose]();
  expect(await accepted).toMatchObject({ result: "accepted" });
  expect(await inquiries(store)).toHaveLength(1);
});

test("refuses everything as unavailable once it is closed, and may be closed twice", async ({ tested }) => {
  const store = await tested.openAgain();
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  const refused = [
    offer(store, inquiry(1)),
    findResume(store, "INQ-20261121-000000"),
    listMails(store.desk, { limit: 1 }),
    store.forgetExpired(noon),
    inquiries(store),
    store.desk.listSubmissions(wholeScope, {}, {}),
    store.desk.listSubscribers({}, {}),
    store.desk.listMails(wholeScope, undefined, {}),
    store.desk.overview(wholeScope, noon),
  ];
  for (const call of await Promise.allSettled(refused)) {
    expect(call).toMatchObject({ status: "rejected", reason: expect.any(StorageUnavailable) });
  }
  expect(await store.checkReadiness()).toMatchObject({ ready: false });
});

test("counts commits and what shares them: what comes at once, and settlements with it", async ({ store }) => {
  const before = store.commitCounts;
  const all = await Promise.all(Array.from({ length: 64 }, (_, number) => accept(store, inquiry(number))));
  const { commits, jobs, waiting } = store.commitCounts;
  expect(jobs - before.jobs).toBe(64);
  expect(commits - before.commits).toBeLessThanOrEqual(8);
  expect(waiting).toBe(0);
  const mails = all.flatMap((one) => one.mails);
  await Promise.all([settle(store, { sent: mails }), ...[65, 66].map((n) => accept(store, inquiry(n)))]);
  expect(store.commitCounts.commits - commits).toBe(1);
  expect(await listMails(store.desk, { status: "sent", limit: 1_000 })).toHaveLength(128);
});
