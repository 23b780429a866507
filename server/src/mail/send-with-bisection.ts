// Sends a batch so that a mail that the mailer cannot write takes no other with it.
import type { Mailer, OutgoingMail } from "./mailer.ts";
import type { TryOutcome } from "./settlement.ts";

interface Options {
  readonly mailer: Pick<Mailer, "send">;
  /** Whether there is time for another call. */
  readonly hasTime: () => boolean;
  /** Told of each mail that cannot be written. */
  readonly failed: (error: unknown) => void;
}

/**
 * Answers in the order of the mails; null for those that there was no time to hand over. A batch that the mailer rejects
 * is halved until the mail that is to blame stands alone.
 */
export async function sendWithBisection(
  options: Options,
  mails: readonly OutgoingMail[],
): Promise<(TryOutcome | null)[]> {
  if (mails.length === 0) return [];
  if (!options.hasTime()) return mails.map(() => null);
  try {
    const outcomes = await options.mailer.send(mails);
    return mails.map((_, position) => outcomes[position] ?? noOutcome);
  } catch (error) {
    // The mailer rejects for the sake of one mail; the others may be sound.
    if (mails.length === 1) {
      options.failed(error);
      return [brokenBy(error)];
    }
  }
  const half = Math.ceil(mails.length / 2);
  return [
    ...(await sendWithBisection(options, mails.slice(0, half))),
    ...(await sendWithBisection(options, mails.slice(half))),
  ];
}

/** The outcome of a mail that could not be written. */
export const brokenBy = (error: unknown): TryOutcome => ({
  result: "broken",
  error: `not written: ${error instanceof Error ? error.name : typeof error}`,
});

const noOutcome = { result: "later", error: "mailer: no outcome", cause: "ambiguous" } as const;
