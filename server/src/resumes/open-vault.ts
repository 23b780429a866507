// Opens the vault that the configuration asks for. The one place that knows every engine.
import type { Clock } from "../clock.ts";
import { openDiskVault, type DiskSettings } from "./disk.ts";
import { openS3Vault, type S3Settings } from "./s3.ts";
import type { Vault } from "./vault.ts";

export type VaultSettings = ({ readonly kind: "disk" } & DiskSettings) | ({ readonly kind: "s3" } & S3Settings);

/**
 * Rejects when the place cannot be used.
 *
 * @throws SettingUnusable
 */
export const openVault = (settings: VaultSettings, clock: Clock): Promise<Vault> =>
  settings.kind === "s3" ? openS3Vault(settings, clock) : openDiskVault(settings, clock);
