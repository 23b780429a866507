// Hands out the challenges that proofs of work solve. It exists only where the service asks for such proofs.
import { altchaChallengePath } from "@submissions/shared/altcha";
import type { FastifyInstance } from "fastify";
import type { Clock } from "../clock.ts";
import type { Intake } from "../intake/intake.ts";
import { refuse } from "./fault-reply.ts";
import type { Guard } from "./gate/rate-limit.ts";

/** How many times the limit on submissions: a form asks for a challenge when it is opened, and is seldom sent. */
export const challengesFactor = 10;

interface ChallengeOptions {
  readonly proofOfWork: NonNullable<Intake["proofOfWork"]>;
  readonly clock: Clock;
  /** Counts the challenges of a client: making one costs as much as a guess. */
  readonly guard: Guard;
}

/** Adds `GET /altcha/challenge`. */
export function altchaChallenge(app: FastifyInstance, { proofOfWork, clock, guard }: ChallengeOptions): void {
  const onRequest = guard.hook({ calls: () => 1, refuseAll: (...refused) => void refuse(...refused) });
  app.get(altchaChallengePath, { onRequest }, () => proofOfWork.challenge(clock.now()));
}
