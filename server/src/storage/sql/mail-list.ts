// Mails, page by page.
import type { DeskStore } from "../desk-store.ts";
import { quoted } from "../rules/columns.ts";
import { mailKindsOf } from "../rules/inbox-filter.ts";
import { mailColumns, mailJoins, type ReadMail, storedMail } from "../rules/mail-row.ts";
import type { Engine } from "./engine.ts";
import { prepareNewestFirst } from "./ranges.ts";

export function makeMailList(engine: Engine) {
  const mails = prepareNewestFirst(engine, {
    columns: mailColumns,
    name: "mail",
    joins: mailJoins,
    number: "mail.id",
    numberOf: ({ row }: ReadMail) => row,
    recordOf: storedMail,
  });

  return {
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
      return mails(page, () => (hasStopped ? stopped : { conditions }));
    },
  } satisfies Partial<DeskStore>;
}
