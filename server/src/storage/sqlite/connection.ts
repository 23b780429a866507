// One open SQLite database: its settings, its prepared statements and the three words of a transaction. Everything here
// is synchronous, so nothing can come between two calls. Knows no table.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { CompiledQuery } from "kysely";
import { StorageUnavailable } from "../store.ts";
import { engineWaitMs } from "./busy.ts";
import { createDatabaseFile, FileGuard } from "./database-file.ts";

export type Access = "read-write" | "read-only";

/** Up to 3.51.2 two connections that write and checkpoint at once could corrupt a database in WAL mode. */
const sqliteVersionMin = [3, 51, 3] as const;

/** The log is cut back to this many bytes after a burst or a long read made it larger. */
const logBytesKept = 64 * 1024 * 1024;

/**
 * Pages in memory, in KiB. References are random, so a commit of many submissions touches many index pages; with the
 * 2 MiB that SQLite takes by itself they are written out twice within one transaction.
 */
const cacheKiB = 32 * 1024;

/** Pages (of 4 KiB) in the log before it is moved into the database: fewer moves, each still some milliseconds. */
const checkpointPages = 4_000;

/** Statements kept prepared. Lists travel as JSON, so there are far fewer texts than this. */
const statementsMax = 200;

export class SqliteConnection {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #guard: FileGuard;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens the handle only; {@link configure} and whatever touches the database may find it locked. */
  constructor(file: string, access: Access = "read-write") {
    this.file = file;
    if (access === "read-write") createDatabaseFile(file);
    this.#guard = new FileGuard(file);
    this.#database = new DatabaseSync(file, {
      readOnly: access === "read-only",
      timeout: engineWaitMs,
      enableForeignKeyConstraints: true,
      enableDoubleQuotedStringLiterals: false,
      defensive: true,
    });
  }

  /** @throws StorageUnavailable when this SQLite is too old to be trusted with the log */
  configure(access: Access): void {
    this.#database.exec("PRAGMA trusted_schema = OFF");
    const [found] = this.query<{ version: string }>("SELECT sqlite_version() AS version");
    if (found === undefined || !isAtLeast(found.version, sqliteVersionMin)) {
      throw new StorageUnavailable(`SQLite ${found?.version} is too old; ${sqliteVersionMin.join(".")} is needed.`);
    }
    if (access === "read-only") return;
    // FULL syncs the log on every commit: what was acknowledged survives a power cut, too.
    this.#database.exec("PRAGMA journal_mode = WAL");
    this.#database.exec("PRAGMA synchronous = FULL");
    this.#database.exec(`PRAGMA cache_size = -${cacheKiB}`);
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    this.#database.exec(`PRAGMA journal_size_limit = ${logBytesKept}`);
    // Erased and cleared text is overwritten, not only forgotten.
    this.#database.exec("PRAGMA secure_delete = ON");
  }

  /** @throws StorageUnavailable when the file is damaged */
  checkIntegrity(): void {
    const [first] = this.query<{ quick_check: string }>("PRAGMA quick_check(1)");
    if (first?.quick_check !== "ok") throw new StorageUnavailable(`The database is corrupt: ${first?.quick_check}`);
  }

  /** Rows of plain SQL without parameters. */
  query<Row>(text: string): Row[] {
    return this.#prepare(text).all() as Row[];
  }

  /** Rows of a compiled query. */
  all<Row>(query: CompiledQuery<Row>): Row[] {
    return this.#prepare(query.sql).all(...(query.parameters as readonly SQLInputValue[])) as Row[];
  }

  /** Runs a compiled statement and answers how many rows it changed. */
  run(query: Pick<CompiledQuery, "sql" | "parameters">): number {
    return Number(this.#prepare(query.sql).run(...(query.parameters as readonly SQLInputValue[])).changes);
  }

  /** Runs a script of plain SQL. */
  execute(script: string): void {
    this.#database.exec(script);
  }

  /** Takes the write lock. Never a deferred BEGIN: its later upgrade fails at once when another process has written. */
  begin(): void {
    // A ROLLBACK that itself failed on a bad disk.
    this.rollback();
    this.#prepare("BEGIN IMMEDIATE").run();
  }

  /** @throws StorageUnavailable when the file was deleted or replaced; the transaction is then still open */
  commit(): void {
    this.assertSameFile();
    this.#prepare("COMMIT").run();
  }

  /** Ends a transaction if there is one: after a full disk, say, SQLite has already rolled back by itself. */
  rollback(): void {
    if (this.#database.isTransaction) this.#prepare("ROLLBACK").run();
  }

  /** @throws StorageUnavailable when the file was deleted or replaced */
  assertSameFile(): void {
    this.#guard.assertUnchanged();
  }

  /** Closes the handle; the last one to close moves the log into the database and removes it. */
  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    if (this.#statements.size >= statementsMax) this.#statements.clear();
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}

function isAtLeast(version: string, least: readonly [number, number, number]): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== least[0]) return major > least[0];
  return minor === least[1] ? patch >= least[2] : minor > least[1];
}
