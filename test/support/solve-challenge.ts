// Proves work as any client of the service can, by the description of ALTCHA's challenges alone.
import { pbkdf2Sync } from "node:crypto";
import { altchaChallengePath } from "../../shared/src/hidden-fields.ts";
import type { Service } from "./service.ts";

export interface Challenge {
  readonly parameters: {
    readonly algorithm: string;
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
    readonly keySignature: string;
    readonly expiresAt: number;
  };
  readonly signature: string;
}

export interface Solution {
  readonly counter: number;
  readonly derivedKey: string;
}

/** Settings of a service that asks for as little work as there can be. */
export const littleWork = { ALTCHA_HMAC_KEY: "0123456789abcdef0123456789abcdef", ALTCHA_COST: "100" };

export async function fetchChallenge(service: Pick<Service, "url">): Promise<Challenge> {
  return (await (await fetch(service.url + altchaChallengePath)).json()) as Challenge;
}

export function solve({ parameters }: Challenge): Solution {
  const { nonce, salt, cost, keyLength, keyPrefix } = parameters;
  const saltBytes = Buffer.from(salt, "hex");
  const password = Buffer.concat([Buffer.from(nonce, "hex"), Buffer.alloc(4)]);
  for (let counter = 0; ; counter += 1) {
    password.writeUInt32BE(counter, password.length - 4);
    const derivedKey = pbkdf2Sync(password, saltBytes, cost, keyLength, "sha256").toString("hex");
    if (derivedKey.startsWith(keyPrefix)) return { counter, derivedKey };
  }
}

export const payloadOf = (challenge: Challenge, solution: Solution): string =>
  Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");

export async function proveWork(service: Pick<Service, "url">): Promise<string> {
  const challenge = await fetchChallenge(service);
  return payloadOf(challenge, solve(challenge));
}
