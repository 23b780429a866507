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
/** Of known devices, and of all others. */
const waitingMax = 20;
/** Running and waiting ones of an operator whose device is known, and of a network whose device is not. */
const ofOperatorMax = 2;
const ofNetworkMax = 4;
const retryAfterSeconds = 2;

export interface Place {
  /** The operator where the device is known, otherwise the network. */
  readonly holder: string;
  /** Whether the device has signed in before, or the caller has a session or an invitation. */
  readonly isKnown: boolean;
}

/** Verifying against it takes as long as against a real one, and never succeeds. */
const unmatchable = phc(cost, randomBytes(saltLength), randomBytes(tagLength));

type Cost = { readonly [Name in keyof typeof cost]: number };

/**
 * Hashes and verifies two passwords at a time. Strangers fill neither the places of other networks nor those of known devices,
 * an operator fills no other's, and the two queues are served by turns.
 */
export class Passwords {
  #running = 0;
  readonly #known: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isTurnOfKnown = true;
  readonly #held = new Map<string, number>();

  /** @throws Fault `signInBusy` when too many wait */
  async hash(password: string, place: Place): Promise<string> {
    const salt = randomBytes(saltLength);
    return phc(cost, salt, await this.#derive(password, salt, cost, tagLength, place));
  }

  /** Whether a password is the one that was hashed. Takes as long where there is none. @throws Fault `signInBusy` */
  async verify(password: string, stored: string | null, place: Place): Promise<boolean> {
    const { salt, tag, ...stretched } = parse(stored ?? unmatchable);
    const derived = await this.#derive(password, salt, stretched, tag.length, place);
    return timingSafeEqual(derived, tag) && stored !== null;
  }

  async #derive(password: string, nonce: Buffer, options: Cost, length: number, place: Place): Promise<Buffer> {
    await this.#enter(place);
    try {
      // Keyboards differ in how they write accents.
      return await hash("argon2id", { message: password.normalize("NFKC"), nonce, ...options, tagLength: length });
    } finally {
      this.#leave(place);
    }
  }

  async #enter({ holder, isKnown }: Place): Promise<void> {
    const waiting = isKnown ? this.#known : this.#others;
    const held = this.#held.get(holder) ?? 0;
    if (waiting.length >= waitingMax || held >= (isKnown ? ofOperatorMax : ofNetworkMax)) {
      throw new Fault("signInBusy", { retryAfterSeconds });
    }
    this.#held.set(holder, held + 1);
    if (this.#running < runningMax) this.#running += 1;
    // The one that ends hands its place over.
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  #leave({ holder }: Place): void {
    const left = (this.#held.get(holder) ?? 0) - 1;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    const [first, second] = this.#isTurnOfKnown ? [this.#known, this.#others] : [this.#others, this.#known];
    this.#isTurnOfKnown = !this.#isTurnOfKnown;
    const next = first.shift() ?? second.shift();
    if (next === undefined) this.#running -= 1;
    else next();
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
  const stretched = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { ...stretched, salt: Buffer.from(salt, "base64"), tag: Buffer.from(tag, "base64") };
}
