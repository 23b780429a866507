// One open SQLite database: its settings, its statements and its transactions. Everything but the sync of the log is
// synchronous, so that nothing can come between two calls.
import { writeSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Access } from "../open-store.ts";
import { StorageUnavailable } from "../store.ts";
import { engineWaitMs } from "./busy.ts";
import { createDatabaseFile, FileGuard } from "./database-file.ts";
import { asCommitError } from "./errors.ts";
import { isLogWhole } from "./log-check.ts";
import { LogSync } from "./log-sync.ts";

/** Up to 3.51.2 two connections that write and checkpoint at once could corrupt a database in WAL mode. */
const sqliteVersionMin = [3, 51, 3] as const;

/** The log is cut back to this many bytes after a burst or a long read made it larger. */
const logBytesKept = 64 * 1024 * 1024;

/** Pages in memory, in KiB: a commit of many submissions must not write pages out before it ends. */
const cacheKiB = 16 * 1024;

/** Pages (of 4 KiB) in the log before it is moved into the database. Fewer made commits wait longer, more did not help. */
const checkpointPages = 4_000;

/** A prepared statement. Its types are given beside its text: columns by name, whole numbers as numbers. */
export interface Statement<Parameters extends readonly SQLInputValue[], Row> {
  all(...parameters: Parameters): Row[];
  get(...parameters: Parameters): Row | undefined;
  run(...parameters: Parameters): { changes: number | bigint; lastInsertRowid: number | bigint };
}

export class SqliteConnection implements Disposable {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #guard: FileGuard;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #access: Access;
  #syncsApart = false;
  #logSync: LogSync | null = null;
  /** The latest sync. */
  #syncing: Promise<void> | null = null;
  #mayHaveGap = false;

