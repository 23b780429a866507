// The addresses that must not be mailed. What news of an address changes is decided in `rules/suppression.ts`; here it is
// written.
import { emailKey } from "@submissions/shared/fields";
import type { SuppressionChange } from "../records.ts";
import { quoted } from "../rules/inbox-filter.ts";
import { mailJoins } from "../rules/mail-row.ts";
import { teamMails } from "../rules/mails.ts";
import { decideNews, hashedKey, type KnownAddressee, type Standing } from "../rules/suppression.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { type Engine, type Steps, together } from "./engine.ts";
import { unlinkText } from "./links.ts";

interface Subscriber extends Omit<KnownAddressee, "hasConfirmLink"> {
  readonly linked: number;
}

export const suppressText = `
  INSERT INTO suppression (email_key, reason, changed_at) VALUES ($1, $2, $3)
  ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at`;

/** What is known of an address. Of an erased one only a hash is kept. */
export function prepareStanding({ prepare }: Engine) {
  const find = prepare<Standing & { readonly key: string }>(
    "SELECT email_key AS key, reason, changed_at AS at FROM suppression WHERE email_key IN ($1, $2)",
  );
  return (key: string) => find(key, hashedKey(key));
}

export function prepareSuppressions(engine: Engine) {
  const { prepare, lockAddress } = engine;
  const announce = prepareAnnouncements(engine);
  const standingOf = prepareStanding(engine);
  const findSubscriber = prepare<Subscriber>(`
    SELECT status, subscribed_at AS "subscribedAt", welcomed_at AS "welcomedAt", confirmed_at AS "confirmedAt",
      unsubscribed_at AS "unsubscribedAt",
      (SELECT count(*) FROM (SELECT 1 FROM newsletter_token AS token
        WHERE token.email_key = subscriber.email_key AND purpose = 'confirm' LIMIT 1) AS one) AS linked
    FROM subscriber WHERE email_key = $1`);
  const write = prepare(suppressText);
  const setStatus = prepare("UPDATE subscriber SET status = $2, unsubscribed_at = $3 WHERE email_key = $1");
  const unlink = prepare(unlinkText);
  /** The recipient of a mail of an owner, unless it is the team. */
  const addresseeOf = prepare<{ email: string }>(`
    SELECT coalesce(submission.email, subscriber.email) AS email FROM mail ${mailJoins}
    WHERE mail.id = $1 AND mail.created_at = $2 AND mail.lease_owner = $3
      AND mail.kind NOT IN (${quoted(teamMails)})`);

  /** Answers whether the change was news. */
  function* note(change: SuppressionChange): Steps<boolean> {
    const key = emailKey(change.email);
    const [[standing], [subscriber]] = yield* lockAddress(key, [standingOf(key), findSubscriber(key)]);
    const known = subscriber && { ...subscriber, hasConfirmLink: subscriber.linked === 1 };
    const follows = decideNews(change, standing, known);
    if (follows === null) return false;
    const { status, unsubscribedAt } = follows.change ?? {};
    yield* together([
      write(standing?.key ?? key, follows.standing.reason, follows.standing.at),
      ...(status === undefined ? [] : [setStatus(key, status, unsubscribedAt ?? null)]),
      ...(follows.deletesConfirmLinks ? [unlink(key)] : []),
    ]);
    if (status !== undefined) yield* announce.ofStatus(subscriber?.status, status, key, change.at);
    return true;
  }

  return {
    note,

    /** Notes that the recipient of a mail was refused, if the mail is the owner's and not for the team. */
    *noteRefusal(row: number, createdAt: number, owner: string, at: number): Steps<void> {
      const [addressee] = yield* addresseeOf(row, createdAt, owner);
      if (addressee !== undefined) yield* note({ email: addressee.email, reason: "inactive", at });
    },
  };
}
