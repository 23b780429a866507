// What becomes of a mail that came in, whichever way: stored before it is acknowledged, once however often it comes. Nothing is
// ever sent to its sender.
import { hash } from "node:crypto";
import { reached } from "../failpoint.ts";
import { freeBytesOf } from "../resumes/staging.ts";
import type { Addressed, InboundStore, KeptMail } from "../storage/inbound-store.ts";
import type { InboundAddresses } from "../mail/inbound-address.ts";
import { type MessageKey, StorageUnavailable, type Store } from "../storage/store.ts";
import { discardFiles, type FileVault } from "../resumes/keep-file.ts";
import { keepFiles, keysOf } from "./files.ts";
import { isOurs, matchMail } from "./match.ts";
import type { InboundMail } from "./inbound-mail.ts";
import { fromKeysOf, senderOf } from "./verdict.ts";

/**
 * `own`: a mail of ours, which is dropped. `undelivered`: a report of a mail about no submission. `left-out`: the submission
 * has as many of this day as it may. `gone`: it was erased at this moment. `set-aside`: it cannot be stored.
 */
export const receivedResults = [
  "filed",
  "repeated",
  "left-out",
  "gone",
  "unmatched",
  "undelivered",
  "own",
  "set-aside",
] as const;

export type ReceivedResult = (typeof receivedResults)[number];

export interface Receiving {
  readonly addresses: InboundAddresses;
  /** Null: the first `Received-SPF` counts. */
  readonly authservId: string | null;
  /** Addresses of teams, as `emailKey` writes them: a report never suppresses them, and a mail from one tells no one. */
  readonly teamKeys: readonly string[];
  readonly store: { readonly inbound: InboundStore; readonly messageKey: MessageKey } & Pick<Store, "clock">;
  readonly vault: FileVault;
  /** Told of each mail. */
  readonly counted: (result: ReceivedResult) => void;
}

/** @throws StorageUnavailable, VaultUnavailable: it is to be handed over again */
export async function receiveMail(mail: InboundMail, receiving: Receiving): Promise<ReceivedResult> {
  const result = await decide(mail, receiving);
  // An earlier try may have set it aside.
  if (mail.messageId !== undefined) await receiving.store.inbound.forgetUnmatched(noticeOf(mail.messageId));
  receiving.counted(result);
  return result;
}

async function decide(mail: InboundMail, receiving: Receiving): Promise<ReceivedResult> {
  const { addresses, teamKeys: spared, store } = receiving;
  const { inbound, messageKey, clock } = store;
  const matching = { addresses, messageKey, store: inbound };
  if (await isOurs(mail, matching)) return "own";
  const at = clock.now();
  const { named, undelivered } = await matchMail(mail, matching);
  if (undelivered !== null) await inbound.noteUndelivered({ ...undelivered, at, spared });
  if (named?.submission) return fileAnswer(mail, named.submission, at, receiving);
  if (undelivered !== null) return "undelivered";
  const fileNames = mail.attachments.slice(0, 100).map(({ name }) => name);
  await inbound.keepUnmatched({ ...keptMail(mail, at), automatic: mail.automatic, fileNames });
  return "unmatched";
}

async function fileAnswer(mail: InboundMail, submission: Addressed, at: number, receiving: Receiving) {
  const { store, vault, authservId, teamKeys } = receiving;
  const kept = keptMail(mail, at);
  const sender = senderOf(mail, submission.emailKey, authservId);
  let { identity } = kept;
  let { same, fileBytes: usedBytes } = await store.inbound.findAnswers(submission.arrival, identity);
  // Message-IDs can be forged: a mail of someone else that came first under this one does not hide the person's.
  if (same && sender === "person" && same.sender !== "person" && same.text !== kept.text) {
    identity = hash("sha256", `${identity} ${kept.text}`);
    ({ same, fileBytes: usedBytes } = await store.inbound.findAnswers(submission.arrival, identity));
  }
  if (same) return "repeated";
  const freeBytes = await freeBytesOf(vault.stagingFolder).catch(() => 0);
  const files = await keepFiles(mail, vault, { usedBytes, freeBytes });
  reached("answer-files-kept");
  const fromKeys = fromKeysOf(mail);
  try {
    const filed = await store.inbound.file({
      ...kept,
      identity,
      submission: submission.arrival,
      sender,
      fromKeys,
      teamKeys,
      files,
    });
    reached("answer-filed");
    await discardFiles(filed.unused, vault);
    return filed.result;
  } catch (error) {
    // Any other error may have come after the commit. A file without an answer is swept later.
    if (error instanceof StorageUnavailable && error.outcome === "not-stored") {
      await discardFiles(keysOf(files), vault);
    }
    throw error;
  }
}

const lineLengthMax = 1_000;

function keptMail(mail: InboundMail, at: number): KeptMail {
  const { messageId, text, reply, subject, from, date, attachments } = mail;
  const [sender = { address: "", name: "" }] = from;
  const files = attachments.map(({ name, sha256 }) => [name, sha256]);
  const content = messageId ?? JSON.stringify([from, subject, text, date?.getTime() ?? null, files]);
  return {
    identity: hash("sha256", content),
    at,
    // It becomes a header of replies.
    messageId: messageId !== undefined && /^[\u0021-\u007E]{1,900}$/.test(messageId) ? messageId : null,
    senderAddress: sender.address.slice(0, lineLengthMax),
    senderName: sender.name.slice(0, lineLengthMax).toWellFormed(),
    subject: subject.slice(0, lineLengthMax).toWellFormed(),
    text,
    reply: reply === text ? null : reply,
  };
}

const headersLengthMax = 20_000;

/** The identity of the notice that a mail was set aside. */
const noticeOf = (messageId: string): string => hash("sha256", `set aside ${messageId}`);

/**
 * Keeps the headers of a mail that could not be fetched or stored, as an unmatched mail, so that those behind it come in.
 * When the mail comes in later, this notice goes.
 * @param place where the mail is @throws StorageUnavailable
 */
export async function setAside(
  raw: Uint8Array,
  at: number,
  store: Pick<InboundStore, "keepUnmatched">,
  place = "It is still in the mailbox.",
): Promise<void> {
  const text = Buffer.from(raw.subarray(0, headersLengthMax)).toString("latin1");
  // What is unusual in them may be what cannot be stored.
  const headers = text.split(/\r?\n\r?\n/, 1)[0]!.replaceAll(/[^\t\n -~]/g, "");
  const line = (name: string) =>
    (new RegExp(`^${name}:(.*(?:\n[ \t].*)*)`, "im").exec(headers)?.[1] ?? "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, lineLengthMax);
  const from = line("From");
  const [, messageId] = /<([^<>\s]+)>/.exec(line("Message-ID")) ?? [];
  await store.keepUnmatched({
    identity: messageId === undefined ? hash("sha256", raw) : noticeOf(messageId),
    at,
    messageId: null,
    senderAddress: /<([^<>]*)>[^<]*$/.exec(from)?.[1] ?? from,
    senderName: "",
    subject: line("Subject"),
    text: `This mail could not be taken. ${place} What is known of it:\n\n${headers}`,
    reply: null,
    automatic: true,
    fileNames: [],
  });
}
