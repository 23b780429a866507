// What operators see and change, on SQLite. Changes are jobs of the store's commit queue.
import type { Actor, AuditEntry, DeskStore } from "../desk-store.ts";
import type { References } from "../rules/references.ts";
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

interface Parts {
  readonly references: References;
  readonly release: Release;
  readonly oversight: Oversight;
}

export class SqliteDesk implements DeskStore {
  readonly #run: RunJob;
  readonly #audit: Audit;
  readonly #search: DeskSearch;
  readonly #lists: DeskLists;
  readonly #reading: DeskReading;
  readonly #overview: DeskOverview;
  readonly #changes: DeskChanges;
  readonly #erase: DeskErase;

  constructor(connection: SqliteConnection, run: RunJob, { references, release, oversight }: Parts) {
    this.#run = run;
    this.#audit = prepareAudit(connection);
    this.#search = prepareDeskSearch(connection);
    this.#lists = prepareDeskLists(connection, references);
    this.#reading = prepareDeskReading(connection, references);
    this.#overview = prepareDeskOverview(connection, run, this.#lists);
    this.#changes = prepareDeskChanges(connection, run, { references, audit: this.#audit, release, oversight });
    this.#erase = prepareDeskErase(connection, run, { lists: this.#lists, search: this.#search, audit: this.#audit });
  }

  listSubmissions(...request: Parameters<DeskStore["listSubmissions"]>) {
    return this.#lists.listSubmissions(...request);
  }

  listWhole(...request: Parameters<DeskStore["listWhole"]>) {
    return this.#lists.listWhole(...request);
  }

  countByStatus(...request: Parameters<DeskStore["countByStatus"]>) {
    return this.#lists.countByStatus(...request);
  }

  since(...request: Parameters<DeskStore["since"]>) {
    return this.#lists.since(...request);
  }

  neighbours(...request: Parameters<DeskStore["neighbours"]>) {
    return this.#lists.neighbours(...request);
  }

  findDetail(...request: Parameters<DeskStore["findDetail"]>) {
    return this.#reading.findDetail(...request);
  }

  findPerson(...request: Parameters<DeskStore["findPerson"]>) {
    return this.#reading.findPerson(...request);
  }

  listSubscribers(...request: Parameters<DeskStore["listSubscribers"]>) {
    return this.#reading.listSubscribers(...request);
  }

  listMails(...request: Parameters<DeskStore["listMails"]>) {
    return this.#reading.listMails(...request);
  }

  listAudit(...request: Parameters<DeskStore["listAudit"]>) {
    return this.#reading.listAudit(...request);
  }

  readAudit(...request: Parameters<DeskStore["readAudit"]>) {
    return this.#reading.readAudit(...request);
  }

  readPerson(...request: Parameters<DeskStore["readPerson"]>) {
    return this.#reading.readPerson(...request);
  }

  overview(...request: Parameters<DeskStore["overview"]>) {
    return this.#overview.overview(...request);
  }

  subscriberGrowth(...request: Parameters<DeskStore["subscriberGrowth"]>) {
    return this.#overview.subscriberGrowth(...request);
  }

  countNextDay(...request: Parameters<DeskStore["countNextDay"]>) {
    return this.#overview.countNextDay(...request);
  }

  triage(...request: Parameters<DeskStore["triage"]>) {
    return this.#changes.triage(...request);
  }

  addNote(...request: Parameters<DeskStore["addNote"]>) {
    return this.#changes.addNote(...request);
  }

  release(...request: Parameters<DeskStore["release"]>) {
    return this.#changes.release(...request);
  }

  sendAgain(...request: Parameters<DeskStore["sendAgain"]>) {
    return this.#changes.sendAgain(...request);
  }

  erasePerson(...request: Parameters<DeskStore["erasePerson"]>) {
    return this.#erase.erasePerson(...request);
  }

  eraseOutdated(...request: Parameters<DeskStore["eraseOutdated"]>) {
    return this.#erase.eraseOutdated(...request);
  }

  resumesToDiscard(...request: Parameters<DeskStore["resumesToDiscard"]>) {
    return this.#erase.resumesToDiscard(...request);
  }

  forgetDiscarded(...request: Parameters<DeskStore["forgetDiscarded"]>) {
    return this.#erase.forgetDiscarded(...request);
  }

  audit(entry: AuditEntry, actor: Actor) {
    return this.#run(() => this.#audit(entry, actor));
  }

  async indexNext(limit: number, isDisposable: (email: string) => boolean) {
    // Without a transaction where there is nothing to do: this is asked for every second.
    if (await retryWhileBusy(() => this.#search.isComplete())) return 0;
    return this.#run(() => this.#search.indexNext(limit, isDisposable));
  }
}
