// What the port promises about the lists, the search and the counts that operators see.
import { expect } from "vitest";
import { neighboursOf } from "../../../server/src/desk/detail.ts";
import type { InboxFilter, PageRequest } from "../../../shared/src/console.ts";
import { kinds, type SubmissionKind, submissionKinds } from "../../../shared/src/kinds.ts";
import { type Scope, wholeScope } from "../../../server/src/storage/desk-store.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import {
  accept,
  acceptReference,
  application,
  eva,
  except,
  indexAll,
  inquiry,
  kindsOf,
  marketing,
  minute,
  noneOfEach,
  noon,
  only,
  otherThan,
  readPages,
  sales,
  sample,
  settle,
  subscription,
  triage,
} from "../records.ts";
import { contractTest as test, eachKind } from "../engine-under-test.ts";

/** The numbers of the submissions in a list: each address has one. */
async function listed(store: Store, filter: InboxFilter, scope = wholeScope) {
  const { rows } = await store.desk.listSubmissions(scope, filter, {});
  return numbersOf(rows);
}

const numbersOf = (rows: readonly { readonly email: string }[]) =>
  rows.map(({ email }) => Number(/\d+/.exec(email)?.[0]));

/** Whether something is answered before the event loop turns: then its statements have run on the loop's thread. */
async function isAnsweredAtOnce(asked: Promise<unknown>): Promise<boolean> {
  let answered = false;
  void asked.then(() => (answered = true));
  for (let turn = 0; turn < 1_000; turn += 1) await Promise.resolve();
  const atOnce = answered;
  await asked;
  return atOnce;
}

eachKind("what operators read does not run on the event loop: %s", async (kind, { store }) => {
  const { desk, webhooks } = store;
  const reference = await acceptReference(store, sample(kind, 1));
  await accept(store, subscription());
  await indexAll(store);
  const { email } = sample(kind, 1);
  const first = (rows: AsyncIterable<unknown>) => rows[Symbol.asyncIterator]().next();
  const reads: Record<string, () => Promise<unknown>> = {
    list: () => desk.listSubmissions(wholeScope, {}, {}),
    search: () => desk.listSubmissions(wholeScope, { search: "example" }, {}),
    letter: () => desk.listSubmissions(wholeScope, { letter: "a" }, {}),
    counts: () => desk.countByStatus(wholeScope, "eva@example.org"),
    since: () => desk.since(wholeScope, 0),
    detail: () => desk.findDetail(wholeScope, reference),
    person: () => desk.findPerson(wholeScope, email),
    subscribers: () => desk.listSubscribers({}, {}),
    growth: () => desk.subscriberGrowth(noon, 30),
    mails: () => desk.listMails(wholeScope, undefined, {}),
    overview: () => desk.overview(wholeScope, noon),
    audit: () => desk.listAudit({}),
    deliveries: () => webhooks.listDeliveries(null, {}),
    webhooks: () => webhooks.list(),
    tags: () => desk.listTags(wholeScope),
    "export of submissions": () => first(store.readAll(kind, {})),
    "export of subscribers": () => first(store.readAll("subscriber", {})),
    "export of the audit log": () => first(store.readAll("audit", {})),
    "export of a person": () => first(desk.readPerson(wholeScope, email)),
  };
  const onTheLoop: string[] = [];
  for (const [name, read] of Object.entries(reads)) {
    await read();
    if (await isAnsweredAtOnce(read())) onTheLoop.push(name);
  }
  expect(onTheLoop).toEqual([]);
});

test("lists submissions, newest first, with all that is stored of them", async ({ store }) => {
  const first = await acceptReference(store, inquiry(1));
  const second = await acceptReference(store, application(2));
  const { rows, next } = await store.desk.listSubmissions(wholeScope, {}, {});
  expect(next).toBeNull();
  const times = { firstReplyAt: null, lastReplyAt: null, lastAnswerAt: null, snoozedUntil: null };
  const filed = { status: "new", assignee: null, tags: [], version: 1, disposable: false, waitedFor: "us", ...times };
  const undecided = { declineReason: null, decidedAt: null };
  expect(rows).toEqual([
    { ...application(2), ...filed, ...undecided, stage: "received", arrival: rows[0]?.arrival, reference: second },
    { ...inquiry(1), ...filed, ...undecided, stage: null, arrival: rows[1]?.arrival, reference: first },
  ]);
});

