// The tables that accepting writes: their columns with PostgreSQL's types, and what happens where a row is there already.
// Both engines make their INSERTs from this.

/** Columns, with their types in SQL. */
export type Columns = Readonly<Record<string, "text" | "bigint" | "integer">>;

export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: (Of[Name] extends "text" ? string : number) | null;
};

interface Table {
  readonly columns: Columns;
  /** What stands behind ON CONFLICT. */
  readonly conflict?: string;
}

const replaced = (...columns: string[]): string => columns.map((name) => `${name} = excluded.${name}`).join(", ");

/** Rows are inserted in this order: a row refers only to rows of tables before its own. */
export const tables = {
  submission: {
    columns: {
      arrival: "bigint",
      kind: "text",
      day_number: "bigint",
      reference: "text",
      received_at: "bigint",
      name: "text",
      email: "text",
      email_key: "text",
      status: "text",
      receipt_at: "bigint",
      resume_key: "text",
      resume_scan: "text",
      door: "text",
      request_id: "text",
      fields: "text",
    },
  },
  subscriber: {
    columns: {
      email_key: "text",
      email: "text",
      status: "text",
      source: "text",
      last_source: "text",
      subscribed_at: "bigint",
      welcomed_at: "bigint",
      unsubscribed_at: "bigint",
      door: "text",
      request_id: "text",
      language: "text",
      consent: "text",
    },
    conflict: `(email_key) DO UPDATE SET
      ${replaced("status", "last_source", "welcomed_at", "unsubscribed_at", "language", "consent")}`,
  },
  newsletter_token: {
    columns: { token_hash: "text", email_key: "text", purpose: "text", created_at: "bigint", expires_at: "bigint" },
  },
  mail: {
    columns: {
      id: "bigint",
      kind: "text",
      submission: "bigint",
      subscriber: "text",
      tokens: "text",
      status: "text",
      created_at: "bigint",
      due_at: "bigint",
      lease_owner: "text",
      lease_until: "bigint",
    },
  },
  idempotency: {
    columns: {
      procedure: "text",
      key_hash: "text",
      fingerprint: "text",
      submission: "bigint",
      subscriber: "text",
      created_at: "bigint",
    },
  },
  spent_challenge: { columns: { challenge_hash: "text", expires_at: "bigint" } },
  webhook_delivery: {
    columns: {
      webhook: "bigint",
      event: "text",
      submission: "bigint",
      subscriber: "text",
      detail: "text",
      created_at: "bigint",
      due_at: "bigint",
    },
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof tables;
export type TableRow<Name extends TableName> = RowOf<(typeof tables)[Name]["columns"]>;

export type RowsToInsert = { readonly [Name in TableName]: readonly TableRow<Name>[] };

export const tableNames = Object.keys(tables) as TableName[];
export const tableOf = (name: TableName): Table => tables[name];
