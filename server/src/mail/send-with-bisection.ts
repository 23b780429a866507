// Sends a batch so that a mail that the mailer cannot write takes no other with it.
import type { Mailer, OutgoingMail } from "./mailer.ts";
import type { TryOutcome } from "./settlement.ts";

interface Options {
  readonly mailer: Pick<Mailer, "send">;
  /** Reads the files that leave with a mail. */
  readonly attach: (mail: OutgoingMail) => Promise<OutgoingMail>;
  /** Whether there is time for another call. */
  readonly hasTime: () => boolean;
  /** Told of each mail that cannot be written, or whose files cannot be read. */
  readonly failed: (error: unknown) => void;
}

/**
 * Answers in the order of the mails; null for those that there was no time to hand over. A batch that the mailer rejects
 * is halved until the mail that is to blame stands alone; and so is one with files, which are in memory for one mail at a time.
 */
export async function sendWithBisection(
  options: Options,
  mails: readonly OutgoingMail[],
): Promise<(TryOutcome | null)[]> {
  if (mails.length === 0) return [];
  if (!options.hasTime()) return mails.map(() => null);
  const withFiles = mails.filter(({ content }) => (content.files?.length ?? 0) > 0);
  if (withFiles.length === 0 || mails.length === 1) {
    let ready = mails;
    try {
      if (withFiles.length > 0) ready = await Promise.all(withFiles.map(options.attach));
    } catch (error) {
      // The vault may be away. Its files are read again with the next try.
      options.failed(error);
      return [{ result: "unready", error: `files not read: ${nameOf(error)}` }];
    }
    if (withFiles.length > 0 && !options.hasTime()) return [null];
    try {
      const outcomes = await options.mailer.send(ready);
      return mails.map((_, position) => outcomes[position] ?? noOutcome);
    } catch (error) {
      // The mailer rejects for the sake of one mail; the others may be sound.
      if (mails.length === 1) {
        options.failed(error);
        return [brokenBy(error)];
      }
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
  error: `not written: ${nameOf(error)}`,
});

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const noOutcome = { result: "later", error: "mailer: no outcome", cause: "ambiguous" } as const;