eachKind("lists only what the scope holds, whatever the filter asks for: %s", async (kind, { store }) => {
  await acceptReference(store, sample(kind, 1));
  await acceptReference(store, sample(otherThan(kind), 2));
  await indexAll(store);
  expect(await listed(store, {}, only(kind))).toEqual([1]);
  expect(await listed(store, { kind: otherThan(kind) }, only(kind))).toEqual([]);
  expect(await listed(store, { search: "example" }, only(kind))).toEqual([1]);
  expect(await listed(store, {}, marketing)).toEqual([]);
  // A role may see several kinds and not all: its kind, and one that nothing is stored of.
  const several: Scope = { kinds: [kind, "another" as SubmissionKind], subscribers: false };
  for (const filter of [{}, { status: "todo" }, { waiting: "us" }, { search: "example" }] satisfies InboxFilter[])
    expect(await listed(store, filter, several)).toEqual([1]);
  expect(await store.desk.countTabs(several, {})).toMatchObject({ new: 1, todo: 1, us: 1 });
});

test("filters by kind, status, assignee, resume and throw-away address, also together", async ({ store }) => {
  const references = [
    await acceptReference(store, inquiry(1)),
    await acceptReference(store, application(2)),
    await acceptReference(store, application(3, { resume: null })),
    await acceptReference(store, inquiry(4, { email: "ann-4@throw-away.example" })),
    await acceptReference(store, inquiry(5), { spam: true }),
  ];
  await indexAll(store);
  await triage(store, references[0]!, 1, { status: "open", assignee: "eva@example.org" });
  await triage(store, references[1]!, 1, { status: "done" });
  await triage(store, references[2]!, 1, { assignee: "eva@example.org" });
  const cases: [InboxFilter, number[]][] = [
    [{}, [4, 3, 2, 1]],
    [{ kind: "inquiry" }, [4, 1]],
    [{ status: "new" }, [4, 3]],
    [{ status: "open" }, [1]],
    [{ status: "done" }, [2]],
    [{ status: "spam" }, [5]],
    [{ assignee: "eva@example.org" }, [3, 1]],
    [{ assignee: "none" }, [4, 2]],
    [{ hasResume: true }, [2]],
    [{ hasResume: false, kind: "application" }, [3]],
    [{ disposable: true }, [4]],
    [{ disposable: false }, [3, 2, 1]],
    [{ status: "new", assignee: "eva@example.org", kind: "application", hasResume: false }, [3]],
    [{ status: "spam", assignee: "eva@example.org", hasResume: true }, []],
    [{ disposable: true, status: "new", kind: "inquiry", assignee: "none" }, [4]],
    [{ search: "ann", status: "open", assignee: "eva@example.org" }, [1]],
    [{ search: "ann", disposable: true }, [4]],
  ];
  for (const [filter, expected] of cases) {
    expect(await listed(store, filter), JSON.stringify(filter)).toEqual(expected);
    expect(await listed(store, { ...filter, order: "oldest" }), JSON.stringify(filter)).toEqual(expected.toReversed());
  }
});

eachKind(
  "pages through a list in both orders, each row once, the last without a next one: %s",
  async (kind, { store }) => {
    for (let number = 1; number <= 5; number += 1) await acceptReference(store, sample(kind, number));
    await indexAll(store);
    for (const filter of [{}, { kind }, { status: "new" }, { search: "example" }] as const) {
      for (const order of ["newest", "oldest"] as const) {
        const list = (page: PageRequest) => store.desk.listSubmissions(wholeScope, { ...filter, order }, page);
        expect(numbersOf(await readPages(2, list))).toEqual(order === "newest" ? [5, 4, 3, 2, 1] : [1, 2, 3, 4, 5]);
      }
    }
  },
);

