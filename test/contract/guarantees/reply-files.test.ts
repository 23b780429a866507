// What the port promises about files of replies: attached to a draft, sent with it, taken back, erased, forgotten.
import { expect } from "vitest";
import { replyFileBytesMax, replyFilesMax } from "../../../shared/src/console.ts";
import type { Actor } from "../../../server/src/storage/desk-store.ts";
import { repliesMax, undoMs, unsentFilesMax, unsentFilesMs } from "../../../server/src/storage/reply-store.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  acceptReference,
  allMails,
  application,
  collect,
  eva,
  except,
  inTurn,
  minute,
  noon,
  only,
  otherThan,
  sample,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

const by: Actor = { ...eva, at: noon + minute };
const ben: Actor = { operator: "ben@example.org", at: noon + minute };
const text = "Here it is.";
const keyOf = (number: number) => `2026/11/21/${String(number).padStart(32, "0")}`;

let files = 0;

/** Attaches a file, and answers its id and key. */
async function attach(store: Store, reference: string, { size = 10, name = "offer.pdf", actor = by } = {}) {
  const kept = { key: keyOf((files += 1)), sha256: "a".repeat(64) };
  const attached = await store.replies.attach(wholeScope, reference, { name, size, kept }, actor);
  if (typeof attached === "string" || "retryAt" in attached) throw new Error(JSON.stringify(attached));
  return { ...attached, key: kept.key };
}

async function send(store: Store, reference: string, ids: readonly number[], actor = by) {
  const sent = await store.replies.send(wholeScope, [{ reference, text, files: ids }], false, actor);
  return "outcomes" in sent ? sent.outcomes[0]! : sent;
}

const detailOf = async (store: Store, reference: string) => (await store.desk.findDetail(wholeScope, reference))!;
const discarded = (store: Store) => store.desk.resumesToDiscard(100, []);

eachKind("attaches files to what their author writes, and sends those that are named: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const [one, other] = [await attach(store, reference), await attach(store, reference, { name: "two  words.txt" })];
  const shown = ({ id, name, size }: typeof one) => ({ id, name, size });
  expect((await detailOf(store, reference)).attached).toEqual([
    { ...shown(one), author: by.operator },
    { ...shown(other), author: by.operator },
  ]);
  expect(await store.knownResumeKeys([one.key, keyOf(0), other.key])).toEqual(new Set([one.key, other.key]));
  // Another operator's are not theirs, and of another submission neither.
  const elsewhere = await acceptReference(store, sample(kind, 2));
  expect(await send(store, reference, [one.id], ben)).toMatchObject({ result: "unattached" });
  expect(await send(store, elsewhere, [one.id])).toMatchObject({ result: "unattached" });
  expect(await store.replies.removeFile(wholeScope, one.id, ben)).toBe(false);
  expect(await store.inbound.findFile(wholeScope, "reply", one.id)).toBeNull();
  const sent = await send(store, reference, [one.id, other.id]);
  if (!("id" in sent)) throw new Error(JSON.stringify(sent));
  const { replies, attached } = await detailOf(store, reference);
  expect([replies.at(-1)?.files, attached]).toEqual([[shown(one), shown(other)], []]);
  expect(await store.inbound.findFile(only(kind), "reply", one.id)).toMatchObject({
    reference,
    key: one.key,
    name: "offer.pdf",
  });
  expect(await store.replies.removeFile(wholeScope, one.id, by)).toBe(false);
  expect(await send(store, reference, [one.id])).toMatchObject({ result: "unattached" });
  const due = by.at + undoMs;
  const claimed = await store.mails.claim(due, 10, { owner: "other", until: due + minute });
  const reply = claimed.flatMap(({ about }) => ("submission" in about ? (about.reply ?? []) : []));
  const sha256 = "a".repeat(64);
  expect(reply).toMatchObject([
    {
      files: [
        { key: one.key, sha256, name: "offer.pdf" },
        { key: other.key, sha256, name: "two  words.txt" },
      ],
    },
  ]);
  const facts = await collect(store.desk.readPerson(wholeScope, sample(kind, 1).email));
  const sentFiles = [shown(one), shown(other)];
  expect(facts.find(({ kind: of }) => of === "reply")).toMatchObject({ reply: { files: sentFiles } });
});

