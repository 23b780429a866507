// What the database knows of an address that an automatic mail would go to. Read inside the transaction that would store
// the mail, so that concurrent submissions cannot exceed the limit together.
import { automaticMailAllowed, automaticMailMs } from "../automatic-mail.ts";
import { compileOnce, type Engine } from "./queries.ts";

/** Whether an address, in the form of `emailKey`, may get one more automatic mail now. */
export type MayMail = (addressKey: string, now: number) => boolean;

export function addresseesOf({ connection, queries }: Engine): MayMail {
  const suppression = compileOnce(["key"], ({ key }: { key: string }) =>
    queries.selectFrom("suppression").select("email_key").where("email_key", "=", key),
  );
  const mails = compileOnce(["key", "since"], ({ key, since }: { key: string; since: number }) =>
    queries
      .selectFrom("mail")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where("automatic_to", "=", key)
      .where("created_at", ">", since),
  );
  return (key, now) =>
    automaticMailAllowed({
      suppressed: connection.all(suppression({ key })).length > 0,
      mailedInLastDay: connection.all(mails({ key, since: now - automaticMailMs }))[0]?.count ?? 0,
    });
}
