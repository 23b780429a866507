// Sends a batch so that a mail that the mailer cannot write takes no other with it.
import type { Mailer, OutgoingMail } from "./mailer.ts";
import type { TryOutcome } from "./settlement.ts";

interface Options {
  readonly mailer: Pick<Mailer, "send">;
  readonly attach: (mail: OutgoingMail) => Promise<OutgoingMail>;
  readonly hasTime: () => boolean;
  /** Told of each mail that cannot be written, or whose files cannot be read. */
  readonly failed: (error: unknown) => void;
}

// Answers in the order of the mails; null for those that there was no time to hand over. A batch that the mailer rejects is
// halved until the mail to blame stands alone; and so is one with files, which are in memory for one mail at a time.
export async function sendWithBisection(
  options: Options,
  mails: readonly OutgoingMail[],
): Promise<(TryOutcome | null)[]> {
  if (mails.length === 0) return [];
  if (!options.hasTime()) return mails.map(() => null);
  if (mails.length === 1) return [await sendOne(options, mails[0]!)];
  if (!mails.some(hasFiles)) {
    try {
      const outcomes = await options.mailer.send(mails);
      return mails.map((_, position) => outcomes[position] ?? noOutcome);
    } catch {
      // The mailer rejects for the sake of one mail; the others may be sound.
    }
  }
  const half = Math.ceil(mails.length / 2);
  return [
    ...(await sendWithBisection(options, mails.slice(0, half))),
    ...(await sendWithBisection(options, mails.slice(half))),
  ];
}

const hasFiles = ({ content: { files } }: OutgoingMail): boolean => files !== undefined && files.length > 0;

async function sendOne({ mailer, attach, hasTime, failed }: Options, mail: OutgoingMail): Promise<TryOutcome | null> {
  let ready = mail;
  if (hasFiles(mail)) {
    try {
      ready = await attach(mail);
    } catch (error) {
      // The vault may be away. Its files are read again with the next try.
      failed(error);
      return { result: "unready", error: `files not read: ${nameOf(error)}` };
    }
    if (!hasTime()) return null;
  }
  try {
    return (await mailer.send([ready]))[0] ?? noOutcome;
  } catch (error) {
    failed(error);
    return brokenBy(error);
  }
}

export const brokenBy = (error: unknown): TryOutcome => ({
  result: "broken",
  error: `not written: ${nameOf(error)}`,
});

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

const noOutcome = { result: "later", error: "mailer: no outcome", cause: "ambiguous" } as const;
