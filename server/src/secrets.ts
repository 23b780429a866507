// Secrets that are given out once: links of mails and invitations, ids of sessions, tokens. Only their hashes are stored, so
// that a copy of the database opens nothing.
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Our secrets have 43 characters, some with a prefix. A longer text cannot be one, so it is not hashed. */
const lengthMax = 100;

/** 256 random bits, fit for links, cookies and headers. */
export const drawSecret = (): string => randomBytes(32).toString("base64url");

/** SHA-256 in lower-case hexadecimal. Only passwords, which people choose, need a slow hash. */
export const hashSecret = (secret: string): string => hash("sha256", secret);

/** The hash of a secret that was sent to us, or null when it can be none of ours. */
export const hashOfSent = (text: string): string | null =>
  text === "" || text.length > lengthMax ? null : hashSecret(text);

/** `text.signature`, which only this service can have written, for a browser to keep. The text has no dot. */
export const sign = (key: string, purpose: string, text: string): string => `${text}.${signature(key, purpose, text)}`;

/** The text that was signed, or null when this service did not sign it for this purpose. */
export function signed(key: string, purpose: string, sent: string): string | null {
  const [text = "", tag = ""] = sent.split(".");
  return secretCheck(signature(key, purpose, text))(tag) ? text : null;
}

/** As {@link sign}, for any value of JSON. */
export const signJson = (key: string, purpose: string, value: object): string =>
  sign(key, purpose, Buffer.from(JSON.stringify(value)).toString("base64url"));

/** What {@link signJson} was given, or null. */
export function signedJson(key: string, purpose: string, sent: string): unknown {
  const text = signed(key, purpose, sent);
  return text === null ? null : JSON.parse(Buffer.from(text, "base64url").toString());
}

/** Compares with a secret, in a time that tells nothing of it, not even its length. */
export function secretCheck(secret: string): (sent: string | Buffer) => boolean {
  const digest = (value: string | Buffer) => hash("sha256", value, "buffer");
  const expected = digest(secret);
  return (sent) => timingSafeEqual(digest(sent), expected);
}

const signature = (key: string, purpose: string, text: string): string =>
  createHmac("sha256", key).update(`${purpose}\0${text}`).digest("base64url");
