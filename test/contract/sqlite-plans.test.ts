// The queries that run all the time, or over everything, find an index for what they do.
import { expect, test } from "vitest";
import { SqliteConnection } from "../../server/src/storage/sqlite/connection.ts";
import { applyPending, sqliteMigrations } from "../../server/src/storage/sqlite/migrate.ts";
import { SqliteStore } from "../../server/src/storage/sqlite/sqlite-store.ts";
import { collect, day, lease, noon } from "./records.ts";
import { openFolder } from "./sqlite-under-test.ts";

/** Notes the text of every query that the connection runs. */
function observe(connection: SqliteConnection): string[] {
  const texts: string[] = [];
  const all = connection.all.bind(connection);
  const run = connection.run.bind(connection);
  connection.all = (query) => {
    texts.push(query.sql);
    return all(query);
  };
  connection.run = (query) => {
    texts.push(query.sql);
    return run(query);
  };
  return texts;
}

const tableScan =
  /^SCAN (inquiry|application|subscriber|newsletter_token|mail|suppression|spent_challenge)\b(?!.* INDEX )/;

const calls: Record<string, (store: SqliteStore) => Promise<unknown>> = {
  "claiming due mails": (store) => store.claimDueMails(noon, 10, lease),
  "settling a mail": (store) =>
    store.settleMails([{ id: "1", result: "sent", at: noon, providerId: "1" }], lease.owner),
  "releasing mails": (store) => store.releaseMails(lease.owner, noon),
  "waking failed mails": (store) => store.retryMails("all-failed", noon),
  "listing mails": (store) => store.listMails({ limit: 10 }),
  "listing failed mails": (store) => store.listMails({ status: "failed", limit: 10 }),
  "looking at a link": (store) => store.checkLink("confirm", { tokenHash: "1", at: noon }),
  "following a link": (store) => store.unsubscribe({ tokenHash: "1", at: noon }),
  "suppressing an address": (store) => store.suppress({ email: "a@example.org", reason: "bounced", at: noon }),
  "spending a challenge": (store) => store.acceptNothing(null, { hash: "1", expiresAt: noon }),
  "forgetting challenges": (store) => store.forgetChallenges(noon),
  "counting the backlog": (store) => store.mailBacklog(),
  "exporting inquiries": (store) => collect(store.exportInquiries(noon)),
  "exporting applications": (store) => collect(store.exportApplications(noon)),
  "exporting subscribers": (store) => collect(store.exportSubscribers(noon)),
  "finding free references": (store) => store.freeReferenceNumbers("INQ", day, 1),
  "recognising resumes": (store) => store.knownResumeKeys(["1"]),
};

test.each(Object.keys(calls))("%s scans no table", async (name) => {
  await using folder = await openFolder();
  const connection = new SqliteConnection(`${folder.path}/plans.db`);
  connection.configure("read-write");
  await applyPending(connection, sqliteMigrations());
  const texts = observe(connection);
  await using store = new SqliteStore(connection);
  await calls[name]?.(store);
  expect(texts).not.toEqual([]);
  for (const text of texts) {
    const plan = connection.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    const scans = plan.filter(({ detail }) => tableScan.test(detail));
    expect(scans).toEqual([]);
    expect(plan.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
  }
});
