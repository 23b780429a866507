// What the port promises about reading everything: complete, in the order of arrival, and no burden on the service.
import { expect } from "vitest";
import { submissionKinds } from "../../../shared/src/kinds.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  application,
  applications,
  collectPages,
  eva,
  inquiries,
  inquiry,
  inTurn,
  noon,
  sample,
  submissions,
  subscribers,
  subscription,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const many = 1_003;

const subscribe = (store: Store, number: number) => accept(store, subscription({ email: `r${number}@example.org` }));

/** Everything that is read, with something stored once the first page is there. */
async function readWhile<T>(pages: AsyncIterable<readonly T[]>, store: () => Promise<unknown>): Promise<T[]> {
  const all: T[] = [];
  for await (const rows of pages) {
    if (all.length === 0) await store();
    all.push(...rows);
  }
  return all;
}

eachKind(
  "reads from an instant on or behind an arrival number, in the order of arrival: %s",
  async (kind, { store }) => {
    for (const number of [3, 1, 2]) {
      await accept(store, sample(kind, number, { receivedAt: noon + number }));
      await accept(store, subscription({ email: `r${number}@example.org`, receivedAt: noon + number }));
    }
    const [three, one, two] = await submissions(store, kind);
    const since = noon + 2;
    expect([three, one, two].map((row) => row?.receivedAt)).toEqual([noon + 3, noon + 1, noon + 2]);
    expect(await collectPages(store.readAll(kind, { since }))).toEqual([three, two]);
    expect(await collectPages(store.readAll(kind, { after: three!.arrival }))).toEqual([one, two]);
    expect(await collectPages(store.readAll(kind, { after: three!.arrival, since }))).toEqual([two]);
    expect(await collectPages(store.readAll(kind, { after: 1_000_000 }))).toEqual([]);
    const [third, first, second] = await subscribers(store);
    expect(await collectPages(store.readAll("subscriber", { since }))).toEqual([third, second]);
    expect(await collectPages(store.readAll("subscriber", { after: third!.arrival }))).toEqual([first, second]);
  },
);

test("reads across a gap that is wider than two pages", async ({ store }) => {
  const ends = (from: number) =>
    Promise.all(submissionKinds.map((kind, nth) => acceptReference(store, sample(kind, from + nth))));
  const first = await ends(0);
  const erased = Array.from({ length: many }, (_, number) => inTurn(number + 10, { email: "gone@example.org" }));
  await Promise.all(erased.map((record) => accept(store, record)));
  const last = await ends(many + 10);
  for (let more = true; more;) ({ more } = await store.desk.erasePerson("gone@example.org", eva));
  for (const [nth, kind] of submissionKinds.entries())
    expect((await submissions(store, kind)).map(({ reference }) => reference)).toEqual([first[nth], last[nth]]);
});

test("reads many rows once each, ends with what was there when it began, goes on behind it", async ({ store }) => {
  const numbers = Array.from({ length: many }, (_, number) => number);
  const stored = await Promise.all(
    numbers.map((number) => acceptReference(store, number % 10 === 0 ? application(number) : inquiry(number))),
  );
  await Promise.all(numbers.map((number) => subscribe(store, number)));
  const before = [await inquiries(store), await subscribers(store)] as const;
  const all = [...before[0], ...(await applications(store))];
  expect(all).toHaveLength(many);
  expect(new Set(all.map(({ reference }) => reference))).toEqual(new Set(stored));
  expect(new Set(before[1].map(({ email }) => email)).size).toBe(many);
  for (const rows of before) expect(rows).toEqual(rows.toSorted((one, other) => one.arrival - other.arrival));

  const read = await Promise.all([
    readWhile(store.readAll("inquiry", {}), () => accept(store, inquiry(many))),
    readWhile(store.readAll("subscriber", {}), () => subscribe(store, many)),
  ]);
  expect(read).toEqual(before);
  const [last = 0, lastReader = 0] = before.map((rows) => rows.at(-1)?.arrival);
  const later = await collectPages(store.readAll("inquiry", { after: last }));
  expect(later.map(({ email }) => email)).toEqual([inquiry(many).email]);
  const laterReaders = await collectPages(store.readAll("subscriber", { after: lastReader }));
  expect(laterReaders.map(({ email }) => email)).toEqual([`r${many}@example.org`]);
});
