// Several processes on one PostgreSQL database, each with a store of its own: what must hold for all of them together.
import { expect, test } from "vitest";
import { automaticMailsMax } from "../../server/src/storage/automatic-mail.ts";
import type { OpenStore } from "../../server/src/storage/open-store.ts";
import { openPostgresUnderTest } from "./postgres-under-test.ts";
import {
  application,
  collect,
  inquiry,
  lease,
  mail,
  noon,
  reference,
  resume,
  subscription,
  welcome,
} from "./records.ts";

async function openStores(count: number) {
  const tested = await openPostgresUnderTest("test");
  const stores = [tested.store];
  while (stores.length < count) stores.push(await tested.openAgain());
  return Object.assign(tested, { stores, contention: () => stores.map(({ commitCounts }) => commitCounts.busyTries) });
}

const mailTo = (email: string, kind: "inquiry-receipt" | "newsletter-welcome" = "inquiry-receipt") =>
  mail({ kind, content: { ...mail().content, to: [email] } });

/** Spreads work over the stores, all at the same time. */
const spread = <T>(stores: readonly OpenStore[], times: number, work: (store: OpenStore, n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, n) => work(stores[n % stores.length] as OpenStore, n)));

test("an address gets no more automatic mails in a day than it may, however many ask at once", async () => {
  await using tested = await openStores(4);
  const { stores, database } = tested;
  const people = ["a", "b", "c", "d", "e"].map((name) => `${name}@example.org`);
  await spread(stores, 200, (store, n) =>
    store.acceptInquiry(inquiry(n), [mailTo(people[(n * 7) % people.length] ?? "")], lease),
  );
  const counts = await database.query("SELECT automatic_to, count(*)::integer AS n FROM mail GROUP BY 1");
  expect(counts.map(({ n }) => n)).toEqual(people.map(() => automaticMailsMax));
  expect(await collect(tested.store.exportInquiries(0))).toHaveLength(200);
  expect(tested.contention()).toEqual([0, 0, 0, 0]);
});

test("an address that subscribes many times at once is one subscriber with one welcome mail", async () => {
  await using tested = await openStores(4);
  const { stores, store } = tested;
  const answers = await spread(stores, 60, (one, n) =>
    one.acceptSubscription(subscription({ email: `Reader${n % 3}@example.org`, source: `s${n}` }), welcome(), lease),
  );
  expect(answers.filter((answer) => answer.result === "accepted" && answer.mails.length === 1)).toHaveLength(3);
  const subscribers = await collect(store.exportSubscribers(0));
  expect(subscribers.map(({ email }) => email.toLowerCase())).toEqual([0, 1, 2].map((n) => `reader${n}@example.org`));
  expect(await store.listMails({ limit: 10 })).toHaveLength(3);
  expect(tested.contention()).toEqual([0, 0, 0, 0]);
});

test("a reference and a key are taken once, and who comes too late is told", async () => {
  await using tested = await openStores(3);
  const { stores, store } = tested;
  const sameReference = await spread(stores, 30, (one, n) =>
    one.acceptApplication(application(1, { resume: resume(n) }), [mail({ kind: "application-notice" })], lease),
  );
  expect(sameReference.map(({ result }) => result).toSorted()).toEqual([
    "accepted",
    ...Array<string>(29).fill("reference-taken"),
  ]);
  const key = { procedure: "marketplace.inquiry", keyHash: "k", fingerprint: "f", createdAt: noon };
  const sameKey = await spread(stores, 30, (one, n) => one.acceptInquiry(inquiry(n), [], lease, key));
  expect(sameKey.map(({ result }) => result).toSorted()).toEqual(["accepted", ...Array<string>(29).fill("repeated")]);
  expect(await store.listMails({ limit: 10 })).toHaveLength(1);
  expect(tested.contention()).toEqual([0, 0, 0]);
});

test("what changes an address waits for each other and never for each other in a circle", async () => {
  await using tested = await openStores(4);
  const { stores, store } = tested;
  const emails = Array.from({ length: 12 }, (_, n) => `p${n}@example.org`);
  const asked = emails.map((email) => subscription({ email }));
  await Promise.all(asked.map((one) => store.acceptSubscription(one, mailTo(one.email, "newsletter-welcome"), lease)));
  await spread(stores, 240, async (one, n): Promise<unknown> => {
    const who = asked[(n * 5) % asked.length];
    const email = who?.email ?? "";
    const link = (tokenHash: string | undefined) => ({ tokenHash: tokenHash ?? "", at: noon + n });
    switch (n % 6) {
      case 0:
        return one.confirmSubscription(link(who?.confirmTokenHash));
      case 1:
        return one.unsubscribe(link(who?.unsubscribeTokenHash));
      case 2:
        return one.suppress({ email, reason: n % 4 === 0 ? "inactive" : "bounced", at: noon + n });
      case 3:
        return one.acceptSubscription(subscription({ email, receivedAt: noon + n }), welcome(), lease);
      case 4:
        return one.acceptInquiry(inquiry(n), [mailTo(email), mailTo(emails[n % emails.length] ?? "")], lease);
      default:
        return one.suppress({ email, reason: null, at: noon + n });
    }
  });
  expect(tested.contention()).toEqual([0, 0, 0, 0]);
  expect(await collect(store.exportSubscribers(0))).toHaveLength(12);
});

test("each due mail is leased by one process, and none waits for another's", async () => {
  await using tested = await openStores(4);
  const { stores, store } = tested;
  await spread(stores, 100, (one, n) => one.acceptInquiry(inquiry(n), [mail()], { ...lease, until: noon - 1 }));
  const claimed = await spread(stores, 16, (one, n) =>
    one.claimDueMails(noon, 10, { owner: `sender-${n}`, until: noon + 60_000 }),
  );
  expect(claimed.every((mails) => mails.length <= 10)).toBe(true);
  const rest = await store.claimDueMails(noon, 100, { owner: "the last", until: noon + 60_000 });
  const ids = [...claimed.flat(), ...rest].map(({ id }) => id);
  expect(ids).toHaveLength(100);
  expect(new Set(ids).size).toBe(100);
});

test("submissions that come while others are being committed share the next transaction", async () => {
  await using tested = await openStores(1);
  const { store } = tested;
  await spread([store], 400, (one, n) => one.acceptInquiry(inquiry(n), [mail(), mail()], lease));
  const { commits, jobs } = store.commitCounts;
  expect(jobs).toBe(400);
  expect(commits).toBeLessThan(40);
  expect(await store.findSubmission(reference("INQ", 399))).not.toBeNull();
});
