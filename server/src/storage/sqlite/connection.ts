// One open SQLite database. Everything is synchronous, so that nothing can come between two calls.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type Access, StorageUnavailable } from "../store.ts";
import { asCommitError, engineWaitMs } from "./errors.ts";
import { createDatabaseFile, guardFile } from "./database-file.ts";

/** Up to 3.51.2 two connections that write and checkpoint at once could corrupt a database in WAL mode. */
const sqliteVersionMin = "3.51.3";
/** `localeCompare` knows numbers too, but its first call loads 2 MB of languages. */
const sortable = (version: string): string => version.replaceAll(/\d+/g, (number) => number.padStart(4, "0"));

/** The log is cut back to this many bytes after a burst or a long read made it larger. */
const logBytesKept = 64 * 1024 * 1024;

/** Pages in memory, in KiB: a commit of many submissions must not write pages out before it ends. */
const cacheKiB = 16 * 1024;

/** Pages (of 4 KiB) in the log before it is moved into the database. Fewer made commits wait longer, more did not help. */
const checkpointPages = 4_000;

/** A prepared statement. Its types are given beside its text: columns by name, whole numbers as numbers. */
export interface Statement<Parameters extends readonly SQLInputValue[], Row> {
  readonly sourceSQL: string;
  all(...parameters: Parameters): Row[];
  get(...parameters: Parameters): Row | undefined;
  iterate(...parameters: Parameters): Iterable<Row>;
  run(...parameters: Parameters): unknown;
}

export class SqliteConnection implements Disposable {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly access: Access;
  /** @throws StorageUnavailable when the file was deleted or replaced */
  readonly assertSameFile: () => void;

  /**
   * Opens the handle only. {@link configure} and everything after it may find the database locked.
   * @param atRest no process uses the file, and it is read without the log, which nothing can make beside it
   */
  constructor(file: string, access: Access = "read-write", atRest = false) {
    this.file = file;
    this.access = access;
    if (access === "read-write") createDatabaseFile(file);
    this.assertSameFile = guardFile(file);
    const address = atRest ? Object.assign(pathToFileURL(file), { search: "?immutable=1" }) : file;
    this.#database = new DatabaseSync(address, {
      readOnly: access === "read-only",
      timeout: engineWaitMs,
      enableForeignKeyConstraints: true,
      enableDoubleQuotedStringLiterals: false,
      defensive: true,
    });
    // Never a deferred BEGIN: its later upgrade fails at once when another process has written.
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#database.prepare("COMMIT");
  }

  /** @throws StorageUnavailable when this SQLite is too old to be trusted with the log */
  configure(): void {
    this.execute("PRAGMA trusted_schema = OFF");
    const { sqlite = "" } = process.versions;
    if (sortable(sqlite) < sortable(sqliteVersionMin)) {
      throw new StorageUnavailable(`SQLite ${sqlite} is too old; ${sqliteVersionMin} is needed.`);
    }
    this.execute(`PRAGMA cache_size = -${cacheKiB}`);
    if (this.access === "read-only") return;
    // FULL syncs the log at a commit before other connections see it: what was read or acknowledged survives a power cut.
    this.execute("PRAGMA journal_mode = WAL");
    this.execute("PRAGMA synchronous = FULL");
    this.execute(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    this.execute(`PRAGMA journal_size_limit = ${logBytesKept}`);
    // Erased text is overwritten, not only forgotten.
    this.execute("PRAGMA secure_delete = ON");
  }

  /** Prepares a statement that each submission needs. Commands that only read prepare it at its first use. */
  prepare<Parameters extends readonly SQLInputValue[], Row = never>(text: string): Statement<Parameters, Row> {
    if (this.access === "read-only") return this.prepareAtFirstUse(text);
    return this.#database.prepare(text) as unknown as Statement<Parameters, Row>;
  }

  /** Prepares any other statement, at its first use: a process uses few of hundreds, and the reading thread prepares its own. */
  prepareAtFirstUse<Parameters extends readonly SQLInputValue[], Row>(sourceSQL: string): Statement<Parameters, Row> {
    let kept: Statement<Parameters, Row> | undefined;
    const prepared = () => (kept ??= this.#database.prepare(sourceSQL) as unknown as Statement<Parameters, Row>);
    return {
      sourceSQL,
      all: (...parameters) => prepared().all(...parameters),
      get: (...parameters) => prepared().get(...parameters),
      iterate: (...parameters) => prepared().iterate(...parameters),
      run: (...parameters) => prepared().run(...parameters),
    };
  }

  /** Rows of a statement that is used once. */
  query<Row>(text: string, ...parameters: readonly SQLInputValue[]): Row[] {
    return this.#database.prepare(text).all(...parameters) as Row[];
  }

  execute(script: string): void {
    this.#database.exec(script);
  }

  begin(): void {
    // An earlier ROLLBACK may have failed on a bad disk.
    this.rollback();
    this.#begin.run();
  }

  /** @throws StorageUnavailable when the file was deleted or replaced; the transaction is then still open */
  commit(): void {
    this.assertSameFile();
    try {
      this.#commit.run();
    } catch (error) {
      throw asCommitError(error);
    }
  }

  /** False: another connection reads from the log, which is moved as far as that allows and not begun anew. */
  moveLog(): boolean {
    const [moved] = this.query<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    return moved?.busy === 0;
  }

  /** After a full disk, for example, SQLite has already rolled back by itself. */
  rollback(): void {
    if (this.#database.isTransaction) this.execute("ROLLBACK");
  }

  /** Closes the handle. The last one to close moves the log into the database and removes it. */
  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
