// Subscribers of the newsletter: lists and counts, adding one or a file of them, and unsubscribing one.
import {
  importBytesMax,
  type ImportProgress,
  type ImportReport,
  type Page,
  type SubscriberRow,
  type WithPerson,
} from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import { z } from "zod";
import { readSubscriberFile, type SubscriberFile } from "../../desk/subscriber-file.ts";
import { Fault } from "../../fault.ts";
import type { AuditEntry } from "../../storage/desk-store.ts";
import type { LeftOutReason, SubscriptionRecord } from "../../storage/records.ts";
import { StorageUnavailable } from "../../storage/store.ts";
import { byEmail, newSubscriber, page, subscriberFilter } from "../inputs.ts";
import { done, forRoles, type Ruled, trpc } from "../procedure.ts";
import { subscriberRoles } from "../role-rules.ts";
import { marked } from "./people.ts";

const growthDays = 90;

/** Rows that are stored at once; submissions are stored in between. */
const rowsAtOnce = 50;

/**
 * The welcome mails of a file go out at this pace: providers distrust senders who suddenly send thousands. Those of the
 * largest file take 55 minutes; operators are alerted of a mail that has waited for an hour.
 */
const mailEveryMs = 330;

/** How long the store may take for a batch of them. */
const storeMs = 10_000;

const subject = "subscribers";

const reasons: Readonly<Record<LeftOutReason, string>> = {
  active: "It is subscribed already.",
  pending: "It is subscribed already, and its owner has not confirmed yet.",
  unsubscribed: "It has unsubscribed. Only its owner can subscribe it again.",
  bounced: "Mail to it bounced.",
  complained: "Its owner complained about our mail.",
  suppressed: "It is suppressed: it gets no mail from us.",
};
const notStored = "It could not be stored. Import the file again.";

const { changes, reads, shows } = forRoles(...subscriberRoles);

export const subscriberProcedures = trpc.router({
  list: reads(
    z.object({ filter: subscriberFilter, page }),
    async ({ desk, console }, input): Promise<Page<WithPerson<SubscriberRow>>> => {
      const { idOf } = console.persons;
      const { rows, next } = await desk.listSubscribers(input.filter, input.page);
      return { rows: rows.map((row) => ({ ...marked(row, console.isDisposable), personId: idOf(row.email) })), next };
    },
  ),

  growth: shows(({ desk, console }) => desk.subscriberGrowth(console.clock.now(), growthDays)),

  /** When those of a filter came, by day. */
  arrivals: reads(z.object({ filter: subscriberFilter }), ({ desk, console }, input) =>
    desk.subscriberArrivals(input.filter, console.clock.now(), growthDays),
  ),

  sources: shows(({ desk }) => desk.countSources()),

  add: changes(newSubscriber, async (ctx, input) => {
    const { source = "console", consent } = input;
    const audit = { action: "subscriber.add", subject, detail: { source, proven: consent !== null } };
    const reason = await add(ctx, { ...input, source }, ctx.actor.at, audit);
    if (reason !== null) throw new Fault("subscriberLeftOut", { issues: [{ path: ["email"], message: reason }] });
    return { status: statusOf(input) };
  }),

  import: changes(
    z.object({ csv: z.string().max(importBytesMax, "The file is larger than 4 MiB. Divide it.") }),
    async (ctx, { csv }): Promise<ImportReport> => {
      const file = await readSubscriberFile(csv);
      const report = { active: 0, pending: 0, leftOut: [] as LeftOut[], unread: file.unread };
      const rows = file.rows.length;
      const keep = keepProgress(ctx, rows);
      // A process that is killed writes no other entry.
      await ctx.desk.audit({ action: "subscriber.import.begin", subject, detail: { rows } }, ctx.actor);
      let reached = 0;
      try {
        for await (const outcomes of ctx.console.pace(addRows(ctx, file), ctx.gone)) {
          for (const outcome of outcomes) {
            if ("reason" in outcome) report.leftOut.push(outcome);
            else report[outcome.status] += 1;
          }
          reached += outcomes.length;
          keep(report, false);
        }
      } catch (error) {
        if (!(error instanceof Fault && error.fault === "tooManyRequests")) throw error;
        report.leftOut.push(...file.rows.slice(reached).map((row) => leftOutOf(row, notStored)));
      }
      // What was stored stays, so nothing may keep its report back from here on.
      keep(report, true);
      const { active, pending, leftOut } = report;
      const detail = { rows, active, pending, leftOut: leftOut.length };
      const entry = { action: "subscriber.import", subject, detail };
      await ctx.desk.audit(entry, ctx.actor).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailable)) throw error;
        ctx.console.log.error({ err: error }, "the audit log could not be written");
      });
      return report;
    },
  ),

  /** Of the operator's latest import, also where its answer was lost; null: there was none in the last minutes. */
  importProgress: shows(({ console, actor }): ImportProgress | null => console.imports.get(actor.operator) ?? null),

  unsubscribe: changes(byEmail, ({ console, actor }, { email }) => done(console.store.unsubscribeFor(email, actor))),
});

