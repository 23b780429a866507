// An entry of the audit log as a sentence.
import type { HistoryEntry } from "@submissions/shared/console";
import type { ReactNode } from "react";
import { type NameOf, useNames } from "../operators.ts";
import { exactTime, mailWord, spaced, word } from "../words.ts";

/** What operators do. `*`: what the entry is about; `{name}`: that part of its details. */
const sentences: Readonly<Record<string, string>> = {
  "sign-in": "signed in",
  "sign-in.failed": "failed to sign in",
  "sign-out": "signed out",
  "sign-out.everywhere": "signed out everywhere",
  "operator.invite": "invited * as {role}",
  "operator.accept": "accepted the invitation",
  "operator.bind": "linked * to the account at {issuer}",
  "operator.name": "changed the display name to {to}",
  "operator.mail-assigned": "turned mails of assignments on or off",
  "operator.password": "set a new password for *",
  "operator.role": "gave * the role {to}",
  "operator.remove": "removed *",
  "operator.factor-set": "set up the second factor of *",
  "operator.factor-removed": "took away the second factor of *",
  "operator.recovery-code": "signed in with a recovery code",
  "operator.sign-in-link": "made a sign-in link for *",
  "token.create": "made the token *",
  "token.revoke": "revoked the token *",
  "webhook.add": "added *",
  "webhook.remove": "removed *",
  "webhook.rotate": "made a new secret for *",
  "webhook.replay": "sent deliveries to * again",
  "webhook.test": "sent a test to *",
  "resume.view": "opened the resume of *",
  "resume.download": "downloaded the resume of *",
  answer: "came in about *",
  "reply.attach": "attached a file to a reply to *",
  "reply.detach": "removed a file from a reply to *",
  "reply.download": "downloaded a file of a reply to *",
  "answer.download": "downloaded a file of an answer to *",
  "unmatched.file": "filed an unmatched mail under *",
  "unmatched.delete": "deleted an unmatched mail",
  export: "exported *",
  refused: "tried to * and was refused",
  read: "asked to *",
  backup: "made the backup *",
  restore: "restored a backup",
  status: "set * to {to}",
  stage: "moved * to {to}",
  assignee: "assigned * to {to}",
  tags: "changed the tags of *",
  snooze: "snoozed * until {to}",
  note: "wrote a note on *",
  "note.edit": "changed a note on *",
  release: "released * from spam",
  "mail.again": "sent a mail of * again: {mail}",
  "mail.release": "released the mails that were held",
  erase: "erased a person",
  retention: "erased what was kept long enough: *",
  "answer.save": "saved the answer *",
  "answer.remove": "removed the answer *",
  reply: "replied to *",
  "reply.undo": "took back a reply to *",
  "mail.cancel": "cancelled the mail to *",
  "subscriber.add": "added a subscriber",
  "subscriber.import.begin": "began to import subscribers",
  "subscriber.import": "imported subscribers",
  "subscriber.unsubscribe": "unsubscribed a subscriber",
};

function sentenceOf({ operator, action, detail, subject = operator }: Props["entry"]): string {
  // By an administrator.
  if (action === "sign-out.everywhere" && subject.toLowerCase() !== operator.toLowerCase())
    return "signed * out everywhere";
  if (action === "assignee" && detail["to"] === null) return "unassigned *";
  if (action === "snooze" && detail["to"] === null) return "ended the snooze of *";
  if (action === "status" && detail["from"] === "spam") return "released * from spam as {to}";
  if (action === "tags" && "added" in detail) {
    return "removed" in detail ? "changed the tag {removed} to {added} on *" : "added the tag {added} to *";
  }
  if (action === "tags" && "removed" in detail) return "removed the tag {removed} from *";
  if (action === "operator.accept" && "name" in detail) return "accepted the invitation as {name}";
  return sentences[action] ?? `${word(action).toLowerCase()}: *`;
}

function valueOf(name: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "none";
  if (name === "mail" && typeof value === "string") return mailWord(value).toLowerCase();
  if (typeof value === "number" && /(?:At|^since|^to)$/.test(name)) return exactTime(value);
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? nameOf(value) : JSON.stringify(value);
}

/** What was there before, numbers that no page shows, and names that the sentence has. */
const leftOut = new Set(["from", "was", "note", "reply", "answer", "token", "name", "subscriber", "subscribers"]);

interface Props {
  readonly entry: Pick<HistoryEntry, "operator" | "action" | "detail"> & { readonly subject?: string };
  /** Absent where it is known: on the page of a submission. */
  readonly about?: ReactNode;
}

/** What the sentence leaves out of the details stands behind it. */
export function AuditSentence({ entry, about }: Props) {
  const nameOf = useNames();
  const sentence = sentenceOf(entry);
  const rest = Object.entries(entry.detail).filter(
    ([name, value]) =>
      !leftOut.has(name) &&
      !(Array.isArray(value) && value.length === 0) &&
      !sentence.includes(`{${name}}`) &&
      !/^(?:unassigned|ended)/.test(sentence),
  );
  const fill = (words: string) =>
    words.replaceAll(/\{(\w+)\}/g, (_all, name: string) => valueOf(name, entry.detail[name], nameOf));
  const [before = "", behind] = (
    about === undefined ? sentence.replace(/ (?:of|to|from|on) \*(?=$| again)/, "") : sentence
  ).split("*");
  return (
    <>
      <strong title={entry.operator}>{nameOf(entry.operator)}</strong> {fill(before)}
      {behind !== undefined && (about ?? "it")}
      {behind !== undefined && fill(behind)}
      {rest.length > 0 && (
        <span className="quiet small">
          {" "}
          {rest.map(([name, value]) => `${spaced(name)}: ${valueOf(name, value, nameOf)}`).join(", ")}
        </span>
      )}
    </>
  );
}
