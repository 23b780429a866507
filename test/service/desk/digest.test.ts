// The daily digest: what is counted, when it is stored, and that one goes out.
import { expect, test } from "vitest";
import { systemClock } from "../../../server/src/clock.ts";
import { startDigests, storeDigest } from "../../../server/src/desk/digest.ts";
import { createLog } from "../../../server/src/observe/log.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import {
  accept,
  acceptReference,
  allMails,
  application,
  inquiry,
  lease,
  minute,
  noon,
} from "../../contract/records.ts";
import { openSqliteUnderTest } from "../../contract/sqlite-under-test.ts";
import { startService } from "../../support/service.ts";

const all = { kinds: ["inquiry", "application"], subscribers: true } as const;

test("counts new and open by kind, failed mails, and what waits longest", async () => {
  await using tested = await openSqliteUnderTest();
  const { store } = tested;
  const oldest = await acceptReference(store, inquiry(1, { receivedAt: noon - minute }));
  const open = await acceptReference(store, inquiry(2));
  const { mails } = await accept(store, application(3));
  await accept(store, inquiry(4), { spam: true });
  const eva = { operator: "eva@example.org", at: noon };
  await store.desk.triage(all, { targets: [{ reference: open, version: 1 }], status: "open" }, eva);
  const failed = { result: "failed", error: "e", denials: null, at: noon } as const;
  await store.mails.settle([{ id: mails[0]?.id ?? "", ...failed }], lease.owner);
  expect(await storeDigest(store, "2026-11-21", noon)).toBe(true);
  expect(await storeDigest(store, "2026-11-21", noon)).toBe(false);
  const claimed = await store.mails.claim(noon, 100, { ...lease, owner: "other" });
  const [digest] = claimed.flatMap(({ about }) => ("digest" in about ? about.digest : []));
  expect(digest).toMatchObject({
    day: "2026-11-21",
    inquiry: { new: 1, open: 1 },
    application: { new: 1, open: 0 },
    mails: { failed: 1, inDoubt: 0 },
  });
  expect(digest?.longest[0]).toEqual({ kind: "inquiry", reference: oldest, receivedAt: noon - minute });
  expect(JSON.stringify(digest)).not.toMatch(/ann|ana/i);
});

test.each([
  ["none was made", undefined, undefined],
  ["the last one is a day old", 24, undefined],
  ["the last one is older than 30 hours", 31, noon - 31 * 60 * minute],
])("tells of a missed backup only where there were some: %s", async (_when, hours, lastBackupAt) => {
  await using tested = await openSqliteUnderTest();
  const { store } = tested;
  if (hours !== undefined) {
    const at = noon - hours * 60 * minute;
    const subject = new Date(at).toISOString().replaceAll(":", "-");
    await store.desk.audit({ action: "backup", subject, detail: { lacking: 0 } }, { operator: "command line", at });
  }
  await storeDigest(store, "2026-11-21", noon);
  const claimed = await store.mails.claim(noon, 100, { ...lease, owner: "other" });
  const [digest] = claimed.flatMap(({ about }) => ("digest" in about ? about.digest : []));
  expect(digest?.lastBackupAt).toBe(lastBackupAt);
});

test("is stored once its time has come, and once a day, by all processes together", async () => {
  await using tested = await openSqliteUnderTest();
  const { store } = tested;
  let now = noon - 1;
  let looks = 0;
  const clock = {
    ...systemClock,
    now() {
      looks += 1;
      return now;
    },
  };
  const mailBacklog = () => store.mailBacklog();
  const counted = { desk: store.desk, mailBacklog, storeDigest: store.storeDigest.bind(store), clock };
  const options = { store: counted, atMinute: 720, log: createLog("silent"), pollMs: 2 };
  await using _one = startDigests(options);
  await using _other = startDigests(options);
  /** How many are stored once one of the two has looked more than twice. */
  const stored = async () => {
    const before = looks;
    await expect.poll(() => looks).toBeGreaterThan(before + 6);
    return (await allMails(store)).length;
  };
  expect(await stored()).toBe(0);
  now = noon;
  expect(await stored()).toBe(1);
  now += 24 * 60 * minute;
  expect(await stored()).toBe(2);
});

test("goes out as a mail to those who are named, with links to the console, and not unless they are", async () => {
  const PUBLIC_URL = "https://submissions.example.org";
  const DIGEST_EMAIL = "desk@example.org, boss@example.org";
  // Of a time that passes no midnight.
  const clock = { ...systemClock, now: () => noon };
  await using service = await startService({ clock, env: { PUBLIC_URL, DIGEST_EMAIL, DIGEST_AT: "00:00" } });
  await expect.poll(async () => (await service.mails()).length).toBe(1);
  const [mail] = await service.mails();
  expect(mail?.subject).toBe("Nothing waits (2026-11-21)");
  expect(mail?.to?.map(({ address }) => address)).toEqual(["desk@example.org", "boss@example.org"]);
  expect(mail?.text).toContain(`Open the console: ${PUBLIC_URL}/console`);
  await using silent = await startService({ clock, env: { DIGEST_AT: "00:00" } });
  // A digest is counted at the start, and waited for at the end.
  await silent.stop();
  await using store = await openStore(silent.storage, { access: "read-only" });
  expect(await allMails(store)).toEqual([]);
});