eachKind("finds names, addresses and companies as typed, whatever accents and case: %s", async (kind, { store }) => {
  const email = (number: number) => `ann-${number}@example.org`;
  await acceptReference(store, sample(kind, 1, { email: email(1), name: "Ána Müller", company: "Über-Klang GmbH" }));
  await acceptReference(store, sample(kind, 2, { email: email(2), name: "O'Brien Smith", company: null }));
  expect(await listed(store, { search: "mul" })).toEqual([]);
  await indexAll(store);
  const cases: [string, number[]][] = [
    ["mul", [1]],
    ["MÜLL", [1]],
    ["ana mu", [1]],
    ["mu ana", [1]],
    ["m ana", []],
    ["uber klang", [1]],
    ["ann-2@exam", [2]],
    ["o'brien", [2]],
    ["example.org", [2, 1]],
    ["m", []],
    ["ann m", [1]],
    ["unknown", []],
    ['"* NEAR & | ! : ( ) \\', []],
    ["' :* &", []],
  ];
  for (const [search, expected] of cases) expect(await listed(store, { search }), search).toEqual(expected);
});

interface Written {
  readonly name: string;
  readonly company?: string;
  readonly message: string;
  /** What finds it as it is typed, and in its letter. */
  readonly typed: string;
  readonly inLetter: string;
  readonly nothing: string;
}

/** Searches have a comma between them. */
const written: Readonly<Record<string, Written>> = {
  Chinese: {
    name: "王小明",
    company: "北京语音科技有限公司",
    message: "中文语料库需要很多方言。",
    typed: "小明,语音,北京语音科技,公司,明",
    inLetter: "方言,语料库,中文,需,小明",
    nothing: "明小,音语,方言中,東",
  },
  Japanese: {
    name: "山田タロウ",
    company: "株式会社東京音声ABC第3回",
    message: "ひらがなとカタカナ、half ﾃﾞｰﾀ。",
    typed: "山田,東京,東京音声,タロ,abc,ロウ,京",
    inLetter: "がな,カタ,データ,half,東京",
    nothing: "京東,かな,ウタ",
  },
  Korean: {
    name: "김민준",
    company: "주식회사서울음성",
    message: "한국어방언자료",
    typed: "서울,음성,민준",
    inLetter: "방언",
    nothing: "음서",
  },
  Thai: {
    name: "สมชาย",
    company: "บริษัทเสียงไทย",
    message: "ต้องการภาษาถิ่น",
    typed: "เสียง,ไทย,ชาย",
    inLetter: "ภาษา,ถิ่น",
    nothing: "ไทยเสียง",
  },
  Lao: {
    name: "ສົມ",
    company: "ບໍລິສັດສຽງລາວ",
    message: "ຕ້ອງການພາສາ",
    typed: "ສຽງ,ລາວ",
    inLetter: "ພາສາ",
    nothing: "ລາວສຽງ",
  },
  Khmer: { name: "សុខ", company: "ក្រុមហ៊ុនសំឡេង", message: "ត្រូវការភាសា", typed: "សំឡេង", inLetter: "ភាសា", nothing: "ឡេងសំ" },
  Burmese: {
    name: "အောင်",
    company: "မြန်မာအသံ",
    message: "ဘာသာစကားလိုသည်",
    typed: "အသံ,မာအ",
    inLetter: "စကား",
    nothing: "သံအ",
  },
  Polish: {
    name: "Łukasz Żółć",
    message: "Wrocław smørrebrød",
    typed: "lukasz zol,zol luk,ŁUKASZ,zolc",
    inLetter: "wroclaw,Wrocław,wroc smorr",
    nothing: "ukasz",
  },
  German: {
    name: "Jürgen Groß",
    company: "Straßenklang",
    message: "Gruß",
    typed: "gross,groß,strassen,STRAẞE",
    inLetter: "gruss",
    nothing: "rassen",
  },
  Danish: {
    name: "Søren Ærø",
    message: "Ålborg på",
    typed: "soren aero,søren,ær",
    inLetter: "alborg,pa",
    nothing: "oren",
  },
  Vietnamese: {
    name: "Đặng Thị Hạnh",
    message: "đường",
    typed: "dang thi ha,đặng",
    inLetter: "duong,đường",
    nothing: "ang",
  },
  "Latin without accents": {
    name: "Lukasz Dang Soren",
    message: "strasse",
    typed: "łukasz,đặng,sør",
    inLetter: "Straße",
    nothing: "asse",
  },
  Arabic: {
    name: "أحمد إبراهيم آدم",
    company: "مؤسسة رئيسية",
    message: "نحتاج مُعَلِّمِين عَلَى",
    typed: "احمد,أحمد,ابراهيم اد,موسسه,رييس",
    inLetter: "معلمين,علي,على,احمد",
    nothing: "حمد",
  },
  Hebrew: { name: "דָּוִד", message: "שָׁלוֹם", typed: "דוד", inLetter: "שלום", nothing: "לום" },
  Hindi: { name: "हिन्दी भाषा", message: "बोली", typed: "हिन्दी,हिन्,भाषा हिन", inLetter: "बोली", nothing: "न्दी" },
  "full width": { name: "Ａｎｎ Ｂ１", message: "ｆｕｌｌ", typed: "ann b1,Ａｎ", inLetter: "full", nothing: "nn" },
};

