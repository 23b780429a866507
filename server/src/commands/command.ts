// What commands share: what they get, how they read their arguments, how they fail, and how they are recorded.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { email } from "@submissions/shared/fields";
import { kindOf, kindOfReference, type SubmissionKind, submissionKinds } from "@submissions/shared/kinds";
import { referenceShape } from "@submissions/shared/reference";
import { InvalidArgumentError } from "commander";
import type { Config } from "../config/config.ts";
import { loadConfig, type Environment } from "../config/load.ts";
import { readInstant } from "../desk/instant.ts";
import type { Actor, AuditEntry } from "../storage/desk-store.ts";
import { messageForOperator } from "../observe/describe-error.ts";
import { openStore, type StoreLocation } from "../storage/open-store.ts";
import { StorageUnavailable, type Store } from "../storage/store.ts";
import type { Terminal } from "./terminal.ts";
import { OperatorError } from "../operator-error.ts";

export interface CommandDeps {
  readonly environment: Environment;
  /** Data and nothing else: it can be piped. */
  readonly output: Terminal;
  /** Where a person may answer; absent: nowhere. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  readonly messages: Terminal;
}

/** The command could not do what was asked, for a reason that the person can act on. */
export class CommandFailed extends OperatorError {}

/** The configuration in force. @throws SettingUnusable */
export const configOf = ({ environment }: Pick<CommandDeps, "environment">): Config => loadConfig(environment);

export const commandLine = ({ clock }: Pick<Store, "clock">): Actor => ({ operator: "command line", at: clock.now() });

function isMissing(storage: StoreLocation): storage is StoreLocation & { readonly kind: "sqlite" } {
  if (storage.kind !== "sqlite") return false;
  try {
    return statSync(storage.file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // It cannot be reached. Opening the store says why.
    return false;
  }
}

/**
 * Opens the store to change what is in it. Where DATA_DIR is mistyped there is none, and a new one would hide that.
 * @throws CommandFailed in the words of commands that only read. PostgreSQL itself refuses a database that does not exist
 */
export async function openExisting(storage: StoreLocation): Promise<Store> {
  if (!isMissing(storage)) return openStore(storage);
  throw new CommandFailed(`There is no database file ${storage.file}. Set DATA_DIR to another folder.`);
}

/** For what may be done before the first start, and makes the store then. */
export function tellIfMade(deps: CommandDeps, storage: StoreLocation): void {
  if (isMissing(storage)) tell(deps, `There was no database file ${storage.file}: it is made now.`);
}

/**
 * Records in the audit log what a command hands out. Where the database takes no writes, it says so and the command goes on:
 * that is when its data is wanted most.
 */
export async function record(deps: CommandDeps, storage: StoreLocation, entry: AuditEntry): Promise<void> {
  try {
    await using store = await openStore(storage);
    await store.desk.audit(entry, commandLine(store));
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    tell(deps, `Not in the audit log: ${messageForOperator(error)}`);
  }
}

/** Behind what a damaged database has kept a command from doing. */
export const damagedAdvice = 'See "The database is damaged" in docs/operations.md.';

/** A file as it was written on the command line: npm runs commands in the project's folder, wherever they were typed. */
export function fileOf({ environment }: Pick<CommandDeps, "environment">, path: string): string {
  const isByNpm = environment["npm_lifecycle_event"] === "submissions";
  return resolve((isByNpm ? environment["INIT_CWD"] : undefined) ?? ".", path);
}

export function tell({ messages }: Pick<CommandDeps, "messages">, line: string): void {
  messages.write(`${line}\n`);
}

/** Asks at the terminal before anything is erased. @throws CommandFailed without a yes, or where there is no terminal */
export async function confirmErasing({ input, messages }: CommandDeps, question: string): Promise<void> {
  if (input?.isTTY !== true || messages.isTTY !== true) {
    throw new CommandFailed("This erases for good: repeat it with --yes.");
  }
  const terminal = createInterface({ input, output: messages });
  try {
    if ((await terminal.question(`${question} Type yes: `)).trim() === "yes") return;
  } catch (error) {
    // Ctrl-C or Ctrl-D.
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    messages.write("\n");
  } finally {
    terminal.close();
  }
  throw new CommandFailed("Nothing was erased.");
}

// What cannot be read is a usage error, reported before anything is opened.

/** The path of a file or folder. An empty path comes from an unset variable of a script, and would mean the current folder. */
export function parsePath(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Write the path of a file or folder.");
}

/** @returns milliseconds since the epoch */
export function parseSince(text: string): number {
  const at = readInstant(text);
  if (at !== null) return at;
  throw new InvalidArgumentError("Write a day like 2026-11-21 or an instant like 2026-11-21T09:30:00Z.");
}

export const parseNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max.toLocaleString("en")}.`);
  };

export function parseEmail(text: string): string {
  const parsed = email.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError("Write an e-mail address like ana@example.org.");
}

/** A reference of one of these kinds, in either case. */
const referenceOf =
  (names: readonly SubmissionKind[]) =>
  (text: string): string => {
    const reference = text.trim().toUpperCase();
    const kind = kindOfReference(reference);
    if (referenceShape.test(reference) && kind !== undefined && names.includes(kind)) return reference;
    const examples = names.map((name) => `${kindOf(name).prefix}-20261121-042137`);
    throw new InvalidArgumentError(`Write a reference like ${examples.join(" or ")}.`);
  };

export const parseReference = referenceOf(submissionKinds);
export const parseReferenceWithFile = referenceOf(submissionKinds.filter((name) => kindOf(name).file !== null));
