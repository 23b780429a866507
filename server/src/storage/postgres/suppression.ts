// Whether an address is not to be mailed, within statements that store mails.
import { hashedPrefix } from "../rules/erasing.ts";

/** What `rules/erasing.ts` makes of the key of an erased address. */
const hashedInSql = (key: string): string => `'${hashedPrefix}' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

/** There is at most one row: the key or its hash. */
export const suppressedInSql = (key: string): string =>
  `((SELECT max(reason) FROM suppression WHERE suppression.email_key IN (${key}, ${hashedInSql(key)})) IS NOT NULL)`;
