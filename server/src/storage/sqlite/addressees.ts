// What the database knows of an address that an automatic mail would go to. Read inside the transaction that would store
// the mail, so that concurrent submissions cannot exceed the limit together.
import { automaticMailAllowed, automaticMailMs } from "../automatic-mail.ts";
import { compileOnce } from "../queries/compile.ts";
import type { Mailable } from "../rules/subscription.ts";
import type { Engine } from "./queries.ts";

/** What an address, in the form of `emailKey`, may be sent now. */
export type MayMail = (addressKey: string, now: number) => Mailable;

export function addresseesOf({ connection, queries }: Engine): MayMail {
  const suppression = compileOnce(["key"], ({ key }: { key: string }) =>
    queries.selectFrom("suppression").select("email_key").where("email_key", "=", key).where("reason", "is not", null),
  );
  const mails = compileOnce(["key", "since"], ({ key, since }: { key: string; since: number }) =>
    queries
      .selectFrom("mail")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("automatic_to", "=", key)
      .where("created_at", ">", since),
  );
  return (key, now) => {
    const suppressed = connection.all(suppression({ key })).length > 0;
    const mailedInLastDay = connection.all(mails({ key, since: now - automaticMailMs }))[0]?.count ?? 0;
    return { suppressed, allowed: automaticMailAllowed({ suppressed, mailedInLastDay }) };
  };
}