/** How long the report of an import can be asked for. It holds addresses, so it is not kept for long. */
const reportKeptMs = 10 * 60 * 1000;

/** Keeps how far an import has come, in this process. */
function keepProgress({ console: { imports }, actor: { operator, at: startedAt } }: Ruled, rows: number) {
  return (report: ImportReport, isOver: boolean): void => {
    const counted = report.active + report.pending + report.leftOut.length;
    const progress = { startedAt, rows, done: counted, report: isOver ? report : null };
    imports.set(operator, progress);
    if (!isOver) return;
    const forget = () => imports.get(operator) === progress && imports.delete(operator);
    setTimeout(forget, reportKeptMs).unref();
  };
}

type NewSubscriber = z.output<typeof newSubscriber> & { readonly source: string };
type FileRow = SubscriberFile["rows"][number];
type LeftOut = ImportReport["leftOut"][number];
type Outcome = LeftOut | { readonly status: "active" | "pending" };

const leftOutOf = ({ row, cells }: FileRow, reason: string): LeftOut => ({
  row,
  email: (cells["email"] ?? "").trim().slice(0, 254),
  reason,
});

const statusOf = ({ consent }: Pick<NewSubscriber, "consent">) => (consent === null ? "pending" : "active");

/** Stores an address as a subscription. Answers why it was left out; null: it was not. */
async function add(
  { console, requestId, actor }: Ruled,
  subscriber: NewSubscriber,
  dueAt: number,
  audit?: AuditEntry,
): Promise<string | null> {
  const { at: receivedAt } = actor;
  const { consent } = subscriber;
  if (consent !== null && consent.at > receivedAt) return "The day of the consent is still to come.";
  const submission: SubscriptionRecord = {
    ...subscriber,
    kind: "subscription",
    receivedAt,
    door: "console",
    requestId,
    language: "en",
    // Whatever that of forms is: the owner of the address has asked for nothing.
    optIn: "double",
    ...console.newLinks(dueAt),
    added: consent === null ? "unproven" : "proven",
  };
  const acceptance = await console.store.accept({
    submission,
    spam: false,
    key: null,
    challenge: null,
    lease: { dueAt },
    ...(audit && { audit: { entry: audit, actor } }),
    deadline: performance.now() + storeMs,
  });
  return acceptance.result === "left-out" ? reasons[acceptance.reason] : null;
}

async function* addRows(adding: Ruled, { rows }: SubscriberFile): AsyncGenerator<readonly Outcome[]> {
  /** The rows of the addresses that were read. */
  const seen = new Map<string, number>();
  let mails = 0;
  let isStoreAway = false;

  async function addRow(fileRow: FileRow): Promise<Outcome> {
    const { row, cells } = fileRow;
    const leftOut = (reason: string) => leftOutOf(fileRow, reason);
    if (isStoreAway) return leftOut(notStored);
    const read = newSubscriber.safeParse(cells);
    if (!read.success) {
      const { path, message } = read.error.issues[0]!;
      return leftOut(path[0] === "email" ? message : `${String(path[0])}: ${message}`);
    }
    const { source = "import", ...subscriber } = read.data;
    const key = emailKey(subscriber.email);
    const earlier = seen.get(key);
    if (earlier !== undefined) return leftOut(`It stands in row ${earlier} too.`);
    seen.set(key, row);
    const status = statusOf(subscriber);
    const dueAt = adding.actor.at + (status === "pending" ? mails++ : 0) * mailEveryMs;
    try {
      const reason = await add(adding, { ...subscriber, source }, dueAt);
      return reason === null ? { status } : leftOut(reason);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      isStoreAway = true;
      return leftOut(notStored);
    }
  }

  for (let first = 0; first < rows.length; first += rowsAtOnce) {
    yield await Promise.all(rows.slice(first, first + rowsAtOnce).map(addRow));
  }
}
