// The tokens in the links of welcome mails: unguessable, and stored for good by their hashes only, so that a copy of the
// database opens no link.
import { createHash, randomBytes } from "node:crypto";
import type { LinkToken } from "../storage/records.ts";

/** Ours have 43 characters; a longer text is none of them and is not even hashed. */
const tokenLengthMax = 100;

/** A new token of 256 bits, and its hash. */
export function newToken(): LinkToken {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashOf(token) };
}

/** The hash of a token that was sent to us, or null when it can be none of ours. */
export const hashOfSent = (token: string): string | null =>
  token === "" || token.length > tokenLengthMax ? null : hashOf(token);

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");
