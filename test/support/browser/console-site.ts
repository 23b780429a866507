// The service with a month of submissions behind its console, and what other operators and commands do meanwhile.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { InboxRow, TriageRequest } from "@submissions/shared/console";
import type { Role } from "@submissions/shared/roles";
import type { BrowserContext } from "playwright-core";
import { sessionCookie } from "../../../server/src/console/cookies.ts";
import { disposableHosts } from "../../../server/src/mail/disposable.ts";
import { drawSecret, hashSecret } from "../../../server/src/secrets.ts";
import { onePagePdf } from "../../../server/dev/seed/made-up.ts";
import { inboxRow } from "../../../server/src/desk/inbox-row.ts";
import { wholeScope } from "../../../server/src/storage/desk-store.ts";
import { openStore } from "../../../server/src/storage/open-store.ts";
import type { LeasedMail, MailSettlement } from "../../../server/src/storage/records.ts";
import type { Store } from "../../../server/src/storage/store.ts";
import { inviteTo, passwordHash } from "../console/operator.ts";
import { accept, application, inquiry, readPages, resume, subscription } from "../../contract/records.ts";
import { useRaw } from "../../contract/sqlite-under-test.ts";
import { openFolder } from "../folder.ts";
import type { MovableClock } from "../movable-clock.ts";
import { startService, type Service } from "../service.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Those who have a password, which is the one of all operators of tests. */
export const operators = {
  eva: ["eva@voices.example", "admin"],
  ben: ["ben.hart@voices.example", "sales"],
  cleo: ["cleo@voices.example", "recruiting"],
  mia: ["mia@voices.example", "marketing"],
} as const satisfies Readonly<Record<string, readonly [email: string, role: Role]>>;

export const resumePdf = onePagePdf("Curriculum vitae");

/** Those with a company inquire, the others apply. */
const people: readonly (readonly [name: string, email: string, company?: string])[] = [
  ["Anna Müller", "anna.mueller@kalomi.example", "Kalomi GmbH"],
  ["Ben Novák", "ben.novak@mail.example"],
  ["Chiamaka Okafor", "chiamaka@voxlab.example", "Voxlab Ltd"],
  [
    "Diego Fernández Álvarez de la Torre y Santamaría",
    "diego.fernandez.alvarez@universidad-de-las-montanas.example",
    "Universidad de las Montañas Azules, Departamento de Lingüística",
  ],
  ["Elif Yılmaz", "elif@yilmaz.example", "Ses Atölyesi"],
  ["Finn O’Connor", "finn@oconnor.example"],
  ["Grace Kim", "grace.kim@tonari.example", "Tonari Inc."],
  ["Hassan Ali", "hassan@mailinator.com"],
  ["Ines Carvalho", "ines@carvalho.example", "Fala Estúdio"],
  ["Jonas Berg", "jonas.berg@nordtal.example", "Nordtal AS"],
  ["Kavya Reddy", "kavya.reddy@mail.example"],
  ["Liam Walsh", "liam@walsh.example", "Harbour Games"],
];

const coverLetter = `Dear team,

I am writing about the position of accent annotator. For the last three years I have transcribed and annotated conversational speech at the university's phonetics laboratory, mostly of Czech speakers of German.

I could begin in January.`;

