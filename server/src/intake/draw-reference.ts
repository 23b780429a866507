// Draws references until the store takes one. Random draws tell nobody the volume and need no coordination between
// processes: 1.01 draws on average at 10,000 a day, 2 at half a million. On days so full that drawing no longer finds
// a free number, the store is asked for some.
import { randomInt } from "node:crypto";
import { formatReference, referenceDay, referencesPerDay, type ReferenceKind } from "@submissions/shared/reference";
import { Fault } from "../fault.ts";
import type { Acceptance, Accepted, ChallengeSpent, Repeated, Store } from "../storage/store.ts";

// Eight draws fail together once in 10^8 at a tenth of the day's numbers, once in 6 at 80 %: asking the store is rare
// until the day is nearly full.
const randomDraws = 8;
// Other processes ask for free numbers too and may take some of them first.
const askedNumbers = 16;
const askingRounds = 4;

/** Calls `accept` with references of that instant's UTC day until one is not taken; answers what it then answered. */
export async function withFreshReference(
  store: Pick<Store, "freeReferenceNumbers">,
  kind: ReferenceKind,
  receivedAt: number,
  accept: (reference: string) => Promise<Acceptance>,
): Promise<(Accepted & { readonly reference: string }) | Repeated | ChallengeSpent> {
  const day = referenceDay(receivedAt);
  const tryNumber = async (number: number) => {
    const reference = formatReference(kind, day, number);
    const acceptance = await accept(reference);
    if (acceptance.result === "reference-taken") return undefined;
    return acceptance.result === "accepted" ? { ...acceptance, reference } : acceptance;
  };
  for (let draw = 0; draw < randomDraws; draw += 1) {
    const taken = await tryNumber(randomInt(referencesPerDay));
    if (taken !== undefined) return taken;
  }
  for (let round = 0; round < askingRounds; round += 1) {
    const free = await store.freeReferenceNumbers(kind, day, askedNumbers);
    if (free.length === 0) break;
    for (const number of free) {
      const taken = await tryNumber(number);
      if (taken !== undefined) return taken;
    }
  }
  throw new Fault("referencesExhausted", { retryAfterSeconds: secondsToMidnight(receivedAt) });
}

const secondsToMidnight = (epochMs: number) => Math.ceil((86_400_000 - (epochMs % 86_400_000)) / 1000);