test("finds any part of a word in scripts without spaces, other words from their beginning, letters folded", async ({
  store,
}) => {
  const all = Object.entries(written);
  for (const [number, [, { name, company = null, message }]] of all.entries())
    for (const kind of submissionKinds)
      await acceptReference(store, sample(kind, number, { name, company, more: { message } }));
  await indexAll(store);
  for (const [number, [script, { typed, inLetter, nothing }]] of all.entries()) {
    // Of every kind or of none.
    const finds = async (filter: InboxFilter) => {
      const found = (await listed(store, filter)).filter((one) => one === number).length;
      return found === submissionKinds.length || (found > 0 && found);
    };
    const searched = (words: string) => words.split(",");
    for (const search of searched(typed)) {
      expect(await finds({ search }), `${script}: ${search}`).toBe(true);
      expect(await finds({ letter: search }), `${script}: ${search}`).toBe(true);
    }
    for (const letter of searched(inLetter)) expect(await finds({ letter }), `${script}: ${letter}`).toBe(true);
    for (const none of searched(nothing)) {
      expect(await finds({ search: none }), `${script}: ${none}`).toBe(false);
      expect(await finds({ letter: none }), `${script}: ${none}`).toBe(false);
    }
  }
});

eachKind(
  "what an earlier release indexed is indexed anew, the newest first, behind what comes in: %s",
  async (kind, { store, tested }) => {
    for (let number = 1; number <= 5; number += 1)
      await acceptReference(store, sample(kind, number, { name: "山田太郎" }));
    await indexAll(store);
    await tested.forgetWords();
    await acceptReference(store, sample(kind, 6, { name: "山田太郎" }));
    const seen: number[][] = [];
    for (let more = true; more;) {
      ({ more } = await store.desk.indexNext(2, () => false));
      seen.push(await listed(store, { search: "太郎" }));
    }
    expect(seen).toEqual([[6], [6, 5, 4], [6, 5, 4, 3, 2], [6, 5, 4, 3, 2, 1]]);
    expect(await store.desk.indexNext(2, () => false)).toEqual({ indexed: 0, more: false });
  },
);

test("long letters are indexed a few at a time", async ({ store }) => {
  const letter = (from: number) =>
    Array.from({ length: 9_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((from + at * 7) % 20_000))).join("");
  for (let number = 1; number <= 3; number += 1)
    await acceptReference(store, application(number, { coverLetter: letter(number * 5_000) }));
  await acceptReference(store, inquiry(4));
  const batches = async () => {
    const sizes: number[] = [];
    for (let more = true; more;) {
      const made = await store.desk.indexNext(100, () => false);
      if (made.indexed > 0) sizes.push(made.indexed);
      ({ more } = made);
    }
    return sizes;
  };
  expect(await batches()).toEqual([1, 1, 1, 1]);
  expect(await listed(store, { letter: letter(10_000).slice(-4) })).toContain(2);
  const repeating = "the same words ".repeat(1_300);
  for (let number = 5; number <= 24; number += 1)
    await acceptReference(store, application(number, { coverLetter: repeating }));
  expect(Math.max(...(await batches()))).toBe(5);
});

