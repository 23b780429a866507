// What the port promises about the store as a whole: readiness, closing.
import { expect } from "vitest";
import { listMails } from "../../../server/src/desk/mails.ts";
import { submissionKinds } from "../../../shared/src/kinds.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { StorageUnavailable } from "../../../server/src/storage/store.ts";
import { accept, findResume, inTurn, minute, noon, offer, sample, settle, submissions } from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

test("is ready when submissions can be stored, and has an identity that is long and random", async ({ store }) => {
  expect(await store.checkReadiness()).toEqual({ ready: true });
  expect(store.identity).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(store.identity).size).toBeGreaterThan(4);
});

eachKind("stores what was handed in before it closes: %s", async (kind, { store, tested }) => {
  const closing = await tested.openAgain();
  const accepted = accept(closing, sample(kind, 1));
  await closing[Symbol.asyncDispose]();
  expect(await accepted).toMatchObject({ result: "accepted" });
  expect(await submissions(store, kind)).toHaveLength(1);
});

test("refuses everything as unavailable once it is closed, and may be closed twice", async ({ tested }) => {
  const store = await tested.openAgain();
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  const refused = [
    ...submissionKinds.flatMap((kind) => [offer(store, sample(kind, 1)), submissions(store, kind)]),
    findResume(store, "APP-20261121-000000"),
    listMails(store.desk, { limit: 1 }),
    store.forgetExpired(noon),
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
  const all = await Promise.all(Array.from({ length: 64 }, (_, number) => accept(store, inTurn(number))));
  const { commits, jobs, waiting } = store.commitCounts;
  expect(jobs - before.jobs).toBe(64);
  expect(commits - before.commits).toBeLessThanOrEqual(8);
  expect(waiting).toBe(0);
  const mails = all.flatMap((one) => one.mails);
  await Promise.all([settle(store, { sent: mails }), ...[65, 66].map((n) => accept(store, inTurn(n)))]);
  expect(store.commitCounts.commits - commits).toBe(1);
  expect(await listMails(store.desk, { status: "sent", limit: 1_000 })).toHaveLength(128);
});

test("knows the newest whole backup, whatever else the audit log has, and none of a time that has not come", async ({
  store,
}) => {
  const { desk } = store;
  const dayMs = 24 * 60 * minute;
  const record = (action: string, subject: string, at: number, detail: object = {}) =>
    desk.audit({ action, subject, detail: { ...detail } }, { operator: "command line", at });
  const made = (at: number, detail: object = { folder: "/backups", lacking: 0 }) =>
    record("backup", new Date(at).toISOString().replaceAll(":", "-"), at, detail);
  await record("mail.retry", "2-mhzk2a8f", noon);
  await record("operator.invite", "2026-11-20@example.org", noon);
  expect(await desk.latestBackup(noon)).toBeNull();
  // As an earlier build recorded it.
  await made(noon - 3 * dayMs, { folder: "/backups" });
  await made(noon - 2 * dayMs);
  await made(noon - dayMs, { folder: "/backups", lacking: 1 });
  await made(noon + 400 * dayMs);
  const latest = await desk.latestBackup(noon);
  expect(latest).toMatchObject({ subject: "2026-11-19T12-00-00.000Z", at: noon - 2 * dayMs, action: "backup" });
  await made(noon);
  expect((await desk.latestBackup(noon))?.at).toBe(noon);
  expect((await desk.latestBackup(noon - 2.5 * dayMs))?.at).toBe(noon - 3 * dayMs);
});
