// Keeps the headers of a mail that could not be fetched or stored, as an unmatched mail, so that those behind it come in.
import { createHash } from "node:crypto";
import type { InboundStore } from "../storage/inbound-store.ts";

const headersLengthMax = 20_000;
const lineLengthMax = 1_000;

/** @throws StorageUnavailable */
export async function setAside(raw: Uint8Array, at: number, store: Pick<InboundStore, "keepUnmatched">): Promise<void> {
  const text = Buffer.from(raw.subarray(0, headersLengthMax)).toString("latin1");
  // What is unusual in them may be what cannot be stored.
  const headers = text.split(/\r?\n\r?\n/, 1)[0]!.replaceAll(/[^\t\n -~]/g, "");
  const line = (name: string) =>
    (new RegExp(`^${name}:(.*(?:\n[ \t].*)*)`, "im").exec(headers)?.[1] ?? "")
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, lineLengthMax);
  const from = line("From");
  await store.keepUnmatched({
    identity: createHash("sha256").update(raw).digest("hex"),
    at,
    messageId: null,
    senderAddress: /<([^<>]*)>[^<]*$/.exec(from)?.[1] ?? from,
    senderName: "",
    subject: line("Subject"),
    text: `This mail could not be taken. It is still in the mailbox. What is known of it:\n\n${headers}`,
    reply: null,
    automatic: true,
    fileNames: [],
  });
}
