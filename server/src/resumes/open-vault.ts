// Opens the vault that the configuration asks for. The one place that knows every engine; only the chosen one is loaded.
import type { Clock } from "../clock.ts";
import type { DiskSettings } from "./disk.ts";
import type { S3Settings } from "./s3.ts";
import type { Vault } from "./vault.ts";

export type VaultSettings = ({ readonly kind: "disk" } & DiskSettings) | ({ readonly kind: "s3" } & S3Settings);

/** Rejects when the place cannot be used. @throws SettingUnusable */
export async function openVault(settings: VaultSettings, clock: Clock): Promise<Vault> {
  if (settings.kind === "s3") return (await import("./s3.ts")).openS3Vault(settings, clock);
  return (await import("./disk.ts")).openDiskVault(settings, clock);
}

/** The files alone. A folder is not touched: it may take no writes when its files are wanted most. */
export async function openShelf(
  settings: VaultSettings,
  clock: Clock,
): Promise<Pick<Vault, "read" | "link"> & AsyncDisposable> {
  if (settings.kind === "s3") return openVault(settings, clock);
  const { readFrom } = await import("./disk.ts");
  const read = (key: string) => readFrom(settings.folder, key);
  return { read, link: async () => null, [Symbol.asyncDispose]: async () => {} };
}
