// Sends a batch so that a mail which the mailer cannot write takes no other with it. Knows nothing of the store.
import type { Mailer, OutgoingMail } from "./mailer.ts";
import type { TryOutcome } from "./settlement.ts";

interface Errand {
  readonly mailer: Pick<Mailer, "send">;
  /** Whether there is time for another call. */
  readonly hasTime: () => boolean;
  /** Told of each mail that cannot be written. */
  readonly stumbled: (error: unknown) => void;
}

/**
 * Answers in the order of the mails; null for those that there was no time to hand over. A batch that the mailer rejects
 * is halved until the mail that is to blame stands alone.
 */
export async function sendApart(errand: Errand, mails: readonly OutgoingMail[]): Promise<(TryOutcome | null)[]> {
  if (mails.length === 0) return [];
  if (!errand.hasTime()) return mails.map(() => null);
  try {
    const outcomes = await errand.mailer.send(mails);
    return mails.map((_, position) => outcomes[position] ?? noOutcome);
  } catch (error) {
    // Whatever it is, it is about these mails; the next half may be sound.
    if (mails.length === 1) {
      errand.stumbled(error);
      return [{ result: "broken", error: `mailer: ${error instanceof Error ? error.name : typeof error}` }];
    }
  }
  const half = Math.ceil(mails.length / 2);
  return [...(await sendApart(errand, mails.slice(0, half))), ...(await sendApart(errand, mails.slice(half)))];
}

const noOutcome = { result: "later", error: "mailer: no outcome", cause: "ambiguous" } as const;