eachKind("taking a reply back attaches its files again, and bytes of removed ones go: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  const file = await attach(store, reference);
  const sent = await send(store, reference, [file.id]);
  if (!("id" in sent)) throw new Error(JSON.stringify(sent));
  expect(await store.replies.undo(wholeScope, sent.id, by)).toBe(true);
  const { attached, replies } = await detailOf(store, reference);
  expect([attached.map(({ id }) => id), replies]).toEqual([[file.id], []]);
  expect(await discarded(store)).toEqual([]);
  expect(await store.replies.removeFile(except(kind), file.id, by)).toBe(false);
  expect(await store.replies.removeFile(only(kind), file.id, by)).toBe(true);
  expect(await discarded(store)).toEqual([file.key]);
  expect((await detailOf(store, reference)).attached).toEqual([]);
  const audit = (await collect(store.readAll("audit", {}))).flat().filter(({ action }) => action.startsWith("reply."));
  expect(audit.map(({ action, subject, detail }) => [action, subject, detail["file"] ?? "reply"])).toEqual([
    ["reply.attach", reference, file.id],
    ["reply.undo", reference, "reply"],
    ["reply.detach", reference, file.id],
  ]);
});

test("refuses what is too much, and what the scope does not hold", async ({ store }) => {
  const reference = await acceptReference(store, application(1));
  const asked = (size: number, scope = wholeScope) =>
    store.replies.attach(scope, reference, { name: "a", size, kept: null }, by);
  expect(await asked(replyFileBytesMax)).toBe("fits");
  expect(await asked(replyFileBytesMax + 1)).toBe("oversized");
  expect(await asked(1, except("application"))).toBe("unknown");
  const ids: number[] = [];
  for (let count = 0; count < replyFilesMax; count += 1) {
    expect(await asked(1)).toBe("fits");
    ids.push((await attach(store, reference)).id);
  }
  expect(await asked(1)).toBe("oversized");
  // Those of a reply that was taken back may come on top.
  const sent = await send(store, reference, ids);
  if (!("id" in sent)) throw new Error(JSON.stringify(sent));
  const more = await attach(store, reference, { size: replyFileBytesMax });
  await store.replies.undo(wholeScope, sent.id, by);
  expect(await send(store, reference, [...ids, more.id])).toMatchObject({ result: "oversized" });
  expect(await send(store, reference, [ids[0]!, more.id])).toMatchObject({ result: "oversized" });
  expect((await detailOf(store, reference)).replies).toEqual([]);
  for (let submission = 10, left = unsentFilesMax - ids.length - 1; left > 0; submission += 1) {
    const one = await acceptReference(store, inTurn(submission));
    for (let count = 0; count < replyFilesMax && left > 0; count += 1, left -= 1) await attach(store, one);
  }
  const last = await acceptReference(store, inTurn(9));
  expect(await store.replies.attach(wholeScope, last, { name: "a", size: 1, kept: null }, by)).toBe("unsent");
  expect(await store.replies.attach(wholeScope, last, { name: "a", size: 1, kept: null }, ben)).toBe("fits");
  for (let count = 0; count < repliesMax; count += 1) await send(store, last, [], ben);
  expect(await store.replies.attach(wholeScope, last, { name: "a", size: 1, kept: null }, ben)).toHaveProperty(
    "retryAt",
  );
});

eachKind(
  "erases files with the person and with what is outdated, forgets what was not sent: %s",
  async (kind, { store }) => {
    const [one, other] = [
      await acceptReference(store, sample(kind, 1, { resume: null })),
      await acceptReference(store, sample(otherThan(kind), 2)),
    ];
    const [sent, draft] = [await attach(store, one), await attach(store, one)];
    await send(store, one, [sent.id]);
    const [outdated, unsent] = [await attach(store, other), await attach(store, other)];
    await send(store, other, [outdated.id]);
    const kept = (await collect(store.inbound.readFiles())).flat();
    expect(kept.map(({ key, reference }) => [key, reference])).toEqual([
      [sent.key, one],
      [draft.key, one],
      [outdated.key, other],
      [unsent.key, other],
    ]);
    await store.desk.erasePerson(sample(kind, 1).email, by);
    expect((await discarded(store)).toSorted()).toEqual([sent.key, draft.key].toSorted());
    await store.forgetExpired(by.at + unsentFilesMs - 1);
    expect((await detailOf(store, other)).attached).toHaveLength(1);
    await store.forgetExpired(by.at + unsentFilesMs);
    const left = await detailOf(store, other);
    expect([left.attached, left.replies.at(-1)?.files.length]).toEqual([[], 1]);
    await store.desk.eraseOutdated({ kind: otherThan(kind), before: noon + 60 * minute }, by);
    const keys = await discarded(store);
    expect(keys).toEqual(expect.arrayContaining([sent.key, draft.key, outdated.key, unsent.key]));
    expect(await allMails(store)).toEqual([]);
  },
);
