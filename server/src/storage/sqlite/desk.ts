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

  readonly listSubmissions: DeskStore["listSubmissions"] = (...request) => this.#lists.listSubmissions(...request);
  readonly listWhole: DeskStore["listWhole"] = (...request) => this.#lists.listWhole(...request);
  readonly countByStatus: DeskStore["countByStatus"] = (...request) => this.#lists.countByStatus(...request);
  readonly since: DeskStore["since"] = (...request) => this.#lists.since(...request);
  readonly neighbours: DeskStore["neighbours"] = (...request) => this.#lists.neighbours(...request);
  readonly findDetail: DeskStore["findDetail"] = (...request) => this.#reading.findDetail(...request);
  readonly findPerson: DeskStore["findPerson"] = (...request) => this.#reading.findPerson(...request);
  readonly listSubscribers: DeskStore["listSubscribers"] = (...request) => this.#reading.listSubscribers(...request);
  readonly listMails: DeskStore["listMails"] = (...request) => this.#reading.listMails(...request);
  readonly listAudit: DeskStore["listAudit"] = (...request) => this.#reading.listAudit(...request);
  readonly readAudit: DeskStore["readAudit"] = (...request) => this.#reading.readAudit(...request);
  readonly readPerson: DeskStore["readPerson"] = (...request) => this.#reading.readPerson(...request);
  readonly overview: DeskStore["overview"] = (...request) => this.#overview.overview(...request);
  readonly subscriberGrowth: DeskStore["subscriberGrowth"] = (...request) =>
    this.#overview.subscriberGrowth(...request);
  readonly countNextDay: DeskStore["countNextDay"] = (...request) => this.#overview.countNextDay(...request);
  readonly triage: DeskStore["triage"] = (...request) => this.#changes.triage(...request);
  readonly addNote: DeskStore["addNote"] = (...request) => this.#changes.addNote(...request);
  readonly release: DeskStore["release"] = (...request) => this.#changes.release(...request);
  readonly sendAgain: DeskStore["sendAgain"] = (...request) => this.#changes.sendAgain(...request);
  readonly erasePerson: DeskStore["erasePerson"] = (...request) => this.#erase.erasePerson(...request);
  readonly eraseOutdated: DeskStore["eraseOutdated"] = (...request) => this.#erase.eraseOutdated(...request);
  readonly resumesToDiscard: DeskStore["resumesToDiscard"] = (...request) => this.#erase.resumesToDiscard(...request);
  readonly forgetDiscarded: DeskStore["forgetDiscarded"] = (...request) => this.#erase.forgetDiscarded(...request);

  audit(entry: AuditEntry, actor: Actor) {
    return this.#run(() => this.#audit(entry, actor));
  }

  async indexNext(limit: number, isDisposable: (email: string) => boolean) {
    // Without a transaction where there is nothing to do: this is asked for every second.
    if (await retryWhileBusy(() => this.#search.isComplete())) return 0;
    return this.#run(() => this.#search.indexNext(limit, isDisposable));
  }
}
