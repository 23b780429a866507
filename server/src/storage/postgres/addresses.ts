// The lock on an address. Who changes what is known of an address (its subscriber, its links, its suppression) takes it
// first: what is read after that stays true until the transaction ends, in all processes.
import type { Statement } from "./connections.ts";

const lockOf = (key: string) => `hashtextextended(${key}, 0)`;

/** Waits for the lock of one address. */
export const lockAddress: Statement = {
  name: "lock-address",
  text: `SELECT pg_advisory_xact_lock(${lockOf("$1::text")})`,
};

/** Waits for the lock of the address that a link was sent to. */
export const lockHolder: Statement = {
  name: "lock-holder",
  text: `SELECT pg_advisory_xact_lock(${lockOf("email_key")}) FROM newsletter_token WHERE token_hash = $1`,
};

/** Takes those locks that are free, and waits for none. Answers whose. */
export const lockFreeAddresses: Statement<{ key: string }> = {
  name: "lock-free-addresses",
  text: `SELECT key FROM unnest($1::text[]) AS key WHERE pg_try_advisory_xact_lock(${lockOf("key")})`,
};
