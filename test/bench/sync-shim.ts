// Builds the shim that counts and slows syncs (sync-shim.c), where there is a C compiler and Linux.
import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The syncs of the processes that were started with `env`. */
export interface Syncs {
  readonly env: Readonly<Record<string, string>>;
  /** How often they have synced. */
  count(): number;
  /** Adds a time to each sync from now on. */
  delay(micros: number): void;
}

export interface SyncShim {
  /** @param name of a file that does not exist */
  watch(name: string): Syncs;
}

/** Null where it cannot be built: syncs are then neither counted nor slowed. */
export function buildSyncShim(folder: string): SyncShim | null {
  const library = join(folder, "sync-shim.so");
  const source = fileURLToPath(new URL("sync-shim.c", import.meta.url));
  if (platform() !== "linux") return null;
  try {
    execFileSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], { stdio: "ignore" });
  } catch {
    // No compiler here.
    return null;
  }
  return { watch: (name) => watch(library, join(folder, `${name}.syncs`)) };
}

function watch(library: string, file: string): Syncs {
  writeFileSync(file, Buffer.alloc(16));
  // PostgreSQL may run as another user.
  chmodSync(file, 0o666);
  return {
    env: { LD_PRELOAD: library, SYNC_SHIM_FILE: file },
    count: () => Number(readFileSync(file).readBigUInt64LE(0)),
    delay(micros) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(micros));
      // Not truncated: the processes have mapped it.
      const opened = openSync(file, "r+");
      writeSync(opened, bytes, 0, bytes.length, 8);
      closeSync(opened);
    },
  };
}
