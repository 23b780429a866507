// The keys that tell a submission that is sent again from a second one.

/**
 * The caller's key, or a new one.
 *
 * @throws TypeError when the key is not 1 to 255 printable ASCII characters, or blank
 */
export function idempotencyKey(own: string | undefined): string {
  if (own === undefined) return randomKey();
  // A blank key would arrive empty: white space at the ends of a header is dropped.
  if (typeof own !== "string" || !/^(?! *$)[\x20-\x7E]{1,255}$/.test(own))
    throw new TypeError("`idempotencyKey` must be 1 to 255 printable ASCII characters, and not blank.");
  return own;
}

/** A new key. */
export function randomKey(): string {
  // Pages that came over plain HTTP have no `randomUUID`.
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
