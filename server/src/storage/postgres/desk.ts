// What operators see and change, on PostgreSQL.
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
import type { References } from "../rules/references.ts";
import { triagedAtOnce } from "../rules/triage.ts";
import type { Connections } from "./connections.ts";
import { auditWithin, DeskChanges } from "./desk-changes.ts";
import { DeskErase } from "./desk-erase.ts";
import { DeskLists } from "./desk-lists.ts";
import { DeskOverview } from "./desk-overview.ts";
import { DeskReading } from "./desk-reading.ts";
import { indexNext } from "./desk-search.ts";
import { batchPauseMs } from "./outbox.ts";

export class PostgresDesk implements DeskStore {
  readonly #connections: Connections;
  readonly #lists: DeskLists;
  readonly #reading: DeskReading;
  readonly #overview: DeskOverview;
  readonly #changes: DeskChanges;
  readonly #erase: DeskErase;

  constructor(connections: Connections, references: References) {
    this.#connections = connections;
    this.#lists = new DeskLists(connections);
    this.#reading = new DeskReading(connections, references);
    this.#overview = new DeskOverview(connections, this.#lists);
    this.#changes = new DeskChanges(connections, references);
    this.#erase = new DeskErase(connections);
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
    const row = await this.#reading.findRow(scope, reference);
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
      outcomes.push(...(await this.#changes.triage(scope, batch, request, actor)));
      if (from + triagedAtOnce >= targets.length) return null;
      await pause(batchPauseMs);
      return from + triagedAtOnce;
    });
    return outcomes;
  }

  addNote(...[scope, reference, text, actor]: Parameters<DeskStore["addNote"]>) {
    return this.#changes.addNote(scope, reference, text, actor);
  }

  release(scope: Scope, reference: string, actor: Actor) {
    return this.#changes.release(scope, reference, actor);
  }

  sendAgain(scope: Scope, mailId: string, actor: Actor) {
    return this.#changes.sendAgain(scope, mailId, actor);
  }

  erasePerson(email: string, actor: Actor): Promise<Erased> {
    return this.#erase.person(email, actor);
  }

  async eraseOutdated(outdated: Outdated): Promise<Erased> {
    return this.#erase.outdated(outdated, await this.#lists.firstSince(outdated.before));
  }

  resumesToDiscard(limit: number) {
    return this.#erase.toDiscard(limit);
  }

  forgetDiscarded(keys: readonly string[]) {
    return this.#erase.discarded(keys);
  }

  readPerson(scope: Scope, email: string) {
    return this.#reading.facts(scope, email);
  }

  audit(entry: AuditEntry, actor: Actor) {
    return this.#connections.transaction((session) => auditWithin(session, [entry], actor));
  }

  indexNext(limit: number, isDisposable: (email: string) => boolean) {
    return indexNext(this.#connections, limit, isDisposable);
  }

  countNextDay(now: number) {
    return this.#overview.countNextDay(now);
  }
}