export class ConsoleSite implements AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** As they were at first, newest first. */
  readonly submissions: readonly InboxRow[];
  readonly #service: Service;
  readonly #resources: AsyncDisposable;
  #added = 0;

  private constructor(
    service: Service,
    store: Store,
    { url, submissions, resources }: { url: string; submissions: readonly InboxRow[]; resources: AsyncDisposable },
  ) {
    this.#service = service;
    this.url = `${url}/console`;
    this.store = store;
    this.submissions = submissions;
    this.#resources = resources;
  }

  /** @param count how many submissions there are; without any there are no subscribers either */
  static async open({
    count = 130,
    env = {},
    clock,
  }: { count?: number; env?: Record<string, string>; clock?: MovableClock } = {}) {
    await using opened = new AsyncDisposableStack();
    const { files, submissions } = await filledOnce(count);
    const service = opened.use(await startService({ env, files, ...(clock && { clock }) }));
    const store = opened.use(await openStore(service.storage));
    const url = env["PUBLIC_URL"] ?? service.url;
    return new ConsoleSite(service, store, { url, submissions, resources: opened.move() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }

  async signIn(context: BrowserContext, email: string = operators.eva[0]): Promise<void> {
    const id = drawSecret();
    const operator = await this.store.access.findOperator(email);
    await this.store.access.createSession(
      hashSecret(id),
      operator!,
      { device: "", network: "", isStrong: false },
      Date.now(),
    );
    const { hostname: domain } = new URL(this.url);
    const { name, sameSite } = sessionCookie;
    await context.addCookies([{ name, value: id, domain, path: "/console", httpOnly: true, sameSite }]);
  }

  async endSessions(): Promise<void> {
    const operator = await this.store.access.findOperator(operators.eva[0]);
    await this.store.access.endSessions(
      { operatorId: operator!.id, id: null },
      { operator: operators.eva[0], at: Date.now() },
    );
  }

  invite(email: string, role: Role): Promise<string> {
    return inviteTo(this.store, email, role);
  }

  async detail(reference: string) {
    return (await this.store.desk.findDetail(wholeScope, reference))!;
  }

  async now(reference: string): Promise<readonly [status: string, assignee: string | null]> {
    const { submission } = await this.detail(reference);
    return [submission.status, submission.assignee];
  }

  async add(name: string, email = `added-${(this.#added += 1)}@example.org`) {
    const came = inquiry(1_000 + this.#added, { name, email, receivedAt: Date.now() });
    const { reference } = await accept(this.store, came);
    return { kind: "inquiry", name, reference: reference! } as const;
  }

  async changeAs(
    operator: string,
    reference: string,
    change: Pick<TriageRequest, "status" | "assignee">,
  ): Promise<void> {
    const { version } = (await this.detail(reference)).submission;
    const actor = { operator, at: Date.now() - 2 * minuteMs };
    await this.store.desk.triage(wholeScope, { targets: [{ reference, version }], ...change }, actor);
  }

  erase(reference: string): void {
    this.change(`DELETE FROM submission WHERE reference = '${reference}'`);
  }

  /** Changes the database past the store. */
  change(statement: string): void {
    useRaw(join(this.#service.dataFolder, database), (opened) => opened.exec(statement));
  }

  /** Two deliveries of the first webhook, about the latest submission: one has failed twice and waits, one was given up. */
  addDeliveries(): void {
    const about = `1, 'inquiry.received', (SELECT max(arrival) FROM submission)`;
    const at = Date.now();
    this.change(`INSERT INTO webhook_delivery
      (webhook, event, submission, status, attempts, created_at, due_at, ended_at, last_answer) VALUES
      (${about}, 'failed', 9, ${at - hourMs}, NULL, ${at}, 'HTTP 503'),
      (${about}, 'queued', 2, ${at - minuteMs}, ${at + hourMs}, NULL, 'HTTP 503')`);
  }

  list(filter: Filter): Promise<InboxRow[]> {
    return list(this.store, filter);
  }
}

type Filter = Parameters<Store["desk"]["listSubmissions"]>[1];

interface Filled {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly submissions: readonly InboxRow[];
}

const database = "submissions.sqlite";
const filled = new Map<number, Promise<Filled>>();

/** Filling a store takes longer than most tests, so that it is done once for each number, and each site gets a copy. */
const filledOnce = (count: number): Promise<Filled> => filled.getOrInsertComputed(count, fill);

async function fill(count: number): Promise<Filled> {
  await using folder = await openFolder();
  let submissions: readonly InboxRow[] = [];
  {
    await using store = await openStore({ kind: "sqlite", file: join(folder.path, database) });
    await addOperators(store);
    if (count > 0) submissions = await addMonth(store, count, folder.path);
  }
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = async (path: string) => [relative(folder.path, path), await readFile(path)] as const;
  return { files: new Map(await Promise.all(paths.map(read))), submissions };
}

async function addOperators(store: Store): Promise<void> {
  for (const [email, role] of Object.values(operators)) {
    const token = await inviteTo(store, email, role);
    await store.access.acceptInvitation(hashSecret(token), passwordHash, Date.now());
  }
  await inviteTo(store, "dario@voices.example", "marketing");
}

async function addMonth(store: Store, count: number, folder: string): Promise<InboxRow[]> {
  const { desk } = store;
  const now = Date.now();
  const lease = { owner: "fixtures", until: now + hourMs };
  const oldestFirst = Array.from({ length: count }, (_, index) => count - 1 - index);
  const accepted = await Promise.all(
    oldestFirst.map((index) => {
      const [name, email, company = null] = people[index % people.length]!;
      const receivedAt = Math.round(now - 4 * minuteMs - index ** 1.35 * hourMs);
      const given = { name, email, company, receivedAt };
      const applies = {
        phone: "+44 (0)20 7946-0018",
        portfolioUrl: "https://portfolio.example/ben-novak/samples?from=letter",
        coverLetter,
        resume: index % 5 === 0 ? null : resume(index, { filename: "ben-novak-resume.pdf", size: resumePdf.length }),
      };
      const submission = company === null ? application(index, { ...given, ...applies }) : inquiry(index, given);
      return accept(store, submission, { lease, spam: index % 11 === 10 });
    }),
  );
  const welcomes = await Promise.all(oldestFirst.slice(-24).map((index) => subscribe(store, index, now, lease)));
  await store.mails.settle(
    accepted.flatMap(({ mails }, at) => mails.map((mail) => settled(mail, now, oldestFirst[at]! % 6 === 1))),
    lease.owner,
  );
  // One is in doubt, and the welcome mails wait.
  const doubtful = { result: "in-doubt", at: now, error: "The connection broke.", denials: null } as const;
  await store.mails.settle(
    welcomes.slice(0, 1).map((id) => ({ ...doubtful, id })),
    lease.owner,
  );
  // The others are not overdue, which every page would say.
  useRaw(join(folder, database), (opened) =>
    opened.exec(`UPDATE mail SET due_at = ${lease.until} WHERE status = 'queued'`),
  );

  const targets = accepted.map(({ reference }) => ({ reference: reference!, version: 1 }));
  const states = oldestFirst.map((index) => (index < 6 ? "new" : index % 12 === 6 ? "open" : "done"));
  for (const status of ["open", "done"] as const) {
    for (const [which, [operator]] of [operators.eva, operators.ben, operators.cleo].entries()) {
      const mine = targets.filter(
        (_, at) => states[at] === status && oldestFirst[at]! % 3 === which && oldestFirst[at]! % 11 !== 10,
      );
      await desk.triage(wholeScope, { targets: mine, status, assignee: operator }, { operator, at: now - hourMs });
    }
  }
  const text = "Spoke on the phone: very good ear. Ask for a sample of Moravian German before we decide.";
  for (const { reference } of targets.slice(-6))
    await desk.addNote(wholeScope, reference, text, { operator: operators.ben[0], at: now - minuteMs });
  while ((await desk.indexNext(1_000, disposableHosts([]))).more);
  await desk.countSubscribers(now);

  // The newest application has its file.
  const file = join(folder, "resumes", resume(1).key);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, resumePdf);
  const lists = [{}, { status: "spam" } as const].map((filter) => list(store, filter));
  return (await Promise.all(lists)).flat().toSorted((one, other) => other.arrival - one.arrival);
}

async function list({ desk }: Store, filter: Filter): Promise<InboxRow[]> {
  const all = await readPages(100, (page) => desk.listSubmissions(wholeScope, filter, page));
  return all.map((one) => inboxRow(one, null));
}

/** The latest is German, one has a very long address, and most are confirmed. Answers the id of the welcome mail. */
async function subscribe(
  store: Store,
  index: number,
  now: number,
  lease: { readonly owner: string; readonly until: number },
) {
  const [, plain] = people[index % people.length]!;
  const long = `${"very.".repeat(10)}long.address@${"long-label.".repeat(16)}example.org`;
  const record = subscription({
    email: index === 2 ? long : index < people.length ? plain : plain.replace("@", `.${index}@`),
    language: index === 0 ? "de" : "en",
    receivedAt: now - index * 7 * hourMs - minuteMs,
  });
  const { mails } = await accept(store, record, { lease });
  if (index % 7 !== 3) await store.followLink("confirm", { tokenHash: record.confirm.hash, at: now });
  return mails[0]!.id;
}

function settled({ id, kind }: LeasedMail, at: number, fails: boolean): MailSettlement {
  if (!fails || !kind.endsWith("-notice")) return { id, result: "sent", at, providerId: id };
  const error = "The provider refused the address: inactive recipient (406).";
  return { id, result: "failed", at, error, denials: null };
}
