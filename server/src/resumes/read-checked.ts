// Reads kept files and checks their bytes.
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { OperatorError } from "../operator-error.ts";
import type { Vault } from "./vault.ts";

class FileDamaged extends OperatorError {}

/** The bytes of a kept file. @throws FileDamaged at their end; ResumeMissing, VaultUnavailable */
export async function* readChecked(
  vault: Pick<Vault, "read">,
  { key, sha256 }: { readonly key: string; readonly sha256: string },
) {
  const hash = createHash("sha256");
  for await (const chunk of (await vault.read(key)) as Readable & AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") === sha256) return;
  throw new FileDamaged("The stored file differs from what was uploaded: its checksum is wrong.");
}
