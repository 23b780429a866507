// The files of a mail that came in. Documents and images are kept in the vault, by what their bytes are; of the others, and
// of what is too much, only the names are known.
import { Readable } from "node:stream";
import { cleanFilename } from "../resumes/display-name.ts";
import { inspectResume } from "../resumes/inspect.ts";
import { discardFiles, type FileVault, keepFile } from "../resumes/keep-file.ts";
import { fileBytesMax, filesMax, type NewFile, submissionFileBytesMax } from "../storage/inbound-store.ts";
import type { AnswerFileKind } from "../storage/records.ts";
import type { InboundMail } from "./inbound-mail.ts";

/** More than uploads leave: answers must not be what fills the disk. */
const freeBytesMin = 2 * 1024 ** 3;
/** Names that are shown of one mail. */
const namesMax = 100;
/** Hashed and written in pieces, so that no file holds up the event loop. */
const pieceBytes = 64 * 1024;

type Attachment = InboundMail["attachments"][number];

/** Room for files: what the submission has of them, and what is left on the disk. */
type Room = { readonly usedBytes: number; readonly freeBytes: number };

/** @throws VaultUnavailable; then none is kept */
export async function keepFiles(mail: InboundMail, vault: FileVault, room: Room): Promise<readonly NewFile[]> {
  const { usedBytes, freeBytes } = room;
  const hasRoom = freeBytes >= freeBytesMin;
  const files: NewFile[] = [];
  let [left, bytes] = [hasRoom ? filesMax : 0, 0];
  try {
    for (const attachment of mail.attachments.slice(0, namesMax)) {
      const size = attachment.bytes.length;
      const fits = left > 0 && bytes + size <= fileBytesMax && usedBytes + bytes + size <= submissionFileBytesMax;
      const kept = fits ? await keepAttachment(attachment, vault) : null;
      if (kept !== null) {
        left -= 1;
        bytes += size;
      }
      files.push({ name: cleanFilename(attachment.name) || "file", size, kept });
    }
    return files;
  } catch (error) {
    await discardFiles(keysOf(files), vault);
    throw error;
  }
}

/** Of those that are kept. */
export const keysOf = (files: readonly NewFile[]): string[] => files.flatMap(({ kept }) => kept?.key ?? []);

const keepAttachment = ({ bytes }: Attachment, vault: FileVault): Promise<NewFile["kept"]> =>
  keepFile(Readable.from(piecesOf(bytes)), vault, async ({ path }) => imageOf(bytes) ?? (await documentAt(path)));

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const images = [
  { kind: "png", begins: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { kind: "jpeg", begins: [0xff, 0xd8, 0xff] },
] as const;

const imageOf = (bytes: Uint8Array): AnswerFileKind | null =>
  images.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte))?.kind ?? null;

/** Without its name, which says nothing of the bytes. */
async function documentAt(path: string): Promise<AnswerFileKind | null> {
  const judged = await inspectResume(path, "", fileBytesMax);
  return judged.accepted ? judged.kind : null;
}
