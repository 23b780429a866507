// Hashes passwords with argon2id, written as PHC strings. Hashing takes memory and one of the four threads that files
// and names are read with, so few run at once and few may wait.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Fault } from "../fault.ts";

const hash = promisify(argon2);

/** The first choice of OWASP's password storage cheat sheet: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;
const saltLength = 16;

const runningMax = 2;
const waitingMax = 20;
const retryAfterSeconds = 2;

/** Verifying against it takes as long as against a real one, and never succeeds. */
const nobodys = phc(cost, randomBytes(saltLength), randomBytes(tagLength));

type Cost = { readonly [Name in keyof typeof cost]: number };

/** Hashes and verifies passwords, two at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws Fault `signInBusy` when too many wait */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltLength);
    return phc(cost, salt, await this.#derive(password, salt, cost, tagLength));
  }

  /**
   * Whether a password is the one that was hashed.
   *
   * @param stored null: there is no account or no password; takes as long
   * @throws Fault `signInBusy` when too many wait
   */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const { salt, tag, ...stretched } = parse(stored ?? nobodys);
    const derived = await this.#derive(password, salt, stretched, tag.length);
    return timingSafeEqual(derived, tag) && stored !== null;
  }

  async #derive(password: string, nonce: Buffer, options: Cost, length: number): Promise<Buffer> {
    await this.#enter();
    try {
      // Normalised, because keyboards differ in how they write accents.
      return await hash("argon2id", { message: password.normalize("NFKC"), nonce, ...options, tagLength: length });
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < runningMax) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= waitingMax) throw new Fault("signInBusy", { retryAfterSeconds });
    // The one that ends hands its place over.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

function phc({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  const [s, t] = [salt, tag].map((bytes) => bytes.toString("base64").replace(/=+$/, ""));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${s}$${t}`;
}

const shape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function parse(text: string): Cost & { readonly salt: Buffer; readonly tag: Buffer } {
  const [, memory, passes, parallelism, salt, tag] = shape.exec(text) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("A stored password is no argon2id PHC string.");
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64"),
  };
}
