// Columns by their names in a record: `received_at` is read as `receivedAt`, on both engines.

export const columnsOf = (table: string, names: readonly string[]): string =>
  names.map((name) => `${table}.${name.replaceAll(/[A-Z]/g, "_$&").toLowerCase()} AS "${name}"`).join(", ");

/** These of a row that may have others. */
export const picked = <Of extends object, Name extends keyof Of>(of: Of, names: readonly Name[]): Pick<Of, Name> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<Of, Name>;
