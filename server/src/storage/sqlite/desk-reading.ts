// Subscribers and mails, page by page.
import type { Page, PageRequest } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { searchRanges } from "../ranges.ts";
import type { MailStatus } from "../records.ts";
import { mailKindsOf, pageOf, quoted, rowsOf } from "../rules/inbox-filter.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { Readable, SqliteConnection } from "./connection.ts";
import type { Reader } from "./reading-thread.ts";

export function prepareDeskReading(connection: SqliteConnection, reader: Reader) {
  // Every address holds the empty text.
  const subscribers = (condition: string) =>
    connection.prepare<[string, string, number, number, number], SubscriberRow>(`
      SELECT ${subscriberColumns} FROM subscriber ${condition} AND instr(email_key, ?2) > 0
        AND arrival > ?3 AND arrival < ?4 ORDER BY arrival DESC LIMIT ?5`);
  const allSubscribers = subscribers("NOT INDEXED WHERE ?1 = ''");
  const subscribersOf = subscribers("INDEXED BY subscriber_status WHERE status = ?1");
  const lastSubscriber = connection.prepare<[], { last: number | null }>("SELECT max(arrival) AS last FROM subscriber");
  const mailPage = prepareMailPage(connection, reader);

  return {
    listSubscribers({ status = "", search = "" }, page) {
      const statement = status === "" ? allSubscribers : subscribersOf;
      return pageBelow(
        reader,
        lastSubscriber,
        page,
        ({ arrival }) => arrival,
        async (above, below, limit) =>
          (await reader.all(statement, status, emailKey(search), above, below, limit)).map(storedSubscriber),
      );
    },

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const found = await mailPage(kinds, status, page);
      return { ...found, rows: found.rows.map(storedMail) };
    },
  } satisfies Partial<DeskStore>;
}

/** Reads mails of some kinds, page by page, newest first. */
function prepareMailPage(connection: SqliteConnection, reader: Reader) {
  const lastMail = connection.prepare<[], { last: number | null }>("SELECT max(id) AS last FROM mail");
  return async (kinds: readonly string[], status: MailStatus | undefined, page: PageRequest) => {
    const stopped = status === "failed" || status === "in-doubt";
    const text = `
      SELECT ${mailColumns} FROM mail ${stopped ? "INDEXED BY mail_stopped" : "NOT INDEXED"} ${mailJoins}
      WHERE ${stopped ? "mail.status IN ('failed', 'in-doubt') AND" : ""}
        ${status === undefined ? "" : `mail.status = '${status}' AND`}
        mail.kind IN (${quoted(kinds)}) AND mail.id > ? AND mail.id < ? ORDER BY mail.id DESC LIMIT ?`;
    const statement: Readable<[number, number, number], ReadMail> = { sourceSQL: text };
    const readRows = (above: number, below: number, limit: number) => reader.all(statement, above, below, limit);
    return pageBelow(reader, lastMail, page, ({ row }) => row, readRows);
  };
}

/** One page of a table by its row number, newest first. */
async function pageBelow<Row>(
  reader: Reader,
  lastOf: Readable<[], { last: number | null }>,
  page: PageRequest,
  numberOf: (row: Row) => number,
  readRows: (above: number, below: number, limit: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const last = (await reader.all(lastOf))[0]?.last ?? 0;
  const limit = rowsOf(page);
  const { rows: found, stoppedAt } = await searchRanges({
    above: 0,
    below: Math.min(page.after ?? Infinity, last + 1),
    descending: true,
    limit: limit + 1,
    read: readRows,
  });
  const { rows, next } = pageOf(found, limit, numberOf);
  return { rows, next: next ?? stoppedAt };
}
