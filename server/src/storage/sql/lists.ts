// Subscribers and mails, page by page.
import type { SubscriberFilter } from "@submissions/shared/console";
import { emailKey } from "@submissions/shared/fields";
import type { DeskStore } from "../desk-store.ts";
import { quoted } from "../rules/columns.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import { subscriberTable } from "../rules/subscription.ts";
import type { Bind, Engine } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

/** The subscribers of a filter, and the index that leads to them. */
export function wantedSubscribers({ status, source, search = "" }: SubscriberFilter, bind: Bind) {
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`status = ${bind(status)}`);
  if (source !== undefined) conditions.push(`source = ${bind(source)}`);
  // Both engines call this differently: whether a text holds another.
  if (search !== "") conditions.push(`email_key <> replace(email_key, ${bind(emailKey(search))}, '')`);
  const index = status !== undefined ? "subscriber_status" : source !== undefined ? "subscriber_source" : null;
  return { conditions, index };
}

export function makeLists(engine: Engine) {
  const subscribers = prepareNewestFirst(engine, subscriberTable);
  const mails = prepareNewestFirst(engine, {
    columns: mailColumns,
    name: "mail",
    joins: mailJoins,
    number: "mail.id",
    numberOf: ({ row }: ReadMail) => row,
    recordOf: storedMail,
  });

  return {
    listSubscribers: (filter, page) => subscribers((bind) => wantedSubscribers(filter, bind), page),

    async listMails(scope, status, page) {
      const kinds = mailKindsOf(scope);
      if (kinds.length === 0) return { rows: [], next: null };
      const conditions = [
        `mail.kind IN (${quoted(kinds)})`,
        ...(status === undefined ? [] : [`mail.status = '${status}'`]),
      ];
      // The condition of the index is repeated as it is there.
      const stopped = { conditions: [...conditions, "mail.status IN ('failed', 'in-doubt')"], index: "mail_stopped" };
      const hasStopped = status === "failed" || status === "in-doubt";
      return mails(() => (hasStopped ? stopped : { conditions }), page);
    },
  } satisfies Partial<DeskStore>;
}