eachKind("finds a submission by its reference in any case, at once, within the filter: %s", async (kind, { store }) => {
  await acceptReference(store, sample(kind, 1));
  const reference = await acceptReference(store, sample(kind, 2));
  await acceptReference(store, sample(kind, 3));
  expect(await listed(store, { search: ` ${reference.toLowerCase()}` })).toEqual([2]);
  expect(await listed(store, { search: reference, order: "oldest" })).toEqual([2]);
  expect(await listed(store, { search: reference, status: "done" })).toEqual([]);
  expect(await listed(store, { search: reference, kind: otherThan(kind) })).toEqual([]);
  expect(await listed(store, { search: reference }, except(kind))).toEqual([]);
  expect(await listed(store, { search: `${kinds[kind].prefix}-20200101-000000` })).toEqual([]);
});

eachKind(
  "finds words of letters, each from its fourth letter on, and of both searches: %s",
  async (kind, { store }) => {
    const write = (number: number, message: string, name: string) =>
      acceptReference(store, sample(kind, number, { name, company: null, more: { message } }));
    await write(1, "I recorded Schwäbisch for radio.", "Ann");
    await write(2, "Radio, mostly.", "Ben");
    await indexAll(store);
    const cases: [InboxFilter, number[]][] = [
      [{ letter: "radio" }, [2, 1]],
      [{ letter: "schwabisch RADIO" }, [1]],
      [{ letter: "radi" }, [2, 1]],
      [{ letter: "rad" }, []],
      [{ letter: "radi schwab" }, [1]],
      [{ letter: "rad schwab" }, []],
      [{ letter: "radio", search: "be" }, [2]],
      [{ letter: "...", search: "be" }, []],
      [{ letter: "be", search: "be" }, [2]],
    ];
    for (const [filter, expected] of cases)
      expect(await listed(store, filter), JSON.stringify(filter)).toEqual(expected);
  },
);

eachKind("a search looks in every status, and a list without words leaves spam out: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1, { name: "Klara" }), { spam: true });
  await indexAll(store);
  for (const filter of [{ search: "klara" }, { letter: "klara" }, { search: reference }, { letter: reference }])
    expect(await listed(store, filter), JSON.stringify(filter)).toEqual([1]);
  expect(await listed(store, {})).toEqual([]);
  expect(await listed(store, { search: "klara", status: "new" })).toEqual([]);
});

test("a search of letters finds what the same text finds elsewhere, in order and by pages", async ({ store }) => {
  await acceptReference(store, application(1, { coverLetter: "I record for Klan.", name: "Ana" }));
  await acceptReference(store, inquiry(2, { company: "Klangwerk" }));
  await acceptReference(store, application(3, { coverLetter: "Klan, again.", name: "Klan Verein" }));
  await acceptReference(store, inquiry(4, { name: "Klanert" }));
  const reference = await acceptReference(store, inquiry(5));
  await indexAll(store);
  expect(await listed(store, { search: "klan" })).toEqual([4, 3, 2]);
  expect(await listed(store, { letter: "klan" })).toEqual([4, 3, 2, 1]);
  expect(await listed(store, { letter: "klan", order: "oldest" })).toEqual([1, 2, 3, 4]);
  expect(await listed(store, { letter: "klan", kind: "inquiry" })).toEqual([4, 2]);
  const list = (page: PageRequest) => store.desk.listSubmissions(wholeScope, { letter: "klan" }, page);
  expect(numbersOf(await readPages(1, list))).toEqual([4, 3, 2, 1]);
  expect(await listed(store, { letter: ` ${reference.toLowerCase()}` })).toEqual([5]);
  expect(await listed(store, { letter: reference, kind: "application" })).toEqual([]);
});

eachKind("makes submissions searchable whose fields cannot be read: %s", async (kind, { store, tested }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  await tested.spoilFields(reference, "{spoilt");
  await acceptReference(store, sample(kind, 2));
  await indexAll(store);
  expect(await listed(store, { search: sample(kind, 1).name.slice(0, 3) })).toEqual([2, 1]);
});

