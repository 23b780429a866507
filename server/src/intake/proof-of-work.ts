// Proof of work (ALTCHA): signed challenges, and checks of solutions. The store knows which of them are spent.
import { createHmac, hash, randomInt } from "node:crypto";
import { altchaChallengePath, altchaField } from "@submissions/shared/hidden-fields";
import type { Challenge } from "altcha-lib";
import { z } from "zod";
import { Fault } from "../fault.ts";
import { jsonIn } from "../read-unknown.ts";
import type { ChallengeRecord } from "../storage/records.ts";

/** Time to send a form after its challenge was made; a form that stays open longer asks for another one. */
const challengeMs = 10 * 60 * 1000;

/** How many keys a client derives until it finds the right one: at least some work, and never without end. */
const guesses = { min: 500, max: 1_500 };

/** A solution has some 700 characters. */
const solutionLengthMax = 4_096;

const wrong = {
  missing: `Proof of work is required here: send the solution of a challenge from ${altchaChallengePath}.`,
  invalid: "This solves no challenge of this service. Please get a new one.",
  expired: "The challenge has expired. Please get a new one.",
  spent: "This solution was used before. Please get a new challenge.",
} as const;

const loadAltcha = () => Promise.all([import("altcha-lib"), import("altcha-lib/algorithms/pbkdf2")]);

export const proofRefused = (reason: keyof typeof wrong): Fault =>
  new Fault("proofOfWorkInvalid", { issues: [{ path: [altchaField], message: wrong[reason] }] });

// All that a challenge of ours has; the signature is over these.
const parameters = z.object({
  algorithm: z.string(),
  nonce: z.string(),
  salt: z.string(),
  cost: z.number(),
  keyLength: z.number(),
  keyPrefix: z.string(),
  keySignature: z.string(),
  expiresAt: z.number(),
});
const payload = z.object({
  challenge: z.object({ parameters, signature: z.string() }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

export class ProofOfWork {
  readonly #cost: number;
  readonly #secrets: { readonly hmacSignatureSecret: string; readonly hmacKeySignatureSecret: string };

  /** @param cost PBKDF2 iterations of each guess */
  constructor({ hmacKey, cost }: { readonly hmacKey: string; readonly cost: number }) {
    const secret = (purpose: string) => createHmac("sha256", hmacKey).update(purpose).digest("hex");
    this.#cost = cost;
    this.#secrets = { hmacSignatureSecret: secret("challenge"), hmacKeySignatureSecret: secret("solution") };
  }

  /** A fresh challenge. It carries the signature of its solution, so that a check derives nothing. */
  async challenge(now: number): Promise<Challenge> {
    const [{ createChallenge }, { deriveKey }] = await loadAltcha();
    return createChallenge({
      algorithm: "PBKDF2/SHA-256",
      cost: this.#cost,
      counter: randomInt(guesses.min, guesses.max + 1),
      deriveKey,
      expiresAt: new Date(now + challengeMs),
      ...this.#secrets,
    });
  }

  /** The challenge that a solution solves, to be spent with its submission. @throws Fault `proofOfWorkInvalid` */
  async check(solution: string | null, now: number): Promise<ChallengeRecord> {
    if (solution === null) throw proofRefused("missing");
    const sent = readPayload(solution);
    if (sent === null) throw proofRefused("invalid");
    const { signature } = sent.challenge;
    const expiresAt = sent.challenge.parameters.expiresAt * 1000;
    if (expiresAt <= now) throw proofRefused("expired");
    const [{ verifySolution }, { deriveKey }] = await loadAltcha();
    const { verified, expired } = await verifySolution({ ...sent, deriveKey, ...this.#secrets });
    if (!verified) throw proofRefused(expired ? "expired" : "invalid");
    return { hash: hash("sha256", signature), expiresAt };
  }
}

function readPayload(solution: string): z.output<typeof payload> | null {
  if (solution.length > solutionLengthMax) return null;
  return payload.safeParse(jsonIn(Buffer.from(solution, "base64").toString())).data ?? null;
}
