// What is known of an address, and what changes it: news of it, and the links in its mails. Decided in
// `rules/suppression.ts` and `rules/subscription.ts`; here it is written.
import { emailKey } from "@submissions/shared/fields";
import type { SubscriberStatus, SuppressionChange } from "../records.ts";
import { quoted } from "../rules/columns.ts";
import { mailJoins } from "../rules/mail-row.ts";
import { isUntouched, teamMails } from "../rules/mails.ts";
import { decideNews, hashedKey, type KnownAddressee, type Standing } from "../rules/suppression.ts";
import { prepareAnnouncements } from "./announcements.ts";
import { type Engine, type Steps, together } from "./engine.ts";
import type { Store } from "../store.ts";
import { linkWorks } from "../rules/subscription.ts";
import { prepareAudit } from "./audit.ts";

export const suppressText = `
  INSERT INTO suppression (email_key, reason, changed_at) VALUES ($1, $2, $3)
  ON CONFLICT (email_key) DO UPDATE SET reason = excluded.reason, changed_at = excluded.changed_at`;

/** What is known of an address. Of an erased one only a hash is kept. */
export function prepareStanding({ prepare }: Engine) {
  const find = prepare<Standing & { readonly key: string }>(`
    SELECT email_key AS key, reason, changed_at AS at FROM suppression WHERE email_key IN ($1, $2)`);
  return (key: string) => find(key, hashedKey(key));
}

interface Holder {
  readonly key: string;
  readonly status: SubscriberStatus;
}

// The first time counts, also for a subscriber who became active without confirming.
export const confirmText = `
  UPDATE subscriber SET status = 'active', confirmed_at = $2, unsubscribed_at = NULL
  WHERE email_key = $1 AND (status <> 'active' OR confirmed_at IS NULL)`;

/** Which links work is decided in `rules/subscription.ts`. */
export function makeAddresses(engine: Engine) {
  const { prepare, lockAddress, read, transaction } = engine;
  const announce = prepareAnnouncements(engine);
  const audit = prepareAudit(engine);
  const standingOf = prepareStanding(engine);
  const findSubscriber = prepare<Omit<KnownAddressee, "hasConfirmLink"> & { readonly linked: number }>(`
    SELECT status, subscribed_at AS "subscribedAt", welcomed_at AS "welcomedAt", confirmed_at AS "confirmedAt",
      unsubscribed_at AS "unsubscribedAt",
      (SELECT count(*) FROM (SELECT 1 FROM newsletter_token AS token
        WHERE token.email_key = subscriber.email_key AND purpose = 'confirm' LIMIT 1) AS one) AS linked
    FROM subscriber WHERE email_key = $1`);
  const write = prepare(suppressText);
  const setStatus = prepare("UPDATE subscriber SET status = $2, unsubscribed_at = $3 WHERE email_key = $1");
  const unlink = prepare("DELETE FROM newsletter_token WHERE email_key = $1 AND purpose = 'confirm'");
  /** The recipient of a mail of an owner, unless it is the team. */
  const addresseeOf = prepare<{ email: string }>(`
    SELECT coalesce(submission.email, subscriber.email) AS email FROM mail ${mailJoins}
    WHERE mail.id = $1 AND mail.created_at = $2 AND mail.lease_owner = $3
      AND mail.kind NOT IN (${quoted(teamMails)})`);

  /** Records news of an address. Answers whether it was news. */
  function* noteNews(change: SuppressionChange): Steps<boolean> {
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

  const find = prepare<Holder>(`
    SELECT subscriber.email_key AS key, subscriber.status
    FROM newsletter_token AS token JOIN subscriber ON subscriber.email_key = token.email_key
    WHERE token.token_hash = $1 AND token.purpose = $2 AND (token.expires_at IS NULL OR token.expires_at > $3)`);
  const confirm = prepare(confirmText);
  // The first time since the latest welcome mail counts: leaving twice must not earn the address another one. Of a bounced
  // subscriber the time is kept for the case that the bounce is explained by something else later.
  const leave = prepare(`
    UPDATE subscriber SET status = CASE status WHEN 'bounced' THEN status ELSE 'unsubscribed' END, unsubscribed_at = $2
    WHERE email_key = $1 AND (status IN ('pending', 'active') OR (status = 'bounced' AND unsubscribed_at IS NULL)
      OR (status = 'unsubscribed' AND welcomed_at > unsubscribed_at))`);
  // A welcome mail that was not tried yet would come after the leaving, and its confirm link would not work.
  const dropWelcomes = prepare(`DELETE FROM mail WHERE subscriber = $1 AND ${isUntouched}`);
  const findKey = prepare<Pick<Holder, "status"> & { readonly arrival: number }>(`
    SELECT status, arrival FROM subscriber WHERE email_key = $1`);

  function* unsubscribe({ key, status }: Holder, at: number): Steps<void> {
    yield* together([leave(key, at), unlink(key), dropWelcomes(key)]);
    yield* announce.ofStatus(status, "unsubscribed", key, at);
  }

  return {
    noteNews,

    suppress: transaction(noteNews),

    /** Notes that the recipient of a mail was refused, if the mail is the owner's and not for the team. */
    *noteRefusal(row: number, createdAt: number, owner: string, at: number): Steps<void> {
      const [addressee] = yield* addresseeOf(row, createdAt, owner);
      if (addressee !== undefined) yield* noteNews({ email: addressee.email, reason: "inactive", at });
    },

    async checkLink(purpose, { tokenHash, at }) {
      const [holder] = await read(find(tokenHash, purpose, at));
      return holder !== undefined && linkWorks(purpose, holder.status);
    },

    followLink: transaction(
      function* (purpose, { tokenHash, at }) {
        const holderOf = () => find(tokenHash, purpose, at);
        const [found] = yield* holderOf();
        if (found === undefined) return false;
        const [[holder]] = yield* lockAddress(found.key, [holderOf()]);
        if (holder === undefined || !linkWorks(purpose, holder.status)) return false;
        if (purpose === "unsubscribe") yield* unsubscribe(holder, at);
        else {
          yield* confirm(holder.key, at);
          yield* announce.ofStatus(holder.status, "active", holder.key, at);
        }
        return true;
      },
      { repeatable: true },
    ),

    unsubscribeFor: transaction(function* (email, actor) {
      const key = emailKey(email);
      const [[found]] = yield* lockAddress(key, [findKey(key)]);
      if (found === undefined) return false;
      yield* unsubscribe({ key, status: found.status }, actor.at);
      const detail = { subscriber: found.arrival, from: found.status };
      yield* audit({ action: "subscriber.unsubscribe", subject: "subscribers", detail }, actor);
      return true;
    }),
  } satisfies Partial<Store> & Record<"noteNews" | "noteRefusal", unknown>;
}