eachKind("counts by status what the scope holds, and what is the operator's: %s", async (kind, { store }) => {
  const reference = await acceptReference(store, sample(kind, 1));
  await acceptReference(store, sample(otherThan(kind), 2));
  await acceptReference(store, sample(kind, 3), { spam: true });
  await triage(store, reference, 1, { status: "open", assignee: eva.operator });
  const { desk } = store;
  const one = { ...noneOfEach, [kinds[kind].plural]: 1, [kinds[otherThan(kind)].plural]: 1 };
  const all = { new: 1, open: 1, done: 0, spam: 1, todo: 2, mine: 1, ...one, unassigned: 1 };
  expect(await desk.countByStatus(wholeScope, eva.operator)).toEqual(all);
  const ofOthers = { ...all, open: 0, spam: 0, todo: 1, mine: 0, [kinds[kind].plural]: 0 };
  expect(await desk.countByStatus(except(kind), eva.operator)).toEqual(ofOthers);
  expect(await desk.countByStatus(only(kind), "ben@example.org")).toMatchObject({ open: 1, spam: 1, mine: 0 });
});

eachKind("tells what came in since an arrival number: %s", async (kind, { store }) => {
  expect(await store.desk.since(wholeScope, 0)).toEqual({ latest: 0, added: 0, change: 0, changed: [], gone: [] });
  await acceptReference(store, sample(kind, 1));
  const { latest } = await store.desk.since(wholeScope, 0);
  await acceptReference(store, sample(otherThan(kind), 2));
  await acceptReference(store, sample(kind, 3), { spam: true });
  expect(await store.desk.since(wholeScope, latest)).toMatchObject({ added: 1 });
  expect(await store.desk.since(only(kind), 0)).toMatchObject({ added: 1 });
  expect(await store.desk.since(marketing, 0)).toMatchObject({ latest: 0, added: 0 });
});

eachKind("names the neighbours of a submission in the list that it came from: %s", async (kind, { store }) => {
  const first = await acceptReference(store, sample(kind, 1));
  const second = await acceptReference(store, sample(otherThan(kind), 2));
  const third = await acceptReference(store, sample(kind, 3));
  const named = (reference: string, of = kind) => ({ reference, kind: of });
  const neighbours = (reference: string, filter: InboxFilter) =>
    neighboursOf(store.desk, wholeScope, reference, filter);
  expect(await neighbours(second, {})).toEqual({ previous: named(third), next: named(first) });
  expect(await neighbours(first, { kind })).toEqual({ previous: named(third), next: null });
  const next = named(second, otherThan(kind));
  expect(await neighbours(first, { order: "oldest" })).toEqual({ previous: null, next });
  expect(await neighboursOf(store.desk, only(kind), second, {})).toEqual({ previous: null, next: null });
});

test("lists subscribers by status and by a part of the address", async ({ store }) => {
  await accept(store, subscription({ email: "Reader-1@example.org" }));
  await accept(store, subscription({ email: "reader-2@example.com", optIn: "single" }));
  const emails = async (filter: object, page = {}) =>
    (await store.desk.listSubscribers(filter, page)).rows.map(({ email }) => email);
  expect(await emails({})).toEqual(["reader-2@example.com", "Reader-1@example.org"]);
  expect(await emails({ status: "active" })).toEqual(["reader-2@example.com"]);
  expect(await emails({ search: "R-1@" })).toEqual(["Reader-1@example.org"]);
  expect(await emails({ status: "active", search: "reader-1" })).toEqual([]);
  const { rows, next } = await store.desk.listSubscribers({}, { limit: 1 });
  expect(rows).toHaveLength(1);
  expect(await emails({}, { limit: 1, after: next ?? 0 })).toEqual(["Reader-1@example.org"]);
});

test("counts by day when the subscribers of a filter came", async ({ store }) => {
  const day = 24 * 60 * minute;
  for (const [at, [source, ago]] of (
    [
      ["fair", 0],
      ["fair", 2],
      ["footer", 2],
      ["fair", 5],
    ] as const
  ).entries()) {
    await accept(store, subscription({ email: `reader-${at}@example.org`, source, receivedAt: noon - ago * day }));
  }
  const counts = async (filter: object) =>
    (await store.desk.subscriberArrivals(filter, noon, 3)).map(({ day: on, count }) => [on, count]);
  expect(await counts({ source: "fair" })).toEqual([
    ["2026-11-19", 1],
    ["2026-11-20", 0],
    ["2026-11-21", 1],
  ]);
  const all = [
    ["2026-11-19", 2],
    ["2026-11-20", 0],
    ["2026-11-21", 1],
  ];
  expect([await counts({ status: "pending" }), await counts({})]).toEqual([all, all]);
  expect((await counts({ source: "fair", status: "active" })).every(([, count]) => count === 0)).toBe(true);
  for (const source of ["a", "b", "a", "b"])
    await accept(store, subscription({ email: `${Math.random()}@example.org`, source, receivedAt: noon }));
  expect((await store.desk.subscriberArrivals({}, noon, 3)).at(-1)).toEqual({
    day: "2026-11-21",
    count: 5,
    // The most frequent of the three days: "footer" is the fourth.
    sources: { fair: 1, a: 2, b: 2 },
  });
});

