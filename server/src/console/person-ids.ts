// The ids of persons in addresses of the console. An id is the address itself, encrypted: only this service can make or read
// one, and logs of proxies hold no address. The same address always has the same id, so bookmarks work, and no table is needed.
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { emailKey } from "@submissions/shared/fields";
import { problemOfLine } from "@submissions/shared/text";

const cipher = "aes-256-ctr";
const vectorBytes = 16;

/** @param key kept in the store; see `AccessStore.cookieKey` */
export function personIds(key: string) {
  const derived = (purpose: string) => createHmac("sha256", key).update(`${purpose} of persons in addresses`).digest();
  const [encrypting, authenticating] = [derived("encryption"), derived("authentication")];
  // Made of the address, as in AES-SIV (RFC 5297): no two addresses share one, and it proves that the id was made here.
  const vectorOf = (email: string) =>
    createHmac("sha256", authenticating).update(email).digest().subarray(0, vectorBytes);

  return {
    idOf(email: string): string {
      const plain = emailKey(email);
      const vector = vectorOf(plain);
      const encrypted = createCipheriv(cipher, encrypting, vector).update(plain);
      return Buffer.concat([vector, encrypted]).toString("base64url");
    },

    /** The address of an id; a line that may be one, as it stood in old addresses of pages, is its own. Null for any other text. */
    emailOf(text: string): string | null {
      if (text.includes("@")) return problemOfLine(text) === undefined ? text : null;
      const sent = Buffer.from(text, "base64url");
      const vector = sent.subarray(0, vectorBytes);
      if (vector.length < vectorBytes) return null;
      const email = createDecipheriv(cipher, encrypting, vector).update(sent.subarray(vectorBytes)).toString();
      return timingSafeEqual(vectorOf(email), vector) ? email : null;
    },
  };
}
