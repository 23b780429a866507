// Subscribers and mails, page by page.
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { mailKindsOf, pageOf, rowsOf } from "../rules/inbox-filter.ts";
import { mailRow } from "../rules/mail-row.ts";
import { storedSubscriber, subscriberColumns, type SubscriberRow } from "../rules/subscriber-row.ts";
import type { Connections } from "./connections.ts";
import { mailsBelow } from "./outbox.ts";

/** Where a list begins that is read downwards. */
const top = Number.MAX_SAFE_INTEGER;

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
      return { ...found, rows: found.rows.map(mailRow) };
    },
  }) satisfies Partial<DeskStore>;
