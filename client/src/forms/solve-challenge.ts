// Solves a challenge (ALTCHA, version 2): derives keys until one begins as asked. Loaded only by forms whose service asks
// for it; it must import nothing, or the bundle would load its entry a second time. WebCrypto derives on threads of its
// own, so that a page stays alive without workers, which pages of another origin could not start.

/** What the service answers of its challenge, as far as it takes part in solving. */
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

/** The challenge with its solution, as the service takes it. Rejects with the signal's reason. */
export async function solveChallenge(challenge: unknown, signal: AbortSignal): Promise<string> {
  const { algorithm, nonce, salt, cost, keyLength, keyPrefix } = (challenge as Challenge).parameters;
  const [name, hash] = algorithm.split("/");
  if (name !== "PBKDF2" || hash === undefined) throw new Error(`There is no way to solve ${algorithm} here.`);
  const derivation = { name, hash, salt: bytesOf(salt), iterations: cost };
  const keyOf = async (counter: number): Promise<string> => {
    const password = new Uint8Array([...bytesOf(nonce), 0, 0, 0, 0]);
    new DataView(password.buffer).setUint32(password.length - 4, counter);
    const key = await crypto.subtle.importKey("raw", password, name, false, ["deriveBits"]);
    return hexOf(await crypto.subtle.deriveBits(derivation, key, keyLength * 8));
  };
  // As many at once as there are processors to derive them.
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
