// The tokens in the links of welcome mails: unguessable, and known to the store by their hashes only, so that a copy of
// the database opens no link.
import { createHash, randomBytes } from "node:crypto";

/** Ours have 43 characters; what is longer than this is none of them and is not even hashed. */
const tokenLengthMax = 100;

/** A new token of 256 bits, and its hash. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString("base64url");
  return { token, hash: hashOf(token) };
}

/** The hash of a token that somebody sent, or null when it can be none of ours. */
export const hashOfSent = (token: string): string | null =>
  token === "" || token.length > tokenLengthMax ? null : hashOf(token);

const hashOf = (token: string) => createHash("sha256").update(token).digest("hex");
