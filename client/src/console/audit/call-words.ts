// The words for a call that the audit log names: one that was refused, or made with a token.
import { spaced } from "../words.ts";

/** What a call would have done: every change, and reads with a name that says little. */
export const verbs: Readonly<Record<string, string>> = {
  "": "make more calls than one operator may",
  unknown: "call what does not exist",
  "/console/resumes/": "download a resume",
  "/console/people/": "download what is known of a person",
  "submission.addNote": "write a note",
  "submission.editNote": "change a note",
  "submission.release": "release a submission from spam",
  "inbox.triage": "change submissions",
  "tags.change": "change the tags of submissions",
  "tags.remove": "remove a tag everywhere",
  "tags.rename": "rename a tag",
  "reply.send": "reply",
  "reply.sendMany": "reply to several submissions",
  "reply.undo": "take back a reply",
  "reply.undoMany": "take back replies",
  "reply.preview": "see a reply before it is sent",
  "reply.saveAnswer": "save an answer",
  "reply.removeAnswer": "remove a saved answer",
  "decline.send": "decline submissions",
  "decline.preview": "see a decline before it is sent",
  "decline.cancel": "cancel a mail",
  "decline.release": "release a mail that is held",
  "mails.retry": "send a mail again",
  "unmatched.file": "file a mail that fitted no submission",
  "unmatched.remove": "delete a mail that fitted no submission",
  "/console/answers/files/": "download a file of an answer",
  "/console/replies/files/": "attach or download a file of a reply",
  "reply.removeFile": "remove a file from a reply",
  "people.erase": "erase a person",
  "subscribers.add": "add a subscriber",
  "subscribers.import": "import subscribers",
  "subscribers.unsubscribe": "unsubscribe a subscriber",
  "operators.invite": "invite an operator",
  "operators.remove": "remove an operator",
  "operators.setRole": "change an operator's role",
  "operators.endSessions": "sign an operator out",
  "tokens.create": "make a token",
  "tokens.revoke": "revoke a token",
  "webhooks.add": "add a webhook",
  "webhooks.remove": "remove a webhook",
  "webhooks.rotate": "make a new secret for a webhook",
  "webhooks.replay": "send a delivery again",
  "webhooks.replayFailed": "send failed deliveries again",
  "webhooks.test": "test a webhook",
  "/console/oidc/start": "sign in with the provider",
  "session.signIn": "sign in",
  "session.useSignInLink": "sign in with a link",
  "session.acceptInvitation": "accept an invitation",
  "session.changePassword": "change the password",
  "session.end": "end a session",
  "session.setName": "change the display name",
  "session.setMailAssigned": "turn mails of assignments on or off",
  "session.signOut": "sign out",
  "session.signOutEverywhere": "sign out everywhere",
  "secondFactor.begin": "set up a second factor",
  "secondFactor.confirm": "set up a second factor",
  "secondFactor.remove": "take away the second factor",
};

/** What is read under a name that is no word. */
const things: Readonly<Record<string, string>> = {
  inbox: "submissions",
  submission: "a submission",
  people: "a person",
  reply: "saved answers",
  decline: "reasons of declines",
  audit: "the audit log",
  overview: "the overview",
};

/** All other calls read: `inbox.list`. A download of a list has its path: `/console/exports/audit.csv`. */
export function callWords(path: string): string {
  const [group = ""] = path.split(".");
  const read = path.startsWith("/") ? `download ${path.split("/").at(-1)}` : `see ${things[group] ?? spaced(group)}`;
  return verbs[path] ?? read;
}
