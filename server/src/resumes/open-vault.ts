// Opens the vault that the configuration asks for. The one place that knows every engine.
import type { Clock } from "../clock.ts";
import { openDiskVault } from "./disk-vault.ts";
import type { Vault } from "./vault.ts";

/** Where resumes are kept. `folder` is made when it is missing. */
export type VaultSettings = { readonly kind: "disk"; readonly folder: string };

/** Rejects when the place cannot be used. */
export const openVault = (settings: VaultSettings, clock: Clock): Promise<Vault> =>
  openDiskVault(settings.folder, clock);
