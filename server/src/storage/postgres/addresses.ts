// An address within statements: its locks, and whether it is not to be mailed. What is read after a lock was taken stays
// true until the transaction ends, in all processes. One lock is for what is known of the address: its subscriber, its
// links, its suppression. Another is for its receipts. Only transactions that are sent as a whole take that one, so that a
// process that stops cannot keep it.
import { hashedPrefix } from "../rules/suppression.ts";
import { prepared } from "./statement.ts";

const lockOf = (key: string) => `hashtextextended(${key}, 0)`;
const receiptsOf = (key: string) => `hashtextextended(${key}, 1)`;

/** Waits for the lock of one address. */
export const lockAddress = prepared(`SELECT pg_advisory_xact_lock(${lockOf("$1::text")})`);

/** Takes those locks that are free, and waits for none. Answers whose. */
export const lockFreeAddresses = prepared<{ key: string }>(
  `SELECT key FROM unnest($1::text[]) AS key WHERE pg_try_advisory_xact_lock(${lockOf("key")})`,
);

/** Locks the receipts of some addresses, by their keys: in one order everywhere, so that transactions cannot deadlock. */
export const lockReceipts = prepared(`
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT ${receiptsOf("key")} AS number FROM unnest($1::text[]) AS key ORDER BY number
  ) AS ordered`);

/** What `rules/suppression.ts` makes of the key of an erased address. */
const hashedInSql = (key: string): string => `'${hashedPrefix}' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

/** There is at most one row: the key or its hash. */
export const suppressedInSql = (key: string): string =>
  `((SELECT max(reason) FROM suppression WHERE suppression.email_key IN (${key}, ${hashedInSql(key)})) IS NOT NULL)`;
