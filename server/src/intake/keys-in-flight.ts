// Which keys this process is working on. Twins in other processes are told apart by the store, which takes a key once.

export class KeysInFlight {
  readonly #keys = new Set<string>();

  /** Holds a key until disposed of; null when it is held already. */
  hold(key: string): Disposable | null {
    if (this.#keys.has(key)) return null;
    this.#keys.add(key);
    return { [Symbol.dispose]: () => void this.#keys.delete(key) };
  }
}
