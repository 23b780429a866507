// The command line as it works on real stores and vaults. Its own composition root, beside app.ts for the service.
import { systemClock } from "./clock.ts";
import type { CommandDeps } from "./commands/command.ts";
import { runCommandLine } from "./commands/program.ts";
import { openVault } from "./resumes/open-vault.ts";
import { moveStore } from "./storage/move.ts";
import { lockStore, migrate, openStore, pendingMigrations } from "./storage/open-store.ts";

/**
 * Runs one command.
 *
 * @param words what stands behind the program's name
 * @returns the exit code; never rejects
 */
export const runCommand = (
  words: readonly string[],
  surroundings: Pick<CommandDeps, "environment" | "input" | "output" | "messages">,
): Promise<number> =>
  runCommandLine(words, {
    ...surroundings,
    openStore: ({ storage }, access) => openStore(storage, { access }),
    lockStore: ({ storage }) => lockStore(storage),
    migrate: ({ storage }) => migrate(storage),
    pendingMigrations: ({ storage }) => pendingMigrations(storage),
    moveStore: (from, to, onProgress) => moveStore(from.storage, to.storage, onProgress),
    openVault: ({ vault }) => openVault(vault, systemClock),
  });