test("counts subscribers by their first source, and lists those of one", async ({ store }) => {
  for (const [at, source] of ["fair", "footer", "fair", "b", "a"].entries()) {
    await accept(store, subscription({ email: `reader-${at}@example.org`, source }));
  }
  await accept(store, subscription({ email: "reader-0@example.org", source: "footer" }));
  expect(await store.desk.countSources()).toEqual([
    { source: "fair", count: 2 },
    ...["a", "b", "footer"].map((source) => ({ source, count: 1 })),
  ]);
  const emails = async (filter: object) =>
    (await store.desk.listSubscribers(filter, {})).rows.map(({ email }) => email);
  expect(await emails({ source: "fair" })).toEqual(["reader-2@example.org", "reader-0@example.org"]);
  expect(await emails({ source: "fai" })).toEqual([]);
  expect(await emails({ source: "footer", status: "pending" })).toEqual(["reader-1@example.org"]);
  expect(await emails({ source: "footer", status: "active" })).toEqual([]);
});

eachKind("lists the mails that the scope holds, by status: %s", async (kind, { store }) => {
  const [receipt] = (await accept(store, sample(kind, 1))).mails;
  await accept(store, sample(otherThan(kind), 2));
  await accept(store, subscription());
  await settle(store, { failed: [receipt!] });
  const mails = async (scope: Scope, status?: "queued" | "failed" | "sent") =>
    kindsOf((await store.desk.listMails(scope, status, {})).rows);
  expect(await mails(wholeScope)).toHaveLength(5);
  expect(await mails(only(kind))).toEqual([`${kind}-notice`, `${kind}-receipt`]);
  expect(await mails(marketing)).toEqual(["newsletter-welcome"]);
  expect(await mails(wholeScope, "failed")).toEqual([`${kind}-receipt`]);
  expect(await mails(except(kind), "failed")).toEqual([]);
  expect(await mails(only(kind), "queued")).toEqual([`${kind}-notice`]);
  const page = await store.desk.listMails(wholeScope, undefined, { limit: 4 });
  const last = await store.desk.listMails(wholeScope, undefined, { limit: 4, after: page.next ?? 0 });
  expect(last).toMatchObject({ rows: [{ kind: `${kind}-receipt`, email: sample(kind, 1).email }], next: null });
});

eachKind(
  "counts submissions a day, subscribers of a past day once, measures responses: %s",
  async (kind, { store }) => {
    const dayMs = 24 * 60 * minute;
    const reference = await acceptReference(store, sample(kind, 1));
    await acceptReference(store, sample(otherThan(kind), 2, { receivedAt: noon + minute }));
    await acceptReference(store, sample(kind, 3, { receivedAt: noon + dayMs }));
    await accept(store, subscription({ optIn: "single" }));
    const tomorrow = noon + dayMs + minute;
    await store.desk.countSubscribers(tomorrow);
    const overview = await store.desk.overview(wholeScope, tomorrow);
    expect(overview.days).toHaveLength(30);
    expect(overview.days.slice(-2)).toEqual([
      { day: "2026-11-21", ...noneOfEach, [kinds[kind].plural]: 1, [kinds[otherThan(kind)].plural]: 1 },
      { day: "2026-11-22", ...noneOfEach, [kinds[kind].plural]: 1 },
    ]);
    expect(overview).toMatchObject({ firstResponseMs: null, mails: { queued: 7, sent: 0, failed: 0, inDoubt: 0 } });
    expect(overview.waiting.map((row) => row.reference)).toContain(reference);
    await triage(store, reference, 1, { status: "open" }, { ...eva, at: noon + 4 * minute });
    await triage(store, reference, 2, { status: "done" }, { ...eva, at: noon + 5 * minute });
    const later = await store.desk.overview(only(kind), tomorrow);
    expect(later).toMatchObject({ firstResponseMs: 5 * minute, mails: { queued: 4 } });
    expect(later.days.at(-2)).toEqual({ day: "2026-11-21", ...noneOfEach, [kinds[kind].plural]: 1 });
    expect(later.waiting).toMatchObject([{ kind, receivedAt: noon + dayMs }]);
    await accept(store, subscription({ optIn: "single", email: "ben@example.org" }));
    await store.desk.countSubscribers(tomorrow);
    expect(await store.desk.subscriberGrowth(tomorrow, 30)).toEqual([
      { day: "2026-11-21", active: 1 },
      { day: "2026-11-22", active: 2 },
    ]);
  },
);

