// The tables that accepting writes, and the audit log: their columns with PostgreSQL's types, and what happens where a row is there already.
// Both engines make their INSERTs from this.
import type { Actor, AuditEntry } from "../desk-store.ts";

/** Columns, with their types in SQL. */
export type Columns = Readonly<Record<string, "text" | "bigint" | "integer">>;

export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: (Of[Name] extends "text" ? string : number) | null;
};

interface Table {
  readonly columns: Columns;
  readonly conflict?: string;
}

const of = <Type extends Columns[string], Name extends string>(type: Type, names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, type])) as Readonly<Record<Name, Type>>;
const texts = <Name extends string>(...names: Name[]) => of("text", names);
const numbers = <Name extends string>(...names: Name[]) => of("bigint", names);

const replaced = (...columns: string[]): string => columns.map((name) => `${name} = excluded.${name}`).join(", ");

/** Rows are inserted in this order: a row refers only to rows of tables before its own. */
export const tables = {
  submission: {
    columns: {
      ...numbers("arrival", "day_number", "received_at", "receipt_at"),
      ...texts("kind", "reference", "name", "email", "email_key", "status", "fields"),
      ...texts("resume_key", "resume_scan", "door", "request_id"),
    },
  },
  subscriber: {
    columns: {
      ...texts("email_key", "email", "status", "source", "last_source", "door", "request_id", "language", "consent"),
      ...numbers("subscribed_at", "welcomed_at", "confirmed_at", "unsubscribed_at"),
    },
    conflict: `(email_key) DO UPDATE SET
      ${replaced("status", "last_source", "welcomed_at", "confirmed_at", "unsubscribed_at", "language", "consent")}`,
  },
  newsletter_token: {
    columns: { ...texts("token_hash", "email_key", "purpose"), ...numbers("created_at", "expires_at") },
  },
  mail: {
    columns: {
      ...numbers("id", "submission", "created_at", "due_at", "lease_until"),
      ...texts("kind", "subscriber", "tokens", "status", "lease_owner"),
    },
  },
  idempotency: {
    columns: {
      ...texts("procedure", "key_hash", "fingerprint", "subscriber"),
      ...numbers("submission", "created_at"),
    },
  },
  spent_challenge: { columns: { ...texts("challenge_hash"), ...numbers("expires_at") } },
  webhook_delivery: {
    columns: {
      ...numbers("webhook", "submission", "created_at", "due_at"),
      ...texts("event", "subscriber", "detail"),
    },
  },
  day_counter: {
    columns: { ...texts("kind"), ...numbers("day", "taken") },
    conflict: `(kind, day) DO UPDATE SET ${replaced("taken")}`,
  },
  audit: { columns: { ...numbers("at"), ...texts("operator", "action", "subject", "detail") } },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;
export type TableRow<Name extends TableName> = RowOf<(typeof tables)[Name]["columns"]>;

export type RowsToInsert = { readonly [Name in TableName]: readonly TableRow<Name>[] };

/** The values of a row, in the order of the parameters of a statement. */
export type ValuesOf<Row> = (row: Row) => (string | number | null)[];

export const valuesByName =
  (names: readonly string[]): ValuesOf<object> =>
  (row) =>
    names.map((name) => (row as Readonly<Record<string, string | number | null>>)[name] ?? null);

// Of the tables that get rows with each submission. V8 remembers at each place of the code where a few shapes of objects have
// their values: a place that reads the rows of all tables by name searches each time, which takes 4 µs a submission.
const values: { readonly [Name in TableName]?: ValuesOf<TableRow<Name>> } = {
  submission: (row) => [
    row.arrival,
    row.kind,
    row.day_number,
    row.reference,
    row.received_at,
    row.name,
    row.email,
    row.email_key,
    row.status,
    row.receipt_at,
    row.resume_key,
    row.resume_scan,
    row.door,
    row.request_id,
    row.fields,
  ],
  mail: (row) => [
    row.id,
    row.kind,
    row.submission,
    row.subscriber,
    row.tokens,
    row.status,
    row.created_at,
    row.due_at,
    row.lease_owner,
    row.lease_until,
  ],
};

/** The values of a row of a table, in any order. */
export const valuesOf = (name: TableName) =>
  (values[name] ?? valuesByName(Object.keys(tables[name].columns))) as ValuesOf<object>;

export const tableNames = Object.keys(tables) as TableName[];
export const tableOf = (name: TableName): Table => tables[name];

export const auditRow = ({ action, subject, detail = {} }: AuditEntry, { operator, at }: Actor): TableRow<"audit"> => ({
  at,
  operator,
  action,
  subject,
  detail: JSON.stringify(detail).replaceAll("\\u0000", ""),
});
