// What operators see and change, on SQLite. Changes are jobs of the store's commit queue.
import type { Neighbours, PageRequest, TriageOutcome, TriageRequest } from "@submissions/shared/console";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Actor,
  type AuditEntry,
  type DeskStore,
  type Erased,
  type Outdated,
  type Scope,
  triageMax,
} from "../desk-store.ts";
import { inSteps } from "../pages.ts";
import { dayMs, startOfDay } from "../rules/days.ts";
import type { References } from "../rules/references.ts";
import { triagedAtOnce } from "../rules/triage.ts";
import { retryWhileBusy } from "./busy.ts";
import type { SqliteConnection } from "./connection.ts";
import { type Audit, type DeskChanges, prepareAudit, prepareDeskChanges } from "./desk-changes.ts";
import { type DeskErase, prepareDeskErase } from "./desk-erase.ts";
import { type DeskLists, prepareDeskLists } from "./desk-lists.ts";
import { type DeskOverview, prepareDeskOverview } from "./desk-overview.ts";
import { type DeskReading, prepareDeskReading } from "./desk-reading.ts";
import { type DeskSearch, prepareDeskSearch } from "./desk-search.ts";
import type { Oversight } from "./oversight.ts";
import type { Release } from "./release.ts";

/** Runs a job in the next transaction. */
export type RunJob = <T>(job: () => T) => Promise<T>;

/** Pause between two batches of a long change, so that submissions are stored in between. */
const batchPauseMs = 2;

interface Parts {
  readonly references: References;
  readonly release: Release;
  readonly oversight: Oversight;
}

export class SqliteDesk implements DeskStore {
  readonly #run: RunJob;
  readonly #lists: DeskLists;
  readonly #reading: DeskReading;
  readonly #overview: DeskOverview;
  readonly #search: DeskSearch;
  readonly #changes: DeskChanges;
  readonly #erase: DeskErase;
  readonly #audit: Audit;

  constructor(connection: SqliteConnection, run: RunJob, parts: Parts) {
    this.#run = run;
    this.#lists = prepareDeskLists(connection);
    this.#reading = prepareDeskReading(connection, parts.references);
    this.#overview = prepareDeskOverview(connection, this.#lists);
    this.#search = prepareDeskSearch(connection);
    this.#audit = prepareAudit(connection);
    this.#changes = prepareDeskChanges(connection, { ...parts, audit: this.#audit });
    this.#erase = prepareDeskErase(connection, this.#search, this.#audit);
  }

  listSubmissions(...[scope, filter, page]: Parameters<DeskStore["listSubmissions"]>) {
    return this.#lists.listSubmissions(scope, filter, page);
  }

  listWhole(...[scope, filter, page]: Parameters<DeskStore["listWhole"]>) {
    return this.#lists.listWhole(scope, filter, page);
  }

  countByStatus(scope: Scope, operator: string) {
    return this.#lists.countByStatus(scope, operator);
  }

  since(scope: Scope, arrival: number) {
    return this.#lists.since(scope, arrival);
  }

  findDetail(scope: Scope, reference: string) {
    return this.#reading.find(scope, reference);
  }

  async neighbours(...[scope, reference, filter]: Parameters<DeskStore["neighbours"]>): Promise<Neighbours> {
    const row = await retryWhileBusy(() => this.#reading.findRow(scope, reference));
    if (row === null) return { previous: null, next: null };
    return this.#lists.neighbours(scope, row.arrival, filter);
  }

  findPerson(scope: Scope, email: string) {
    return this.#reading.person(scope, email);
  }

  listSubscribers(...[filter, page]: Parameters<DeskStore["listSubscribers"]>) {
    return this.#reading.subscribers(filter, page);
  }

  subscriberGrowth(now: number, days: number) {
    return this.#overview.growth(now, days);
  }

  listMails(...[scope, status, page]: Parameters<DeskStore["listMails"]>) {
    return this.#reading.mails(scope, status, page);
  }

  overview(scope: Scope, now: number) {
    return this.#overview.overview(scope, now);
  }

  listAudit(page: PageRequest) {
    return this.#reading.auditPage(page);
  }

  readAudit(after: number) {
    return this.#reading.audit(after);
  }

  async triage(scope: Scope, request: TriageRequest, actor: Actor): Promise<TriageOutcome[]> {
    const { targets } = request;
    if (targets.length > triageMax) throw new RangeError(`At most ${triageMax} submissions are changed at once.`);
    const outcomes: TriageOutcome[] = [];
    await inSteps(0, async (from) => {
      const batch = targets.slice(from, from + triagedAtOnce);
      outcomes.push(...(await this.#run(() => this.#changes.triage(scope, batch, request, actor))));
      if (from + triagedAtOnce >= targets.length) return null;
      await pause(batchPauseMs);
      return from + triagedAtOnce;
    });
    return outcomes;
  }

  addNote(...[scope, reference, text, actor]: Parameters<DeskStore["addNote"]>) {
    return this.#run(() => this.#changes.addNote(scope, reference, text, actor));
  }

  release(scope: Scope, reference: string, actor: Actor) {
    return this.#run(() => this.#changes.release(scope, reference, actor));
  }

  sendAgain(scope: Scope, mailId: string, actor: Actor) {
    return this.#run(() => this.#changes.sendAgain(scope, mailId, actor));
  }

  erasePerson(email: string, actor: Actor): Promise<Erased> {
    return this.#run(() => this.#erase.person(email, actor));
  }

  async eraseOutdated(outdated: Outdated): Promise<Erased> {
    const firstKept = await this.#lists.firstSince(outdated.before);
    return this.#run(() => this.#erase.outdated(outdated, firstKept));
  }

  resumesToDiscard(limit: number) {
    return retryWhileBusy(() => this.#erase.toDiscard(limit));
  }

  forgetDiscarded(keys: readonly string[]) {
    return this.#run(() => this.#erase.discarded(keys));
  }

  readPerson(scope: Scope, email: string) {
    return this.#reading.facts(scope, email);
  }

  audit(entry: AuditEntry, actor: Actor) {
    return this.#run(() => this.#audit(entry, actor));
  }

  async indexNext(limit: number, isDisposable: (email: string) => boolean) {
    // Without a transaction where there is nothing to do: this is asked for every second.
    if (await retryWhileBusy(() => this.#search.isComplete())) return 0;
    return this.#run(() => this.#search.indexNext(limit, isDisposable));
  }

  async countNextDay(now: number): Promise<boolean> {
    const at = await this.#overview.nextDay(now);
    if (at === null) return false;
    const [from, to] = [await this.#lists.firstSince(at), await this.#lists.firstSince(at + dayMs)];
    const isYesterday = at === startOfDay(now) - dayMs;
    await this.#run(() => this.#overview.storeDay(at, from, to, isYesterday));
    return !isYesterday;
  }
}
