// The mailboxes that answers are fetched from.
import type { MailboxPosition, MailboxStore } from "../inbound-store.ts";
import type { Engine } from "./engine.ts";

/** A lease that ends so much later than one that begins now was taken by a clock that was ahead. */
const slackMs = 60_000;

type Row = { readonly [Name in keyof MailboxPosition]: MailboxPosition[Name] | null };

export function makeMailboxes({ prepare, write }: Engine): MailboxStore {
  const lease = prepare<Row>(`
    INSERT INTO inbound_mailbox (mailbox, lease_owner, lease_until) VALUES ($1, $2, $4)
    ON CONFLICT (mailbox) DO UPDATE SET lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
    WHERE inbound_mailbox.lease_owner = excluded.lease_owner OR inbound_mailbox.lease_until <= $3
      OR inbound_mailbox.lease_until > excluded.lease_until + ${slackMs}
    RETURNING uid_validity AS "uidValidity", uid, taken_at AS "takenAt"`);
  const advance = prepare<object>(`
    UPDATE inbound_mailbox SET uid_validity = $3, uid = $4, taken_at = $5
    WHERE mailbox = $1 AND lease_owner = $2 RETURNING mailbox`);
  const release = prepare("UPDATE inbound_mailbox SET lease_until = 0 WHERE mailbox = $1 AND lease_owner = $2");

  return {
    async lease(mailbox, owner, now, until) {
      const [row] = await write(lease(mailbox, owner, now, until));
      if (row === undefined) return null;
      const { uidValidity, uid, takenAt } = row;
      const isRead = uidValidity !== null && uid !== null && takenAt !== null;
      return { position: isRead ? { uidValidity, uid, takenAt } : null };
    },
    async advance(mailbox, owner, { uidValidity, uid, takenAt }) {
      return (await write(advance(mailbox, owner, uidValidity, uid, takenAt))).length > 0;
    },
    release: async (mailbox, owner) => void (await write(release(mailbox, owner))),
  };
}