eachKind("compares a range with the one before, and counts what grew old: %s", async (kind, { store }) => {
  const dayMs = 24 * 60 * minute;
  const now = noon + minute;
  const ago = (days: number) => ({ receivedAt: now - days * dayMs });
  await accept(store, sample(kind, 1, ago(10)));
  const [begun, answered] = [
    await acceptReference(store, sample(kind, 2, ago(20))),
    await acceptReference(store, sample(otherThan(kind), 3, ago(8))),
  ];
  await accept(store, sample(kind, 4, ago(1)));
  await accept(store, sample(kind, 5, ago(3)), { spam: true });
  for (const [reference, at] of [
    [begun, now - 19 * dayMs],
    [answered, now - 8 * dayMs + 5 * minute],
  ] as const) {
    await triage(store, reference, 1, { status: "open" }, { ...eva, at: at - minute });
    await store.replies.send(wholeScope, [{ reference, text: "Hello." }], false, { ...eva, at });
  }
  const week = await store.desk.overview(wholeScope, now, 7);
  expect(week.days).toHaveLength(7);
  expect(week).toMatchObject({
    firstResponseMs: null,
    before: { submissions: 2, firstResponseMs: 5 * minute },
    old: { new: 1, open: 1 },
  });
  const all = await store.desk.overview(wholeScope, now, 90);
  expect(all).toMatchObject({ before: { submissions: 0, firstResponseMs: null }, old: { new: 1, open: 1 } });
  expect(await store.desk.overview(except(kind), now)).toMatchObject({ old: { new: 0, open: 0 } });
});

test("tells what the submissions of a range are about, from where, and who has them", async ({ store, tested }) => {
  const source = { more: { utm_source: "expo" } };
  const first = await acceptReference(store, inquiry(1, source));
  await accept(store, inquiry(2, { selectedPackageIds: ["de-AT", 'a"]', "B"] }));
  await accept(store, application(3, { ...source, resume: null }));
  await accept(store, application(4, { position: "Voice talent", resume: null }));
  await accept(store, inquiry(5), { spam: true });
  await accept(store, inquiry(6, { ...source, receivedAt: noon - 40 * 24 * 60 * minute }));
  await tested.spoilFields(await acceptReference(store, inquiry(7)), "{spoilt");
  await triage(store, first, 1, { assignee: eva.operator });
  const { shares } = await store.desk.overview(wholeScope, noon + minute);
  const said = (part: keyof typeof shares, of = shares) => of[part].map(({ word, count }) => [word, count]);
  expect(said("package")).toEqual([
    ["de-AT", 2],
    // By their bytes, in any locale of the database.
    ["B", 1],
    ['a"]', 1],
    ["en-GB-scottish", 1],
  ]);
  expect(said("position")).toEqual([
    ["Accent annotator", 1],
    ["Voice talent", 1],
  ]);
  expect(said("source")).toEqual([["expo", 2]]);
  expect(said("assignee")).toEqual([[eva.operator, 1]]);
  const { shares: ofSales } = await store.desk.overview(sales, noon + minute, 90);
  expect(said("source", ofSales)).toEqual([["expo", 2]]);
  expect(said("position", ofSales)).toEqual([]);
});
