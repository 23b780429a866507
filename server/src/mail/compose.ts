// Writes a mail from what it is about, when it is sent: no text of a mail is ever stored.
import type { LeasedMail } from "../storage/records.ts";
import type { MailContent } from "./mailer.ts";
import type { MailSettings } from "./templates/layout.ts";
import { writersOf } from "./writers.ts";

/** Writes a mail. @throws Error when the kind does not fit what it is about, or a header would hold a line break */
export type Compose = (mail: Pick<LeasedMail, "kind" | "about">) => MailContent;

/** Puts together what is the same in all mails of a kind. @throws Error when a mail has no words in a language */
export function compileMails(settings: MailSettings): Compose {
  const writers = writersOf(settings);
  return ({ kind, about }) => {
    const content = writers.get(kind)?.(about);
    if (!content) throw new Error(`A mail of the kind ${kind} is about something else.`);
    const { to, subject, replyTo, fromName = "" } = content;
    if (to.length === 0) throw new Error(`A mail of the kind ${kind} has no addressee.`);
    // A line break would begin another header. The schemas refuse line breaks: this finds mistakes of ours only.
    if (/[\r\n\0]/.test(to.join() + subject + replyTo.join() + fromName)) {
      throw new Error("A header of a mail holds a line break or NUL.");
    }
    return content;
  };
}
