// Secrets that are given out once: links of mails and invitations, ids of sessions, tokens. Only their hashes are stored, so
// that a copy of the database opens nothing.
import { createHash, randomBytes } from "node:crypto";

/** Ours have 43 characters, and a prefix at most. A longer text is none of them and is not even hashed. */
const lengthMax = 100;

/** 256 random bits, fit for links, cookies and headers. */
export const drawSecret = (): string => randomBytes(32).toString("base64url");

/** SHA-256 in lower-case hexadecimal. A slow hash is only needed for what people choose. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** The hash of a secret that was sent to us, or null when it can be none of ours. */
export const hashOfSent = (text: string): string | null =>
  text === "" || text.length > lengthMax ? null : hashSecret(text);
