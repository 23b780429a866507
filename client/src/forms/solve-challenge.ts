// Solves a challenge (ALTCHA, version 2): derives keys until one has the wanted prefix. Only forms that need it load it. It
// imports nothing, or the bundle would load its entry a second time. WebCrypto derives on its own threads, so the page
// stays responsive without workers, which pages of another origin cannot start.

/** The part of a challenge that solving needs. */
interface Challenge {
  readonly parameters: {
    readonly algorithm: string;
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
  };
}

/** The challenge with its solution, as the service reads it. Rejects with the signal's reason. */
export async function solveChallenge(challenge: unknown, signal: AbortSignal): Promise<string> {
  const { algorithm, nonce, salt, cost, keyLength, keyPrefix } = (challenge as Challenge).parameters;
  const [name, hash] = algorithm.split("/");
  if (name !== "PBKDF2" || hash === undefined) throw new Error(`${algorithm} cannot be solved.`);
  const derivation = { name, hash, salt: bytesOf(salt), iterations: cost };
  const keyOf = async (counter: number): Promise<string> => {
    const password = new Uint8Array([...bytesOf(nonce), 0, 0, 0, 0]);
    new DataView(password.buffer).setUint32(password.length - 4, counter);
    const key = await crypto.subtle.importKey("raw", password, name, false, ["deriveBits"]);
    return hexOf(await crypto.subtle.deriveBits(derivation, key, keyLength * 8));
  };
  // As many at once as there are processors.
  const atOnce = Math.min(navigator.hardwareConcurrency || 2, 16);
  for (let first = 0; ; first += atOnce) {
    signal.throwIfAborted();
    const keys = await Promise.all(Array.from({ length: atOnce }, (_, offset) => keyOf(first + offset)));
    const found = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (found >= 0)
      return btoa(JSON.stringify({ challenge, solution: { counter: first + found, derivedKey: keys[found] } }));
  }
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const hexOf = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
