// What every command is given, and how one says that it failed. Commands know the ports; which engines stand behind
// them, only the entry of the command line knows.
import type { Writable } from "node:stream";
import { loadConfig, type Config, type ConfigProblem } from "../config/config.ts";
import type { Environment } from "../config/env.ts";
import type { Clock } from "../clock.ts";
import type { Vault } from "../resumes/vault.ts";
import type { ArchiveRole, RowArchive } from "../storage/row-archive.ts";
import type { Store } from "../storage/store.ts";

/** Commands that only read never take the write lock of a running service. */
type Access = "read-only" | "read-write";

export interface CommandDeps {
  readonly environment: Environment;
  readonly clock: Clock;
  openStore(config: Config, access: Access): Promise<Store>;
  /** Applies pending migrations and answers their names. */
  migrate(config: Config): Promise<readonly string[]>;
  /** Names of pending migrations; writes nothing. */
  pendingMigrations(config: Config): Promise<readonly string[]>;
  openVault(config: Config): Promise<Vault>;
  /** Opens a store that no service runs on, to copy all of it. */
  openArchive(config: Config, role: ArchiveRole): Promise<RowArchive>;
  /** Data and nothing else: it is what gets piped. */
  readonly output: Writable;
  /** What is meant for the person at the terminal. */
  readonly messages: Writable & { readonly isTTY?: boolean };
}

/** The command could not do what was asked, for a reason that the person can act on. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
}

/** The settings are wrong; nothing was opened. */
export class ConfigInvalid extends Error {
  override readonly name = "ConfigInvalid";
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super("The configuration is invalid.");
    this.problems = problems;
  }
}

/** The configuration in force. @throws ConfigInvalid */
export function configOf(deps: Pick<CommandDeps, "environment">): Config {
  const result = loadConfig(deps.environment);
  if (!result.ok) throw new ConfigInvalid(result.problems);
  return result.config;
}

/** Tells the person something, on a line of its own. */
export function tell(deps: Pick<CommandDeps, "messages">, line: string): void {
  deps.messages.write(`${line}\n`);
}
