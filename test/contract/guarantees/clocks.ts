// What the port promises where a clock was wrong: a row with a wrong time misleads nothing about the others.
import { expect } from "vitest";
import type { InboxFilter } from "../../../shared/src/console.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { accept, inquiry, minute, noon, subscription } from "../records.ts";
import type { StoreTest } from "../store-under-test.ts";

const dayMs = 24 * 60 * minute;
const ahead = noon + 730 * dayMs;
const retention = { operator: "retention", at: noon };

/** Stores nine inquiries, one a minute; the one in their middle came at another time. */
async function storeNine(store: Store, wrong: number): Promise<void> {
  for (let number = 1; number <= 9; number += 1) {
    await accept(store, inquiry(number, { receivedAt: number === 5 ? wrong : noon + number * minute }));
  }
}

/** Numbers of the inquiries of a list. */
async function listed(store: Store, filter: InboxFilter): Promise<number[]> {
  const { rows } = await store.desk.listSubmissions(wholeScope, filter, {});
  return rows.map(({ email }) => Number(/\d+/.exec(email)));
}

export function clockGuarantees(test: StoreTest): void {
  test("retention erases all that is outdated behind a submission of a wrong time", async ({ store }) => {
    await storeNine(store, ahead);
    const outdated = { kind: "inquiry", before: noon + 8 * minute } as const;
    while ((await store.desk.erase(outdated, retention)).more);
    expect(await listed(store, {})).toEqual([9, 8, 5]);
  });

  test("lists of a time hold all of it and nothing else", async ({ store }) => {
    await storeNine(store, ahead);
    expect(await listed(store, { until: noon + 8 * minute })).toEqual([7, 6, 4, 3, 2, 1]);
    expect(await listed(store, { from: ahead })).toEqual([5]);
    expect(await listed(store, { from: noon + 3 * minute, until: noon + 7 * minute, order: "oldest" })).toEqual([
      3, 4, 6,
    ]);
  });

  test.for([0, ahead])("the overview counts all submissions and mails of the others", async (wrong, { store }) => {
    await storeNine(store, wrong);
    const { days, mails } = await store.desk.overview(wholeScope, noon + 10 * minute);
    expect(days.at(-1)).toEqual({ day: "2026-11-21", inquiries: 8, applications: 0 });
    expect(mails.queued).toBe(wrong === 0 ? 16 : 18);
    await store.desk.countSubscribers(noon + dayMs);
    const next = await store.desk.overview(wholeScope, noon + dayMs);
    expect(next.days.at(-2)).toEqual({ day: "2026-11-21", inquiries: 8, applications: 0 });
  });

  test("a welcome mail that was stored by a clock that was ahead does not keep the next one back", async ({
    store,
  }) => {
    await accept(store, subscription({ receivedAt: ahead }));
    expect(await accept(store, subscription())).toMatchObject({ mails: [{ kind: "newsletter-welcome" }] });
    expect(await accept(store, subscription({ receivedAt: noon + minute }))).toMatchObject({ mails: [], capped: [] });
  });

  test("days that were counted by a clock that was ahead are counted again", async ({ store }) => {
    await store.desk.countSubscribers(ahead);
    await accept(store, inquiry(1));
    await accept(store, subscription({ optIn: "single" }));
    for (const now of [noon, noon + dayMs]) await store.desk.countSubscribers(now);
    const { days } = await store.desk.overview(wholeScope, noon + dayMs);
    expect(days.slice(-2).map(({ inquiries }) => inquiries)).toEqual([1, 0]);
    expect(await store.desk.subscriberGrowth(ahead, 30)).toEqual([
      { day: new Date(ahead).toISOString().slice(0, 10), active: 1 },
    ]);
  });
}
