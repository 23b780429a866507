// Secrets that are given out once: links of mails and invitations, ids of sessions, tokens. Only their hashes are stored, so
// that a copy of the database opens nothing.
import { createHash, randomBytes } from "node:crypto";

/** Our secrets have 43 characters, some with a prefix. A longer text cannot be one, so it is not hashed. */
const lengthMax = 100;

/** 256 random bits, fit for links, cookies and headers. */
export const drawSecret = (): string => randomBytes(32).toString("base64url");

/** SHA-256 in lower-case hexadecimal. Only passwords, which people choose, need a slow hash. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** The hash of a secret that was sent to us, or null when it can be none of ours. */
export const hashOfSent = (text: string): string | null =>
  text === "" || text.length > lengthMax ? null : hashSecret(text);
