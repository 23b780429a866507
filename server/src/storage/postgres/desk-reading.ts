// Subscribers and mails, page by page.
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import type { MailStatus } from "../records.ts";
import { mailKindsOf, pageOf, rowsOf } from "../rules/inbox-filter.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { Connections } from "./connections.ts";
import type { Statement } from "./statement.ts";

/** Where a list begins that is read downwards. */
const top = Number.MAX_SAFE_INTEGER;

/**
 * Mails of some kinds below a row, newest first. The status is part of the text: only then the planner uses its index.
 * Planned each time: the plan for any kinds and any limit could read all mails.
 */
const mailsBelow = (status: MailStatus | undefined): Statement<ReadMail> => ({
  text: `
    SELECT ${mailColumns} FROM mail ${mailJoins}
    WHERE ${status === undefined ? "" : `mail.status = '${status}' AND`} mail.id < $2 AND mail.kind = ANY ($1::text[])
    ORDER BY mail.id DESC LIMIT $3`,
});

export const makeDeskReading = (connections: Connections) =>
  ({
    async listSubscribers({ status, search }, page) {
      const limit = rowsOf(page);
      const values: unknown[] = [page.after ?? top, limit + 1];
      const wheres = ["arrival < $1"];
      if (status !== undefined) wheres.push(`status = $${values.push(status)}`);
      if (search !== undefined && search !== "")
        wheres.push(`position($${values.push(emailKey(search))} IN email_key) > 0`);
      const text = `SELECT ${subscriberColumns} FROM subscriber WHERE ${wheres.join(" AND ")} ORDER BY arrival DESC LIMIT $2`;
      const rows = await connections.all<SubscriberRow>({ text }, values);
      return pageOf(rows.map(storedSubscriber), limit, ({ arrival }) => arrival);
    },

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const limit = rowsOf(page);
      const rows = await connections.all(mailsBelow(status), [kinds, page.after ?? top, limit + 1]);
      const found = pageOf(rows, limit, ({ row }) => row);
      return { ...found, rows: found.rows.map(storedMail) };
    },
  }) satisfies Partial<DeskStore>;
