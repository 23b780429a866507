// What stays of an address that is erased.
import { hash } from "node:crypto";

/** Marks a key of `suppression` that is a hash; no address begins with it. */
export const hashedPrefix = "sha256:";

/**
 * The key of an erased address that is not to be mailed: without the address itself, a later submission of it can still
 * be told. PostgreSQL computes the same in SQL.
 */
export const hashedKey = (emailKey: string): string => hashedPrefix + hash("sha256", emailKey);
