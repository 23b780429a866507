// The errors of a schema that does not fit the code. Waiting does not help, so they are not `StorageUnavailable`.

/** The database was migrated by a newer version of the service, whose rows this one could misread. */
export class SchemaTooNew extends Error {
  override readonly name = "SchemaTooNew";
  /** Number of the database's latest migration. */
  readonly found: number;
  /** Number of the latest migration that this version knows. */
  readonly known: number;

  constructor(found: number, known: number) {
    super(`The database has schema ${found}, this version knows ${known}: start a version that knows it.`);
    this.found = found;
    this.known = known;
  }
}

/** The database lacks migrations and was opened for reading only. */
export class SchemaTooOld extends Error {
  override readonly name = "SchemaTooOld";
  /** Names of the missing migrations. */
  readonly pending: readonly string[];

  constructor(pending: readonly string[]) {
    super(`The database lacks migrations (${pending.join(", ")}): run the migrate command or start the service.`);
    this.pending = pending;
  }
}