  /** Opens the handle only. {@link configure} and everything after it may find the database locked. */
  constructor(file: string, access: Access = "read-write") {
    this.file = file;
    this.#access = access;
    if (access === "read-write") createDatabaseFile(file);
    this.#guard = new FileGuard(file);
    this.#database = new DatabaseSync(file, {
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
    const [found] = this.query<{ version: string }>("SELECT sqlite_version() AS version");
    if (found === undefined || !isAtLeast(found.version, sqliteVersionMin)) {
      throw new StorageUnavailable(`SQLite ${found?.version} is too old; ${sqliteVersionMin.join(".")} is needed.`);
    }
    this.execute(`PRAGMA cache_size = -${cacheKiB}`);
    if (this.#access === "read-only") return;
    // FULL syncs the log on every commit: what was acknowledged survives a power cut, too. See also syncApart.
    this.execute("PRAGMA journal_mode = WAL");
    this.execute("PRAGMA synchronous = FULL");
    this.execute(`PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    this.execute(`PRAGMA journal_size_limit = ${logBytesKept}`);
    // Erased text is overwritten, not only forgotten.
    this.execute("PRAGMA secure_delete = ON");
  }

  /** Prepares a statement that is used again and again. */
  prepare<Parameters extends readonly SQLInputValue[], Row = never>(text: string): Statement<Parameters, Row> {
    return this.#database.prepare(text) as unknown as Statement<Parameters, Row>;
  }

  /** The same for many rows, which are arrays of their columns: they are read in two thirds of the time. */
  prepareArrays<Parameters extends readonly SQLInputValue[], Row extends readonly unknown[]>(
    text: string,
  ): Statement<Parameters, Row> {
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(true);
    return statement as unknown as Statement<Parameters, Row>;
  }

  /** Rows of a statement that is used once. */
  query<Row>(text: string, ...parameters: readonly SQLInputValue[]): Row[] {
    return this.#database.prepare(text).all(...parameters) as Row[];
  }

  /** Runs a script. */
  execute(script: string): void {
    this.#database.exec(script);
  }

  /** Takes the write lock. */
  begin(): void {
    // An earlier ROLLBACK may have failed on a bad disk.
    this.rollback();
    if (this.#mayHaveGap) this.#closeGap();
    this.#begin.run();
  }

  /** @throws StorageUnavailable when the file was deleted or replaced; the transaction is then still open */
  commit(): void {
    this.assertSameFile();
    if (this.#syncsApart) this.#openSync();
    try {
      this.#commit.run();
    } catch (error) {
      throw asCommitError(error);
    }
  }

  /** From now on {@link commit} waits for no disk, and nothing may be acknowledged before {@link sync}. */
  syncApart(): void {
    this.execute("PRAGMA synchronous = NORMAL");
    this.#syncsApart = true;
  }

  /**
   * Resolves once everything that was committed before, by any process, is on the disk. One call at a time.
   *
   * @throws StorageUnavailable with the outcome `unknown`
   */
  async sync(): Promise<void> {
    try {
      this.#syncing = this.#openSync().wait();
      await this.#syncing;
    } catch (error) {
      // A connection that only reads appends nothing behind a gap, and could not mend it.
      this.#mayHaveGap = this.#access === "read-write";
      throw new StorageUnavailable("The database failed to sync its log.", { cause: error, outcome: "unknown" });
    }
  }

  /**
   * Resolves once what was read before is on the disk: what is handed on must not be taken back by a power cut.
   *
   * @throws StorageUnavailable when it may not be
   */
  async settled(): Promise<void> {
    // The service syncs what it commits. Another process cannot tell what is on its way.
    if (this.#access === "read-only") return this.sync();
    await this.#syncing?.catch(() => {});
    if (this.#mayHaveGap) throw new StorageUnavailable("The database failed to sync its log.");
  }

  /** Whether a sync has failed, so that what is read may be lost in a power cut. The next {@link begin} mends it. */
  get mayHaveGap(): boolean {
    return this.#mayHaveGap;
  }

  #openSync(): LogSync {
    try {
      return (this.#logSync ??= new LogSync(() => this.#guard.openLog()));
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      throw new StorageUnavailable("The database's log cannot be opened to be synced.", { cause: error });
    }
  }

  // The kernel forgets pages that it could not write. Were more appended behind them, and even synced, recovery would end
  // before them. So the log is moved into the database, which is synced, and begun anew.
  #closeGap(): void {
    const [found] = this.query<{ log: number }>("PRAGMA wal_checkpoint(NOOP)");
    if (found !== undefined && found.log > 0 && !isLogWhole(this.#openSync().descriptor, found.log)) leaveToRecovery();
    const [moved] = this.query<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    if (moved?.busy !== 0) throw new StorageUnavailable("The database's log is to be begun anew and is being read.");
    this.#mayHaveGap = false;
  }

  /** Ends a transaction if there is one: after a full disk, for example, SQLite has already rolled back by itself. */
  rollback(): void {
    if (this.#database.isTransaction) this.execute("ROLLBACK");
  }

  /** @throws StorageUnavailable when the file was deleted or replaced */
  assertSameFile(): void {
    this.#guard.assertUnchanged();
  }

  /** Closes the handle. The last one to close moves the log into the database and removes it. */
  [Symbol.dispose](): void {
    // Moving the log compares no checksums either.
    if (this.#mayHaveGap && this.#database.isOpen) this.#closeGap();
    if (this.#database.isOpen) this.#database.close();
    this.#logSync?.[Symbol.dispose]();
    this.#logSync = null;
  }
}

// Closing the database would move what is left of the log over good pages. The next start recovers: it takes the log up to
// the first frame that is not whole, which holds all that was acknowledged.
function leaveToRecovery(): never {
  writeSync(2, "The database's log lost what was written to it. The process ends at once; the next start recovers.\n");
  process.kill(process.pid, "SIGKILL");
  throw new StorageUnavailable("The database's log lost what was written to it.");
}

function isAtLeast(version: string, least: readonly [number, number, number]): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== least[0]) return major > least[0];
  return minor === least[1] ? patch >= least[2] : minor > least[1];
}
